andweorc	version=1	tool=analyze
run	id=1	command=./pzip-old%20-j%204%20corpus.tar	sampler=perf
impact	point=block	region=pzip.c:210	scope=line	function=deflate_chunk	file=/src/pzip.c	line=210	slope=0.52	slope_lo=0.47	slope_hi=0.57	n=96	runs=4	basis=runs	verdict=high
curve	point=block	region=pzip.c:210	speedup_pct=15	program_pct=7.4	lo=6.1	hi=8.7	n=12
curve	point=block	region=pzip.c:210	speedup_pct=30	program_pct=15.6	lo=14.2	hi=17	n=12
curve	point=block	region=pzip.c:210	speedup_pct=50	program_pct=26.3	lo=24.6	hi=28	n=12
curve	point=block	region=pzip.c:210	speedup_pct=75	program_pct=39.1	lo=37.2	hi=41	n=12
impact	point=block	region=old/queue.c:31	function=queue_put	file=/src/queue.c	line=31	slope=0.1	slope_lo=0.05	slope_hi=0.15	n=90	runs=4	basis=runs	verdict=low
curve	point=block	region=old/queue.c:31	speedup_pct=50	program_pct=5	lo=3	hi=7	n=12
