#!/bin/sh
# Programs that are linked statically, with libandweorc.a: same output as bare, and profiled like others.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"

rsp=$O/libandweorc.rsp
test -e "$rsp" || skip_all 'no libc.a to link with'

# So long does sync-locks repeat what it does.
export SYNC_MS=300

# linked NAME OPTION...: the program of t/program
linked() {
	name=$1
	shift
	exits 0 "${cc:-gcc}" -O1 -g -D_GNU_SOURCE -I"$top/lib" "$@" -o "$name" "$programs/$name.c" "@$rsp" -pthread 2>err
	lacks 'error|undefined|multiple definition' err
	readelf -lW "$name" >headers
	lacks INTERP headers
}

links() {
	for name in signals descriptors sandbox life eintr sync-locks $(is_long && echo threads); do
		linked $name -static -w
	done
}
check 'programs link' links

signals='crash-report stack-overflow tight-handlers mask-is-kept sigwait pselect storm jumps coroutines'
descriptors='close-all close-range dup-onto fork run-out'
sandbox='filter-kill filter-tight'
life='crash exit fork spawn many cancel'
for sampler in perf timer; do
	for mode in $signals; do
		check "signals $mode ($sampler)" alike $sampler signals $mode
	done
	for mode in $descriptors; do
		check "descriptors $mode ($sampler)" alike $sampler descriptors $mode
	done
	for mode in $sandbox; do
		check "sandbox $mode ($sampler)" alike $sampler sandbox $mode
	done
	for mode in $life; do
		check "life $mode ($sampler)" alike $sampler life $mode
	done
	check "streams that threads share ($sampler)" alike $sampler sync-locks streams
	# With timers, those modes that meet their signals and descriptors, and one of each other kind.
	if ! is_long; then
		signals='mask-is-kept sigwait pselect storm' descriptors='close-all fork run-out' sandbox=filter-kill life='exit fork cancel'
	fi
done

eintr() {
	exits 0 ./eintr quiet 20 >want
	recorded perf -r work -- ./eintr quiet 60
	test "$status" -eq 0
	same want profiled
	# Its waits have the right classes.
	has '^sample	.*	state=blocked	class=sleep' log
}
check 'calls that wait are accounted for, and never interrupted' eintr

is_profiled() {
	# shellcheck disable=SC2034
	long=300
	recorded perf -r work -- "./$1" plain
	test "$status" -eq 0
	lacks 'not-preloaded|no-samples' log
	has '^experiment	.*	speedup_pct=50' log
	has '^end	.*	visits1=[1-9]' log
	lacks 'was not profiled' err
}

# Of the program that is linked already.
inert() {
	echo plain >want
	exits 0 ./life plain >got
	same want got
	exits 0 env ANDWEORC_ARENA=/no/such/file ./life plain >got
	same want got
}
check 'inert without the recorder' inert

stripped() {
	strip life
	long=200 recorded perf -- ./life plain
	test "$status" -eq 0
	lacks 'was not profiled' err
	has '^sample	' log
}
check 'stripped' stripped

position_independent() {
	linked life -static-pie -fPIE -w
	is_profiled life
}
check 'position-independent' position_independent

by_clang() {
	cc=clang linked life -static -w
	is_profiled life
}
if command -v clang >/dev/null; then
	check 'by clang' by_clang
else
	skip 'by clang' 'it is not there'
fi

names_meet() {
	cat >names.c <<-'END_OF_C'
	/* Names that the runtime has too, for things of its own. */
	#include <stdio.h>
	int arena = 1, process = 2, real = 3, self = 4;
	int wait_begin(void);
	int wait_begin(void) { return 5; }
	int main(void) { printf("%d\n", arena + process + real + self + wait_begin()); return 0; }
	END_OF_C
	exits 0 gcc -O2 -g -static -o names names.c "@$rsp"
	exits 0 andweorc-record -q -o log -- ./names >got 2>err
	echo 15 >want
	same want got
}
check 'its names are its own' names_meet

done_testing
