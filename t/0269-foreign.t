#!/bin/sh
# Programs that a sanitizer watches, and programs of another libc.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"

# ---- sanitizers ---------------------------------------------------------------------------

# Prints the sanitizer's findings, without process ids and addresses.
found() {
	sed -En 's/^SUMMARY: //p' "$1"
}

# watched SAMPLER PROGRAM MODE: same output, findings and status as bare, and there are samples
watched() {
	run "./$2" "$3" >bare 2>bare.err
	bare=$status
	LIFE_MS=60 run andweorc-record -q --sampler "$1" -o log -s 50 --window 10 -r labour -- "./$2" "$3" >profiled 2>err
	same bare profiled
	found bare.err >want
	found err >got
	same want got
	echo "$bare" >want
	echo "$status" >got
	same want got
	has '^sample	' log
	# Not twice: each of the 24 turns is one.  All samples may be in the sanitizer's functions, which it calls.
	exits 0 andweorc-resolve log >resolved 2>/dev/null
	has '^(sample|call)	.*	function=labour(	|$)' resolved
}

# gcc's sanitizers are libraries, clang's are in the program.  Both are tried.  What one kind of sanitizer finds is tried with one
# of the compilers, or, with LONG=1, with both.
for cc in gcc clang; do
	for kind in address thread; do
		if ! $cc -O1 -g -D_GNU_SOURCE -I"$top/lib" -Wno-unused-function -fsanitize=$kind -o $cc-$kind \
			"$programs/sanitized.c" -pthread 2>/dev/null || ! ./$cc-$kind threads >/dev/null 2>&1; then
			skip "$cc -fsanitize=$kind" 'cannot be built here, or does not run'
			continue
		fi
		case $cc-$kind in
		gcc-address) modes='threads forks overruns leaks' samplers=timer ;;
		clang-thread) modes='threads forks races' samplers=timer ;;
		*) modes=threads samplers= ;;
		esac
		if is_long; then
			modes='threads forks races overruns leaks' samplers=timer
		fi
		for mode in $modes; do
			check "$cc -fsanitize=$kind: $mode" watched perf $cc-$kind $mode
		done
		for sampler in $samplers; do
			check "$cc -fsanitize=$kind: threads, by timers" watched $sampler $cc-$kind threads
		done
	done
done

# The sanitizer's options are the user's, and any program may start the sanitized one.
options_stay() {
	exits 7 env ASAN_OPTIONS=exitcode=7 andweorc-record -q -o log -- sh -c './gcc-address overruns; exit $?' >got 2>err
	has '^SUMMARY: AddressSanitizer: heap-buffer-overflow' err
}
if test -x gcc-address; then
	check 'options of sanitizers are kept' options_stay
else
	skip 'options of sanitizers are kept' 'cannot be built here'
fi

# ---- another libc ---------------------------------------------------------------------------

musl() {
	cat >musl.c <<-'END_OF_C'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	static volatile unsigned sink;
	static void on_trap(int sig) { printf("signal %d\n", sig); }
	static void *work(void *arg)
	{
		for (unsigned i = 0; i < 20000000; i++)
			sink += i;
		return arg;
	}
	int main(int argc, char **argv)
	{
		char line[100] = "";
		pthread_t t;
		void *end;
		signal(SIGTRAP, on_trap);
		raise(SIGTRAP);
		pthread_create(&t, NULL, work, "thread");
		pthread_join(t, &end);
		puts(end);
		if (fgets(line, sizeof(line), stdin))
			fputs(line, stdout);
		return argc > 1 ? atoi(argv[1]) : 0;
	}
	END_OF_C
	exits 0 musl-gcc -O2 -o musl musl.c
	echo a line >in
	exits 3 ./musl 3 <in >want
	exits 3 andweorc-record -q -o log -- ./musl 3 <in >got 2>err
	same want got
	has "^andweorc-record: warning: './musl' was not profiled: its libc is musl" err
	test "$(wc -l <err)" -eq 1
	has '^warning	run=1	what=not-preloaded	' log
	has '^end	run=1	status=exit:3' log
	# Started by a program of glibc's, it inherits LD_PRELOAD.
	exits 3 andweorc-record -q -o log -- sh -c './musl 3; exit $?' <in >got 2>err
	same want got
}
if command -v musl-gcc >/dev/null; then
	check 'a program of musl runs as if we were not there' musl
else
	skip 'a program of musl runs as if we were not there' 'no musl-gcc'
fi

done_testing
