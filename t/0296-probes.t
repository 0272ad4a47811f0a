#!/bin/sh
# Probes of <sys/sdt.h> as progress points (-P PROVIDER:PROBE).
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cc='gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE'
$cc -o probes "$programs/probes.c" -pthread || exit 1

record() {
	recording log -m function --window 20 -s 50 "$@"
}

# Even without breakpoints, the recorder finds that a name is no probe.
no_such_probe() {
	exits 125 andweorc-record -q -o log -P tested:guardde -- ./probes steady 3000 >out 2>err
	has "no progress point at 'tested:guardde': no probe of the program or its libraries is called so; did you mean 'tested:guarded'\\?" err
	exits 125 andweorc-record -q -o log -P tested:guardde -- "$(command -v true)" >out 2>err
	has "no probe of the program or its libraries is called so" err
	lacks 'did you mean' err
}
check 'a name that no probe has' no_such_probe

# Programs of distributions have probes, too.  Without breakpoints, the message says that the place is known.
cat >collect.py <<'END_OF_PY'
import gc, time
for i in range(1000):
    gc.collect(0)
    time.sleep(0.002)
END_OF_PY
of_python() {
	unminded='no progress point was visited|ended before|breakpoints'
	record -P python:gc-start -- /usr/bin/python3 collect.py
	if has_breakpoints || by_probes python:gc-start; then
		# Visits from before the recorder has read the program are not counted.
		test "$(field point python:gc-start visits)" -ge 100
		test "$(field point python:gc-start visits)" -le 1100
	else
		has "no progress point at 'python:gc-start': .*breakpoints" all
	fi
	# A name that is nearly right.
	recording log -m function -P python:gc-strat -- /usr/bin/python3 collect.py
	has "no probe of the program or its libraries is called so; did you mean 'python:gc__start'" all
}
if readelf -n /usr/bin/python3 2>/dev/null | grep -q 'Name: gc__start'; then
	check 'a probe of python3' of_python
else
	skip 'a probe of python3' 'there is no /usr/bin/python3, or it has none'
fi

# Breakpoints need perf, and a processor that has them: not all virtual machines let them through.
if ! has_breakpoints; then
	skip 'probes are counted' 'no breakpoints here: perf is refused, or the processor ignores them'
	done_testing
fi

counts() {
	record -P tested:guarded -P tested:plain-unit -P tested:raised -r work -- "$@"
	for point in guarded plain-unit raised; do
		test "$(field point tested:$point kind)" = breakpoint
	done
	test "$(field point tested:plain-unit visits)" -eq "$visits"
	test "$(field point tested:raised visits)" -eq "$visits"
	# While the semaphore is zero, the program skips the probe.
	test "$(field point tested:guarded visits)" -ge $((visits * 9 / 10))
	test "$(field point tested:guarded visits)" -le "$visits"
	# The probe is watched by the recorder, and was watched by another tool before.
	has 'semaphores=1,2' out
}
visits=300
check 'each visit, and its semaphore is raised' counts ./probes steady 300
check 'those of several threads' counts ./probes threads 100
visits=450 # before the fork, and after it in both
check 'those of a forked child' counts ./probes forks 150
visits=300

twice() {
	record -P 'tested:tw*' -r work -- ./probes steady 200
	test "$(field point 'tested:tw*' visits)" -eq 400
}
check 'a probe in two places' twice

echo '#include <sys/sdt.h>' >header.c
if gcc -E header.c >/dev/null 2>&1; then
	$cc -DREAL -o real "$programs/probes.c" -pthread || exit 1
	real() {
		record -P tested:guarded -r work -- ./real steady 300
		test "$(field point tested:guarded visits)" -ge 270
	}
	check 'those of <sys/sdt.h>' real
else
	skip 'those of <sys/sdt.h>' 'systemtap-sdt-dev is not there'
fi

done_testing
