#!/bin/sh
# The reasons of a region's gain: the waits of recorded events, in words.
. "$(dirname "$0")/lib.sh"

# log: two threads.  The first works in slow.c:10 for 1 ms and then posts; the second waits for that, in a function of a library
# that the program inlines, and works in slow.c:20 for 0.25 ms.
log() {
	perl -e '
	require "$ENV{data}/analyze/burst.pl";
	begin();
	fields("place", "run=1", "id=1", "module=1", "offset=0x18", "function=sem_post_it", "file=/src/slow.c", "line=12");
	fields("place", "run=1", "id=2", "module=1", "offset=0x28", "function=std::wait()", "file=/usr/include/c++/12/mutex", "line=9",
	       "inlined_by=std::outer()\@/usr/include/c++/12/mutex:99;take()\@/src/queue.c:7;run()\@/src/slow.c:21");
	for (1 .. 499) {
		$first .= "s" . number(1000000) . number(1000000) . number(1) . "v" . number(0) . number(1) . number(1) . "r" . number(0) . number(1) . number(1);
		$second .= "a" . number(750000 + 250000 * ($_ == 1)) . number(750000 + 250000 * ($_ == 1)) . number(1) . number(2);
		$second .= "s" . number(250000) . number(250000) . number(2);
	}
	fields("events", "run=1", "burst=1", "thread=1", "data=$first");
	fields("events", "run=1", "burst=1", "thread=2", "data=$second");
	# The visits give the report rows.
	for $id (1 .. 40) {
		$pct = $id % 2 * 50;
		$region = $pct ? 1 + int($id / 2) % 2 : "-";
		fields("experiment", "id=$id", "run=1", "block=1", "region=$region", "speedup_pct=$pct", "start_ns=" . 300000000 * $id, "wall_ns=200000000",
		       "delay_ns=0", "samples=250", "region_samples=100");
		fields("visits", "experiment=$id", "point=unit", "kind=throughput", "count=" . ($region eq "1" ? 400 : 200 + $id % 3), "virtual_ns=200000000");
	}
	fields("share", "run=1", "region=1", "samples=800", "total=1000");
	fields("share", "run=1", "region=2", "samples=200", "total=1000");
	fields("point", "run=1", "id=1", "name=unit", "kind=throughput", "visits=499");
	fields("end", "run=1", "status=exit:0", "samples=1000");'
}
log >in

records() {
	exits 0 andweorc-analyze --format andweorc in >got
	grep '^why' got >whys
	same - whys <<-END
	why	region=slow.c:10	who=others	wait_pct=75.0125	at=queue.c:7%20(take()%20in%20run())	until=slow.c:12%20(sem_post_it)
	why	region=slow.c:20	who=own	wait_pct=75.0125	at=queue.c:7%20(take()%20in%20run())	until=slow.c:12%20(sem_post_it)
	END
}
check 'the threads that run it wait, and others wait for those that run it' records

sentences() {
	exits 0 andweorc-analyze --format text "$1" | tr -s '\n ' ' ' >got
	has 'why 1: other threads wait for those that run it for 75 % of their time at queue\.c:7 \(take\(\) in run\(\)\), until slow\.c:12 ' got
	has 'why 2: the threads that run it wait for 75 % of their time at queue\.c:7' got
}
check 'as sentences of the report' sentences in

two_runs() {
	log | sed -e 's/command=slow/command=other/' -e 's/run=1/run=2/' -e 's/^run	id=1/run	id=2/' -e 's/experiment	id=/experiment	id=1/' \
		-e 's/experiment=/experiment=1/' >second
	cat in second >both
	sentences both
	test "$(grep -o 'why [0-9]' got | wc -l)" -eq 2
}
check 'runs of several logs: each region once' two_runs

without_places() {
	grep -v '^place' in >old
	exits 0 andweorc-analyze --format text old >got
	lacks '^why' got
}
check 'logs that have no places' without_places

# Names come from the log: nothing in them reaches the terminal as it is.
hostile() {
	sed 's/sem_post_it/%1b[31m%0awhy%e2%80%ae/' in >bad
	exits 0 andweorc-analyze --format text bad >got
	lacks "$(printf '\033')|$(printf '\342\200\256')" got
	test "$(grep -c '^why' got)" -eq 2
	sed 's/^place	run=1	id=1/place	run=1	id=x/' in >bad
	exits 2 andweorc-analyze --format text bad >got 2>err
	has "^andweorc-analyze: bad:[0-9]+: bad number 'x' for 'id'\$" err
}
check 'names that want to be something else' hostile

done_testing
