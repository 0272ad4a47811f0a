andweorc	version=1	tool=analyze
run	id=1	command=./pzip%20-j%204%20corpus.tar	sampler=perf
impact	point=block	region=pzip.c:210	scope=line	function=deflate_chunk	file=/src/pzip.c	line=210	share_pct=61.5	slope=0.71	slope_lo=0.66	slope_hi=0.76	cost_ns=1423370	r2=0.98	n=96	runs=4	basis=runs	verdict=high	max_useful_pct=50	visits=3589	disturbed=2
curve	point=block	region=pzip.c:210	speedup_pct=15	program_pct=10.4	lo=9.1	hi=11.7	n=12
curve	point=block	region=pzip.c:210	speedup_pct=30	program_pct=21.6	lo=20.2	hi=23	n=12
curve	point=block	region=pzip.c:210	speedup_pct=50	program_pct=35.3	lo=33.6	hi=37	n=12
curve	point=block	region=pzip.c:210	speedup_pct=75	program_pct=36.1	lo=34.2	hi=38	n=12
impact	point=block	region=queue.c:31	function=queue_put	file=/src/queue.c	line=31	share_pct=4.25	slope=0.004	slope_lo=-0.02	slope_hi=0.028	n=90	runs=4	basis=runs	verdict=none
curve	point=block	region=queue.c:31	speedup_pct=15	program_pct=0.2	lo=-1	hi=1.4	n=12
curve	point=block	region=queue.c:31	speedup_pct=30	program_pct=-0.4	lo=-1.9	hi=1.1	n=12
curve	point=block	region=queue.c:31	speedup_pct=50	program_pct=0.1	lo=-1.6	hi=1.8	n=12
curve	point=block	region=queue.c:31	speedup_pct=75	program_pct=0.5	lo=-1.4	hi=2.4	n=12
impact	point=block	region=writer.c:88	function=write_ordered	file=/src/writer.c	line=88	share_pct=2	slope=-0.31	slope_lo=-0.4	slope_hi=-0.22	n=90	runs=4	basis=runs	verdict=harmful
curve	point=block	region=writer.c:88	speedup_pct=15	program_pct=-4.1	lo=-6	hi=-2.2	n=12
curve	point=block	region=writer.c:88	speedup_pct=30	program_pct=-9	lo=-11.5	hi=-6.5	n=12
curve	point=block	region=writer.c:88	speedup_pct=50	program_pct=-15.2	lo=-18	hi=-12.4	n=12
curve	point=block	region=writer.c:88	speedup_pct=75	program_pct=-23.4	lo=-27	hi=-19.8	n=12
impact	point=block	region=crc.c:12	function=crc32	file=/src/crc.c	line=12	share_pct=0.4	n=7	verdict=not-enough-data	need=about%205%20times%20as%20many%20windows%20(record%20with%20-d%20120)
curve	point=block	region=crc.c:12	speedup_pct=30	program_pct=1.5	n=12
curve	point=block	region=crc.c:12	speedup_pct=50	program_pct=4.5	lo=-20	hi=29	n=12
impact	point=file	region=pzip.c:210	function=deflate_chunk	file=/src/pzip.c	line=210	share_pct=61.5	slope=0.25	slope_lo=0.05	slope_hi=0.45	n=9	runs=1	basis=within-run	verdict=moderate
curve	point=file	region=pzip.c:210	speedup_pct=50	program_pct=12.5	lo=2	hi=23	n=12
