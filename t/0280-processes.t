#!/bin/sh
# Programs of several processes: each way to make one and to end one, profiled as
# bare, with nothing lost; processes that outlive the command; a recorder that dies.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC3045
ulimit -c 0
program processes

# field KEY: its values in the records read from standard input, one a line; "-" where it is missing
field() {
	awk -F '\t' -v key="$1=" '{
		value = "-"
		for (i = 2; i <= NF; i++)
			if (index($i, key) == 1)
				value = substr($i, length(key) + 1)
		print value
	}'
}

# unit_visits LOG: the visits of the point, one run a line; "-" if there were none.  (If the first visit came after a second,
# the first numbers are those of automatic points, so "visits1" of the end record is not used.)
unit_visits() {
	grep '^point	.*	name=unit	' "$1" | field visits | grep . || echo -
}

# whole LOG: every process that joined has an end, ids count up, the visits of all add up to those of the run
whole() {
	test "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n'
	exits 0 andweorc-resolve "$1" >resolved 2>resolve.err
	lacks ': bad |malformed' resolve.err
	grep '^process	.*	pid=' "$1" | field id | sort -n >joined
	grep '^process	.*	visits=' "$1" | field id | sort -n >ended
	test -s joined
	same joined ended
	seq "$(wc -l <joined)" >numbers
	same numbers joined
	visits=$(grep '^process	.*	visits=' "$1" | field visits | awk '{ n += $0 } END { print n + 0 }')
	test "$visits" -eq "$(unit_visits "$1" | tr - 0)"
}

# alike MODE VISITS [OPTION...]: the same output and status as bare, and VISITS visits; $bare_us is how long a unit takes bare
bare_us=100
alike() {
	mode=$1
	visits=$2
	shift 2
	run env UNIT_US=$bare_us ./processes "$mode" >bare 2>bare.err
	bare=$status
	test "$bare" -ne 98 && test "$bare" -ne 99
	run andweorc-record -q -o log -r work -s 50 --window 1 "$@" -- ./processes "$mode" >profiled 2>err
	same bare profiled
	test "$status" -eq "$bare"
	lacks '^andweorc-record: [^w]' err
	echo "$visits" >want
	unit_visits log >got
	same want got
	whole log
}

# joins N: N processes had joined in the last log
joins() {
	echo "$1" >want
	wc -l <joined >got
	same want got
}

# ---- births, ends, waits -------------------------------------------------------------

each_end() {
	alike ends 450 "$@"
	joins 10
}
check 'children end in nine ways, and all that they did is counted' each_end
check 'the same, sampled by the timer' each_end --sampler timer

each_wait() {
	alike waits 7
	joins 8
}
check 'each way to wait for a child' each_wait
check 'a wait that a signal ends, a wait for a child that stops' alike interrupted -

forks() {
	alike fork 600
	joins 6
	awk -F '\t' '$1 == "process" && $4 ~ /^pid=/ { print $3 == "id=1" ? "first" : $5 == "parent=" pid ? "child" : $0 }
		$3 == "id=1" && $4 ~ /^pid=/ { pid = substr($4, 5) }' log | sort | uniq -c >got
	awk '{ print $1, $2 }' got >counts
	same - counts <<-END
	5 child
	1 first
	END
	has '^process	run=1	id=1	pid=[0-9]*	parent=[0-9]*	command=./processes%20fork$' log
	has '^process	run=1	id=1	status=exit:0	visits=100$' log
}
check 'fork' forks

vforks() {
	alike vfork 400
	joins 4
}
check 'vfork: the child that execs joins, the one that ends at once is nobody' vforks

spawns() {
	alike spawn 500
	# 5 leaves, the shells of system(3) and popen(3), cat, and one shell that becomes a leaf
	has 'command=processes%20leaf$' log
	has 'command=sh%20-c%20./processes%20leaf;%20exit%207$' log
	has '	status=exec	visits=0$' log
}
check 'posix_spawn, system, popen' spawns

clones() {
	alike clone 100
	joins 3
}
check 'clone, _Fork' clones

raw_clones() {
	alike clone-raw 200
	joins 2 # the other is what the child runs with system(3)
}
check 'a copy made past libc does not write to what is its parent'"'"'s' raw_clones

clones_by_number() {
	alike clone-syscall 400
	joins 3
}
check 'clone and clone3 by number' clones_by_number

tree() {
	alike tree 254
	joins 127
}
check 'a tree of 127 processes' tree

hundred() {
	alike hundred 500
	joins 101
}
check '100 processes at once' hundred

crowd() {
	run andweorc-record -q -o log -r work -- ./processes crowd >out 2>err
	test "$status" -eq 0
	echo 1100 >want
	same want out
	has '^warning	run=1	what=processes-refused	' log
	grep '^process	.*	pid=' log | field id | sort -n >joined
	joins 1024
	# 1023 of the children and the command are counted.
	unit_visits log >got
	echo $((1023 * 5 + 100)) >want
	same want got
}
check 'more processes at once than there is room for: the rest is left alone' crowd

kills() {
	run andweorc-record -q -o log -r work -s 50 --window 1 -- ./processes kill >out 2>err
	test "$status" -eq 0
	echo killed >want
	same want out
	whole log
	test "$(wc -l <joined)" -gt 100 # some are killed before they join
	read -r did kills <counted
	visits=$(unit_visits log)
	test "$visits" -ge "$did"
	test "$visits" -le $((did + kills))
	has '^experiment	' log
}
check '200 processes are killed at any moment, in the middle of windows: nothing is lost' kills

thousand() {
	bare_us=10
	export UNIT_US=500
	alike thousand 1000 -m function
	joins 1001
	cp resolved thousand.resolved
}
check '1,000 processes one after the other' thousand

# Each is over before the conductor looks at it: 1,000 times 0.5 ms of work, and a sample each ms.
charged() {
	awk -F '\t' '$1 == "sample" && /\tfunction=work(\t|$)/ && /\tstate=cpu(\t|$)/ {
		for (i = 2; i <= NF; i++)
			if (index($i, "count=") == 1)
				n += substr($i, 7)
	} END { print n + 0 }' thousand.resolved >samples
	test "$(cat samples)" -gt 250
}
check 'what such processes do is charged to its region' charged

# ---- odd places ------------------------------------------------------------------------

threads() {
	alike threads 1600
	joins 41
}
check 'threads that fork while others work and windows switch' threads

handlers() {
	alike handler 3200
	joins 21
}
check 'a signal handler that forks' handlers

execs() {
	alike exec 110
	# of the one without environment, what it was before
	joins 4
}
check 'a child that closes all descriptors, and one that empties its environment, before they exec' execs

exec_threads() {
	alike exec-threads 110
	joins 2
	grep -c '	status=exec	visits=10$' log >got
	echo 1 >want
	same want got
}
check 'exec by a thread, beside others' exec_threads

double() {
	alike double 50
	joins 3
}
check 'double fork, setsid' double
check 'PR_SET_PDEATHSIG' alike death-signal 10

namespaces() {
	alike namespace 230
	has '^process	run=1	id=1	' log
}
if unshare -p true 2>/dev/null; then
	check 'a pid namespace: who is number 1 there is not mistaken for init' namespaces
else
	skip 'a pid namespace' 'not permitted here'
fi

# ---- what outlives the command ---------------------------------------------------------

# gone: the process that wrote its pid has ended
gone() {
	while read -r pid; do
		for _ in $(seq 100); do
			kill -0 "$pid" 2>/dev/null || continue 2
			sleep 0.05
		done
		echo "$pid lives"
		return 1
	done <pids
	rm pids
}

end_helpers() {
	xargs kill -KILL <pids
	gone
}

daemon_followed() {
	rm -f daemon.out
	bare_us=10
	alike daemon 5000
	echo 'done' >want
	same want daemon.out
	joins 2
	has '^experiment	' log
	has '^end	run=1	status=exit:0	wall_ns=' log
}
check 'a daemon is recorded to its end' daemon_followed

daemon_stopped() {
	exits 0 andweorc-record -q -d 0.3 -o log -r work -s 50 --window 1 -- ./processes serve >out 2>err
	gone
	whole log
	joins 2
	has '^end	run=1	status=exit:0	ended_by=recorder	' log
	has '^process	run=1	id=2	status=signal:15	visits=[1-9]' log
	grep -c '^end' log >got
	echo 1 >want
	same want got
}
check 'a daemon that goes on for ever is ended as the time is' daemon_stopped

daemon_terminated() {
	rm -f log # of the test before
	andweorc-record -q -o log -r work -s 50 --window 1 -- ./processes serve >out 2>err &
	recorder=$!
	until_it_has log '^experiment'
	until_it_has pids .
	kill -TERM "$recorder"
	set +e
	wait "$recorder"
	status=$?
	set -e
	test "$status" -eq 0 # as the command, which had ended by then
	gone
	whole log
}
check 'SIGTERM to the recorder ends the daemon' daemon_terminated

daemon_interrupted() {
	rm -f log # of the test before
	# A background job has SIGINT ignored, and can only be given it back from elsewhere.
	env --default-signal=INT andweorc-record -q -o log -r work -s 50 --window 1 -- ./processes serve >out 2>err &
	recorder=$!
	until_it_has log '^process	.*	id=1	status=exit:0	'
	until_it_has pids .
	kill -INT "$recorder"
	set +e
	wait "$recorder"
	status=$?
	set -e
	test "$status" -eq 0
	gone
	whole log
}
if env --default-signal=INT true 2>/dev/null; then
	check 'SIGINT, too, when the command has ended' daemon_interrupted
else
	skip 'SIGINT, too, when the command has ended' 'no env --default-signal'
fi

not_its_own() {
	# A child that the recorder's process had before it ran the recorder.
	sh -c 'sleep 1000 & echo $! >stranger; exec andweorc-record -q -d 0.3 -o log -r work -- ./processes serve' >out 2>err
	kill -0 "$(cat stranger)"
	kill "$(cat stranger)"
	gone
}
check 'a process that is not of the recording is left alone' not_its_own

helper_left() {
	before=$(date +%s)
	alike helper 100
	test $(($(date +%s) - before)) -le 5
	has '^process	run=1	id=2	status=running	visits=0$' log
	end_helpers # two: of the bare run too
}
beside 'a helper that only waits does not keep the recording going' helper_left

helper_each_run() {
	exits 0 andweorc-record -q -n 3 -o log -r work -s 50 --window 1 -- ./processes helper >out 2>err
	unit_visits log >got
	same - got <<-END
	100
	100
	100
	END
	# Each run counts only its own processes.
	grep '^process	.*	pid=' log | field run | uniq -c | awk '{ print $1, $2 }' >got
	same - got <<-END
	2 1
	2 2
	2 3
	END
	end_helpers
}
beside 'what a run has left behind is not part of the next' helper_each_run

# ---- a recorder that dies ----------------------------------------------------------------

recorder_killed() {
	UNIT_US=10 ./processes compute >want
	rm -f pids log
	UNIT_US=300 andweorc-record -q -o log -r work -s 50 --window 100 -- ./processes compute >got 2>err &
	recorder=$!
	until_it_has log '^experiment.*	speedup_pct=50	'
	has '^experiment.*	speedup_pct=50	' log
	kill -KILL "$recorder"
	set +e
	wait "$recorder"
	status=$?
	set -e
	test "$status" -eq 137
	for _ in $(seq 300); do
		if test "$(wc -l <got)" -eq 2; then
			break
		fi
		sleep 0.05
	done
	same want got
	gone
}
beside 'the recorder is killed in the middle of a window: the program goes on to its end' recorder_killed

# late: a daemon that execs after its recorder has died
late() {
	cat >late.sh <<-END
	setsid sh -c 'echo \$\$ >late.pid; while test ! -e go; do sleep 0.05; done; exec ./processes plain >late.out' &
	while test ! -s late.pid; do sleep 0.05; done
	exec sleep 1000
	END
	rm -f go late.out log
	andweorc-record -q -o log -- sh late.sh >out 2>err &
	recorder=$!
	until_it_has late.pid .
	until_it_has log late
	pids=$(pgrep -P "$recorder")
	kill -KILL "$recorder"
	set +e
	wait "$recorder"
	set -e
	# shellcheck disable=SC2086
	kill -KILL $pids
	touch go
	until_it_has late.out .
	echo plain >want
	same want late.out
}
beside 'a process that starts when the recorder has died is not profiled, and works' late

# The child is forked before the recorder has read the parent's mappings, so the parent has no table of them to give away.
cat >early.c <<'END'
#include "andweorc.h"
#include <unistd.h>

static __attribute__((noinline)) void answer(void)
{
	for (volatile int i = 0; i < 500000; i++)
		;
}

int main(void)
{
	int ask[2], told[2];
	char c = 0;

	if (pipe(ask) != 0 || pipe(told) != 0)
		return 1;
	if (fork() == 0) {
		close(ask[1]);
		while (read(ask[0], &c, 1) == 1) {
			answer();
			if (write(told[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (int i = 0; i < 700; i++) {
		if (write(ask[1], &c, 1) != 1 || read(told[0], &c, 1) != 1)
			return 1;
		ANDWEORC_PROGRESS("round");
	}
	return 0;
}
END

a_child_that_comes_early() {
	gcc -g -O1 -I"$top/lib" -o early early.c
	exits 0 andweorc-record -q -o log -d 60 -n 1 -m function -r answer -s 50 --window 10 -- ./early >out 2>err
	awk -F '\t' '
	$1 == "experiment" { for (i in f) delete f[i]; for (i = 2; i <= NF; i++) { split($i, kv, "="); f[kv[1]] = kv[2] }
		if (f["speedup_pct"] > 0) { all += f["samples"]; own += f["region_samples"] } }
	END { print own + 0 " of " all + 0; exit !(all > 50 && own > 0.5 * all) }' log
}
check 'code of a child that is forked at once is sped up' a_child_that_comes_early

done_testing
