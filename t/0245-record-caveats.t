#!/bin/sh
#
# If an answer cannot be right, the log has a warning; otherwise it has none.

. "$(dirname "$0")/lib.sh"

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o caveats "$programs/caveats.c" -pthread || exit 1

under= # a command that runs the recorder

# warns_of CODE COMMAND...: the recording has this warning about answers and no other ("": none)
warns_of() {
	code=$1
	shift
	# shellcheck disable=SC2086 # several words
	exits 0 $under andweorc-record -q -o log -r work -m function --window 20 -s 50 -- "$@" 2>err
	awk -F'\t' '$1 == "warning" && $3 ~ /^what=(spin|absolute-timer|kernel-time|outside|oversubscribed|quota)$/ { print substr($3, 6) }' log >got
	printf '%s' "${code:+$code
}" >want
	same want got
}

warns_of_spinning() {
	warns_of spin ./caveats spin 600
	has "^andweorc-record: warning: [0-9]+ % of the samples are in loops that wait by spinning \(at '.*caveats\.c:[0-9]+'\)" err
}
warns_of_flags() {
	warns_of spin ./caveats "$1" 600
	has '^andweorc-record: warning: [0-9]+ % of the samples are in loops that wait by spinning' err
}
case $(uname -m) in
x86_64)
	check 'a spin loop that is not declared' warns_of_spinning
	check 'one without the pause instruction' warns_of_flags flag
	check 'one that gives up after a while' warns_of_flags bounded
	;;
*) skip 'a spin loop that is not declared' 'they are known by instructions of x86' ;;
esac

warns_of_absolute_timers() {
	warns_of absolute-timer ./caveats absolute 600
	has '^andweorc-record: warning: threads slept until moments of the wall clock for [0-9]+ % of the run' err
}
check 'sleeps until moments of the wall clock' warns_of_absolute_timers

warns_of_timers() {
	warns_of absolute-timer ./caveats timer 600
	# Replay knows that the timer sets the pace.
	exits 0 andweorc-record -q -d 2 -r work -m function -o log -- ./caveats timer 10000
	gains_at_most 2
}

# gains_at_most PCT: so says replay, with work that takes half as long
gains_at_most() {
	andweorc-resolve log | andweorc-analyze --format andweorc >analysis
	awk -F'\t' -v most="$1" '
		$1 == "replay" && $3 == "region=work" && $4 == "speedup_pct=50" {
			sub(/.*=/, "", $5)
			print "gain", $5
			found = $5 <= most
		}
		END { exit !found }' analysis
}
check 'reads of a timer' warns_of_timers

# One that is set to end once is put off while threads pause.
takes_alarms() {
	warns_of '' ./caveats alarm 600
	exits 0 andweorc-record -q -d 2 -r work -m function -s 50 -o log -- ./caveats alarm 10000
	andweorc-resolve log | grep -Ev '^(events|burst)	' | andweorc-analyze --format andweorc >analysis
	awk -F'\t' '$1 == "curve" { sub(/.*=/, "", $5); print "gain", $5; found = $5 <= 5 } END { exit !found }' analysis
}
check 'reads of a timer that is set for each round' takes_alarms

warns_of_paces() {
	warns_of absolute-timer ./caveats paced 600
	has '^andweorc-record: warning: threads slept until moments of the wall clock for [0-9]+ % of the run' err
}
check 'sleeps for what is left until such a moment' warns_of_paces
check 'sleeps of many lengths are no such' warns_of '' ./caveats naps 600

# A writer without the runtime, at its own pace.
warns_of_strangers() {
	gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -x c -o reader - <<'C' -pthread
#include <andweorc.h>
#include <unistd.h>
__attribute__((noinline)) void work(void)
{
	for (volatile int i = 0; i < 500000; i++)
		continue;
}
int main(void)
{
	char c;

	while (read(0, &c, 1) == 1) {
		work();
		ANDWEORC_PROGRESS("round");
	}
	return 0;
}
C
	i=0
	while [ $i -lt 80 ]; do
		echo
		sleep 0.01
		i=$((i + 1))
	done | warns_of outside ./reader
	has '^andweorc-record: warning: threads waited for processes that are not of the recording for [0-9]+ % of the run' err
}
check 'an unprofiled peer' warns_of_strangers

# The recorded child writes at its very end, or never: its parent reads what libc flushes, or the end of the pipe.
waits_for_a_child() {
	gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -x c -o parent - <<'C' -pthread
#include <andweorc.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void)
{
	for (volatile int i = 0; i < 500000; i++)
		continue;
}
int main(int n, char **arg)
{
	int ends[2];
	char text[8];

	if (n < 2 || pipe(ends))
		return 1;
	if (fork() == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		for (int i = 0; i < 1000; i++) {
			work();
			ANDWEORC_PROGRESS("round");
		}
		if (strcmp(arg[1], "writes") == 0)
			printf("done\n");
		return 0;
	}
	close(ends[1]);
	while (read(ends[0], text, sizeof(text)) > 0)
		continue;
	return wait(NULL) < 0;
}
C
	warns_of '' ./parent writes
	warns_of '' ./parent ends
}
check 'a child of the recording is no such peer' waits_for_a_child

warns_of_a_crowd() {
	warns_of oversubscribed ./caveats crowd 600
	has '^andweorc-record: warning: on average, [0-9]+[.][0-9] threads were ready to run but had no processor' err
}
check 'more threads than processors' warns_of_a_crowd

# The same log: with one thread more than processors, one always queues; the share cannot exceed that of all threads.
knows_who_queues() {
	awk -F'\t' '$1 == "experiment" {
		for (i = 2; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] }
		queued += v["queued_ns"]; wall += v["wall_ns"]
	}
	END { print queued / wall; exit !(queued > 0.5 * wall && queued < (1 + threads) * wall) }' threads="$(($(getconf _NPROCESSORS_ONLN) + 2))" log
}
if test -e /proc/self/schedstat; then
	check 'and how long they queue' knows_who_queues
else
	skip 'and how long they queue' 'this kernel does not count it'
fi

# A control group that may use a quarter of the time of one processor.
make_group() {
	for hierarchy in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup; do
		group=$hierarchy/andweorc-test-$$
		mkdir "$group" 2>/dev/null || continue
		# Where only hierarchies of version 1 are mounted, the last of these is no group.
		if test -e "$group/cpu.cfs_quota_us"; then
			echo 25000 >"$group/cpu.cfs_quota_us" && return 0
		elif test -e "$group/cpu.max"; then
			echo '25000 100000' >"$group/cpu.max" && return 0
		fi
		rmdir "$group"
	done
	return 1
}

warns_of_a_quota() {
	printf '%s\n' '#!/bin/sh' "echo \$\$ >'$group/cgroup.procs' && exec \"\$@\"" >limited
	chmod +x limited
	under=./limited
	warns_of quota ./caveats none 1500
	under=
	has '^andweorc-record: warning: .* was stopped for that for [0-9]+ % of the time' err
}
if make_group; then
	check 'a limit of processor time' warns_of_a_quota
	rmdir "$group"
else
	skip 'a limit of processor time' 'there can be no control group with one'
fi

# Where the sampler has timers, time in the kernel is sampled, and there is no reason to warn.
sees_the_kernel() {
	warns_of '' ./caveats kernel 600
	has '^run	.*	kernel_sampled=1(	|$)' log
}
kernel_is_unseen() {
	program sandbox
	under='./sandbox under errno timer_create --'
	warns_of kernel-time ./caveats kernel 600
	under=
	has '^run	.*	kernel_sampled=0(	|$)' log
	has '^andweorc-record: warning: [0-9]+ % of the processor time was spent in the kernel, where it could not be sampled' err
}
case $(uname -m) in
x86_64)
	check 'a program that is mostly in the kernel' sees_the_kernel
	check 'the same, without timers' kernel_is_unseen
	;;
*) skip 'a program that is mostly in the kernel' 'timers are known to see that on x86' ;;
esac

# Whatever else the machine does: its neighbours are no threads of the program.
warns_of_nothing() {
	warns_of '' ./caveats none 600
}
check 'an honest program' warns_of_nothing

done_testing
