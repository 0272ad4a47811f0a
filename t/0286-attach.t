#!/bin/sh
# -p: attaching to a process that runs already, and detaching.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

case $(uname -m) in
x86_64) ;;
*) skip_all 'it works on x86-64 only' ;;
esac

program attached
strip -o stripped attached || exit 1
echo 'int answer(void); int answer(void) { return 42; }' >library.c
gcc -O2 -shared -fPIC -o library.so library.c || exit 1
# Its constructor does not return before there is the file.
printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' '__attribute__((constructor)) static void slow(void)' '{' \
	'	for (int i = 0; i < 6000 && access(getenv("LIBRARY_UNTIL"), F_OK) != 0; i++)' '		usleep(10000);' '}' >slow.c
gcc -O2 -shared -fPIC -o slow.so slow.c || exit 1

# begin PROGRAM MODE: runs in the background, until end_well; $target is its number
begin() {
	rm -f over said complaints
	"./$1" "$2" "$PWD/over" >said 2>complaints &
	target=$!
	until_it_has said ready
}

# end_well MODE: it has found nothing wrong
end_well() {
	: >over
	set +e
	wait "$target"
	status=$?
	set -e
	cat complaints
	test "$status" -eq 0
	has "^$1 is well$" said
}

# In many containers nothing can be traced, or everything is under a filter.
begin attached idle
if ! andweorc-record -q -o log -d 0.2 -p "$target" >out 2>err && grep -Eq 'may not be traced|seccomp filter' err; then
	kill -KILL "$target"
	skip_all "processes cannot be attached to here: $(sed -n '1s/.*: //p' err)"
fi
: >over
wait "$target" || exit 1
grep -q '^idle is well$' said || exit 1

# attaches ARG...: goes well, and leaves a log that the tools which follow understand
attaches() {
	exits 0 timeout 60 andweorc-record -q -o log -p "$target" "$@" >out 2>all
	of_the_program all >err
	empty out
	lacks 'cannot|keeps the runtime|could not be reached' err
	has '^end	run=1	status=running	ended_by=recorder	' log
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# refuses_to ATTACH_TO WHY: in one line, with status 2
refuses_to() {
	exits 2 timeout 60 andweorc-record -q -o log -d 1 -p "$1" >out 2>err
	empty out
	has "^andweorc-record: cannot attach to process $1: $2" err
	test "$(wc -l <err)" -eq 1
}

# survives PROGRAM MODE: attached to and detached from, twice
survives() {
	begin "$1" "$2"
	for _ in 1 2; do
		attaches -d 0.2
		kill -0 "$target"
	done
	end_well "$2"
}

check 'calls that block: none fails, or ends early' survives attached calls
check 'a sleep of the only thread' survives attached alone
check 'threads that wait for each other' survives attached locks
check 'threads that take a lock by the million' survives attached counts
check 'handlers of signals that interrupt malloc' survives attached handlers
check 'threads that allocate all the time' survives attached malloc
check 'general and vector registers' survives attached registers
check 'threads that come and go' survives attached churn
check 'all signals blocked, and SIGTRAP of its own' survives attached masked
check 'a library that is loaded and unloaded' survives attached plugins
check 'children' survives attached fork
check 'a stripped program' survives stripped mixed

# Samples, events, the mark that had been come to before, and a prediction.
observes() {
	begin attached mixed
	attaches -d 0.8 -m function -r calculate
	end_well mixed
	has '^run	.*	command=\./attached%20mixed%20' log
	has '^process	.*	command=\./attached%20mixed%20' log
	has '^module	.*path=.*/attached$' log
	has '^point	.*name=sum	.*visits=[1-9]' log
	has '^point	.*name=turn	.*visits=[1-9]' log
	has '^point	.*name=byte	.*visits=[1-9]' log
	has '^sample	.*	state=cpu(	|$)' log
	has '^sample	.*	state=blocked(	|$)' log
	has '^events	' log
	has '^replay	point=sum	region=calculate	' analysis
}
check 'samples, events and marks are in the log, and are analysed' observes

# The second time, too, and the number of visits is that of the time.
again() {
	begin attached mixed
	attaches -d 0.5
	attaches -d 0.5
	field point sum visits >visits
	end_well mixed
	test "$(cat visits)" -gt 20
}
check 'a mark is counted when it is attached to again' again

points() {
	begin attached registers
	attaches -d 0.5 -P calculate
	end_well registers
	grep '^point' log
	test "$(field point calculate visits)" -gt 20
}
if has_breakpoints; then
	check '-P FUNCTION' points
else
	skip '-P FUNCTION' 'the processor does not count what it is asked to'
fi

calls_of_libraries() {
	begin attached malloc
	attaches -d 0.3 -P 'libc!malloc'
	end_well malloc
	test "$(field point 'libc!malloc' visits)" -gt 1000
}
check '-P LIBRARY!FUNCTION' calls_of_libraries

is_told_to_end() {
	begin attached mixed
	for signal in INT TERM; do
		rm -f log
		andweorc-record -q -o log -p "$target" >out 2>err &
		recorder=$!
		until_it_has log '^burst'
		kill -s $signal $recorder
		wait $recorder
		has '^end	run=1	status=running	ended_by=recorder	' log
	done
	end_well mixed
}
check 'it ends by SIGTERM' is_told_to_end

# is_killed MODE MS...: killed at any of these times, it leaves nothing that harms; and then, with $again, the target can be
# attached to again
is_killed() {
	mode=$1
	interrupted=0
	shift
	while test $# -gt 0; do
		begin attached "$mode"
		andweorc-record -q -o log -p "$target" >out 2>err &
		recorder=$!
		sleep "0.$1"
		kill -KILL $recorder
		wait $recorder 2>killed || :
		sleep 0.1
		# The one moment that inject.h tells of: then once more.
		if test -s complaints && ! grep -v 'errno 4 ' complaints; then
			wait "$target" || interrupted=$((interrupted + 1))
			test $interrupted -eq 1
			continue
		fi
		kill -0 "$target"
		test -z "${again:-}" || attaches -d 0.3
		end_well "$mode"
		shift
	done
}
# Each time may meet another step of attaching.
if is_long; then
	registers='012 024 028 034 060' locks='016 022 028 040' malloc='014 020 028 036' calls='018 026 028 050'
else
	registers='024 060' locks='016 028' malloc='014 028' calls='026 050'
fi
at_once=2
# shellcheck disable=SC2086 # words
{
	beside 'the recorder is killed: registers' is_killed registers $registers
	beside 'the recorder is killed: locks' is_killed locks $locks
	beside 'the recorder is killed: allocators' is_killed malloc $malloc
	beside 'the recorder is killed: calls that block' is_killed calls $calls
}
results

# ---- refusals ---------------------------------------------------------------------------

# These wait for seconds, beside those that follow.
at_once=8

ends_meanwhile() {
	begin attached idle
	(sleep 0.5; : >over) &
	exits 0 timeout 60 andweorc-record -q -o log -d 30 -p "$target" >out 2>err
	lacks 'cannot|keeps the runtime' err
	has '^end	run=1	status=unknown	wall_ns=' log
	end_well idle
}
beside 'it ends meanwhile' ends_meanwhile

preloaded() {
	rm -f over
	andweorc-record -q --attach-only -o first ./attached idle "$PWD/over" >out1 2>err1 &
	recorder=$!
	until_it_has first '^run'
	target=$(pgrep -P $recorder)
	refuses_to "$target" 'it is being recorded already$'
	kill -KILL $recorder
	wait $recorder || :
	refuses_to "$target" 'it was started with the runtime, by a recorder$'
	: >over
}
beside 'one that was started by a recorder' preloaded

# A parent of vfork(2) stops for nobody.
unstoppable() {
	begin attached vfork
	refuses_to "$target" 'no thread of it can load a library'
	end_well vfork
}
beside 'one that cannot be stopped' unstoppable

loading() {
	begin attached loading
	refuses_to "$target" 'its dynamic linker is busy'
	end_well loading
}
beside 'one whose dynamic linker is busy' loading

no_such() {
	sh -c 'exit 0' &
	gone=$!
	wait $gone
	refuses_to $gone 'there is no such process'
	for value in 0 -1 x 99999999999 ''; do
		exits 125 andweorc-record -q -o log2 -p "$value" >out 2>err
		has '^andweorc-record: bad process number ' err
	done
	exits 125 andweorc-record -q -o log2 -p 1 true 2>err
	has ': it cannot be used with a command;' err
	for options in '-n 2' '-P :run' '--given a=5'; do
		# shellcheck disable=SC2086 # words
		exits 125 andweorc-record -q -o log2 -p 1 $options 2>err
		has 'it cannot be used with ' err
	done
	test ! -e log2
}
check 'a process that is not there, a number that is none, what does not go together' no_such

traced() {
	begin attached idle
	gcc -O2 -D_GNU_SOURCE -x c -o tracer - <<-END
	#include <stdlib.h>
	#include <stdio.h>
	#include <sys/ptrace.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		if (argc < 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0)
			return 1;
		puts("traces");
		fflush(stdout);
		sleep(60);
	}
	END
	./tracer "$target" >tracing &
	tracer=$!
	until grep -q traces tracing; do
		sleep 0.05
	done
	refuses_to "$target" "it is being traced already, by process $tracer \\(tracer\\)$"
	kill $tracer
	wait $tracer || :
	attaches -d 0.3
	end_well idle
}
check 'one that is traced' traced

stopped() {
	begin attached idle
	kill -STOP "$target"
	refuses_to "$target" 'it is stopped'
	kill -CONT "$target"
	attaches -d 0.3
	end_well idle
}
check 'one that is stopped' stopped

recorded() {
	begin attached registers
	andweorc-record -q -o first -p "$target" >out1 2>err1 &
	recorder=$!
	until_it_has first '^run'
	refuses_to "$target" 'it is being recorded already$'
	kill $recorder
	wait $recorder
	has '^end' first
	attaches -d 0.5
	end_well registers
}
check 'one that is recorded already' recorded

filtered() {
	begin_filtered() {
		gcc -O2 -D_GNU_SOURCE -x c -o filtered - <<-END
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(void)
		{
			struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
			struct sock_fprog program = { 1, &allow };
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
				return 1;
			sleep(60);
		}
		END
		./filtered &
		filtered=$!
		sleep 0.3
	}
	begin_filtered
	refuses_to $filtered 'a seccomp filter is on'
	kill $filtered
}
check 'one with a seccomp filter' filtered

printf '%s\n' '#include <unistd.h>' 'int main(void) { sleep(60); }' >sleeper.c
if gcc -static -o static sleeper.c 2>/dev/null; then
	static() {
		./static &
		refuses_to $! 'it is statically linked'
		kill $!
	}
	check 'a static one' static
else
	skip 'a static one' 'there is no static libc'
fi
# pause(2), again and again.
printf '%s\n' '.globl _start' '_start: movl $29, %eax' 'int $0x80' 'jmp _start' >narrow.s
if as --32 -o narrow.o narrow.s 2>/dev/null && ld -m elf_i386 -o narrow narrow.o 2>/dev/null && { timeout 0.2 ./narrow || test $? -eq 124; }; then
	narrow() {
		./narrow &
		sleep 0.2
		refuses_to $! 'it is a 32-bit program'
		kill $!
	}
	check 'one of 32 bits' narrow
else
	skip 'one of 32 bits' 'they cannot run here'
fi
if command -v musl-gcc >/dev/null && musl-gcc -o musl sleeper.c 2>/dev/null; then
	musl() {
		./musl &
		sleep 0.2
		refuses_to $! 'its libc is musl'
		kill $!
	}
	check 'one of musl' musl
else
	skip 'one of musl' 'there is no musl'
fi
if unshare -m true 2>/dev/null && unshare -pf true 2>/dev/null; then
	elsewhere() {
		begin_elsewhere=$(dirname "$(command -v andweorc-record)")
		unshare -m sh -c "mount -t tmpfs none '$begin_elsewhere' && exec sleep 60" &
		elsewhere=$!
		sleep 0.5
		refuses_to $elsewhere "it does not see '.*/libandweorc.so'"
		kill $elsewhere
		unshare -pf sleep 60 &
		unshared=$!
		sleep 0.3
		refuses_to "$(pgrep -P $unshared)" 'it is in a pid namespace of its own'
		kill "$(pgrep -P $unshared)"
	}
	check 'one in other namespaces' elsewhere
else
	skip 'one in other namespaces' 'there can be none'
fi

results

# ---- one recorder after another ----------------------------------------------------------

# The memory of a killed recorder is somebody's for 3 s more.  Not beside each other: a thread that gets no processor is
# not reached.  The first one is killed while it records, the others while they attach.
again=1
check 'the recorder is killed, and there is another one: registers' is_killed registers 400
if is_long; then
	check 'the recorder is killed, and there is another one: locks' is_killed locks 028
	check 'the recorder is killed, and there is another one: allocators' is_killed malloc 028
fi
check 'the recorder is killed, and there is another one: calls that block' is_killed calls 028
again=

# Root may attach to anybody's process; who is not root, to his own.
if test "$(id -u)" -eq 0 && command -v setpriv >/dev/null; then
	anothers() {
		# All may read what it has to load.
		mkdir tools
		cp "$O/andweorc-record" "$O/libandweorc.so" attached tools
		chmod 755 . tools tools/*
		setpriv --reuid 65534 --regid 65534 --clear-groups sh -c './tools/attached registers & echo $! >&2; wait' >said 2>number &
		until_it_has said ready
		until_it_has number '^[0-9]'
		target=$(cat number)
		exits 0 tools/andweorc-record -q -o log -d 0.4 -m function -r calculate -p "$target" >out 2>err
		test "$(field point sum visits)" -gt 20
		exits 2 setpriv --reuid 65533 --clear-groups tools/andweorc-record -q -d 1 -p "$target" >out 2>err
		has "cannot attach to process $target: it belongs to user 65534; run the recorder as that user, or as root$" err
		exits 0 setpriv --reuid 65534 --regid 65534 --clear-groups tools/andweorc-record -q -d 0.4 -p "$target" >log 2>err
		test "$(field point sum visits)" -gt 20
		kill "$target"
	}
	check "another user's" anothers
else
	skip "another user's" 'that takes root'
fi

done_testing
