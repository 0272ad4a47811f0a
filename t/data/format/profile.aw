andweorc	version=1	tool=record	resolved=1
run	id=1	command=./pzip%20-j%202%20/usr	cpus=2	sampler=perf	period_ns=1000000
module	run=1	id=1	build_id=5d2f	path=/home/me/pzip
region	id=1	scope=line	module=1	ranges=0x1200-0x1240	file=/home/me/pzip.c	line=120	function=checksum
region	id=2	scope=line	module=1	ranges=0x1300-0x1360,0x1400-0x1408	file=/home/me/pzip.c	line=88	function=deflate
experiment	id=1	run=1	block=1	region=-	speedup_pct=0	start_ns=100000000	wall_ns=100100000	delay_ns=0	samples=200	region_samples=50
visits	experiment=1	point=block	kind=throughput	count=50	virtual_ns=100100000
experiment	id=2	run=1	block=1	region=1	speedup_pct=50	start_ns=200000000	wall_ns=100050000	delay_ns=20000000	samples=200	region_samples=50
visits	experiment=2	point=block	kind=throughput	count=50	virtual_ns=80050000
experiment	id=3	run=1	block=1	region=2	speedup_pct=50	start_ns=300000000	wall_ns=119800000	delay_ns=20000000	samples=200	region_samples=50
visits	experiment=3	point=block	kind=throughput	count=50	virtual_ns=99800000
experiment	id=4	run=1	block=1	region=1	speedup_pct=50	start_ns=400000000	wall_ns=320000000	delay_ns=20000000	samples=200	region_samples=50	disturbed=1	steal_ns=200000000
visits	experiment=4	point=block	kind=throughput	count=50	virtual_ns=300000000
# the second sweep
experiment	id=5	run=1	block=2	region=2	speedup_pct=50	start_ns=500000000	wall_ns=120100000	delay_ns=20000000	samples=200	region_samples=50
visits	experiment=5	point=block	kind=throughput	count=50	virtual_ns=100100000
experiment	id=6	run=1	block=2	region=-	speedup_pct=0	start_ns=600000000	wall_ns=99900000	delay_ns=0	samples=200	region_samples=50
visits	experiment=6	point=block	kind=throughput	count=50	virtual_ns=99900000
experiment	id=7	run=1	block=2	region=1	speedup_pct=50	start_ns=700000000	wall_ns=99950000	delay_ns=20000000	samples=200	region_samples=50
visits	experiment=7	point=block	kind=throughput	count=50	virtual_ns=79950000
share	run=1	region=1	samples=250	total=1000	blocked=0	blocked_total=1250
share	run=1	region=2	samples=600	total=1000	blocked=1250	blocked_total=1250
sample	run=1	module=1	offset=0x1204	count=250	state=cpu	function=checksum	file=/home/me/pzip.c	line=120
sample	run=1	module=1	offset=0x1404	count=750	state=cpu	function=copy	file=/home/me/pzip.h	line=7	inlined_by=deflate@/home/me/pzip.c:88
sample	run=1	module=1	offset=0x1302	count=1250	state=blocked	class=io	function=deflate	file=/home/me/pzip.c	line=88
process	run=1	id=1	pid=4711	command=./pzip%20-j%202%20/usr	status=exit:0	visits=350
end	run=1	status=exit:0	wall_ns=800000000	experiments=7	disturbed=1	samples=1000	visits1=350
