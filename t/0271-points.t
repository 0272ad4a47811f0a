#!/bin/sh
# Places in code as progress points (-P), and names that are not the program's own.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cc='gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE'
program points
cat >in_plugin.c <<'END_OF_C'
static volatile unsigned sink;

void in_plugin(void);
void in_plugin(void)
{
	sink++;
}
END_OF_C
$cc -shared -fPIC -o plugin.so in_plugin.c || exit 1

unminded='ended before an experiment'
# record ARG...: a recording into `log`
record() {
	recording log -m function "$@"
}

# share REGION: its part of the samples, in per cent
share() {
	awk -F'\t' -v symbol="symbol=$1" '
	$1 == "region" { for (i = 2; i <= NF; i++) if ($i == symbol) id = substr($2, 4) }
	$1 == "share" { split($3, r, "="); split($4, s, "="); split($5, t, "="); of[r[2]] = s[2]; all[r[2]] = t[2] }
	END { print id != "" && all[id] ? int(100 * of[id] / all[id]) : "none" }' log
}

says() {
	what=$1
	has "$2" err
	has "^warning.*what=$what	" log
}

(record -P unit -- ./points steady 20) # in a process of its own: it changes how this one fails
if ! has_breakpoints; then
	if by_probes unit; then
		skip_all 'no breakpoints here, and probes of the kernel instead'
	fi
	refused() {
		if grep -q '	sampler=perf	' log; then
			why='this machine takes breakpoints, but never hits them'
		else
			why='breakpoints need perf'
		fi
		says no-such-point "no progress point at 'unit': $why"
	}
	check 'without breakpoints the reason is said' refused
	done_testing
fi

# ---- visits ----------------------------------------------------------------------------

# counts MODE N VISITS: each visit is counted, from the first instruction of the program to its last
counts() {
	record -P unit -r work --window 20 -s 50 -- ./points "$1" "$2"
	empty err
	test "$(field point unit kind)" = breakpoint
	test "$(field point unit visits)" -eq "$3"
}
check '-P FUNCTION: all visits are counted' counts steady 150 150
check 'those of several threads' counts threads 50 150
check 'those of a forked child' counts forks 75 150
check 'those of a program that is exec.d' counts execs 75 150
check 'those of a program that runs others' counts system 100 100

counts_a_line() {
	line=$(grep -n 'sink += 5' "$programs/points.c" | cut -d: -f1)
	record -P "points.c:$line" -r work --window 20 -s 50 -- ./points allocates 200
	empty err
	test "$(field point "points.c:$line" visits)" -eq 201
}
check '-P FILE:LINE' counts_a_line

opens_windows() {
	for n in 500 2000 8000; do
		record -P unit -r work --window 50 -s 50 -- ./points steady $n
		if test "$(field visits unit count | wc -l)" -ge 4; then
			break
		fi
	done
	field visits unit kind | sort -u >got
	echo throughput >want
	same want got
	test "$(field visits unit count | wc -l)" -ge 4
}
check 'windows open and close there' opens_windows

says_the_cost() {
	cost=$(field point unit cost_ns)
	test "$cost" -gt 100
	test "$cost" -lt 1000000
}
check 'the log says what a hit costs' says_the_cost

# ---- refusals ---------------------------------------------------------------------------

# A fifth of a processor is too much, yet little enough that the recorder needs a while to notice, also on a half loaded one.
is_too_hot() {
	WARM_US=$((4 * $(field point unit cost_ns) / 1000 + 1))
	export WARM_US
	n=$((1500000 / WARM_US / 10 * 10))
	record -P tiny -r work --window 50 -s 50 -- ./points warm $n
	says point-too-hot "^andweorc-record: warning: the progress point 'tiny' is given up: [0-9]+ visits a second at [0-9]+ us each"
	test "$(field point tiny given_up)" = too-hot
	test "$(field point tiny visits)" -lt $((n / 2))
	echo "tiny=$n" >want
	same want out
	# The other point is still counted.
	test "$(field point slow visits)" -eq $((n / 10))
	test "$(field visits slow count | wc -l)" -ge 5
}
check 'a point that costs more than 5 % is given up, with its rate and cost' is_too_hot

is_far_too_hot() {
	start=$(date +%s)
	record -P tiny -r work --window 50 -s 50 -- ./points hot 10000000
	says point-too-hot "^andweorc-record: warning: the progress point 'tiny' is given up"
	# 10,000,000 hits would take more than a minute.
	test $(($(date +%s) - start)) -lt 30
	test "$(field point tiny visits)" -lt 100000
	test "$(field point slow visits)" -eq 10000
	test "$(field visits slow count | wc -l)" -ge 1
}
check 'ten million hits a second do not hang the program' is_far_too_hot

has_four() {
	record -P unit -P work -P tiny -P another -P worker -r work --window 20 -- ./points steady 100
	# Those who may have probes of the kernel for more: see t/0291.
	if test -z "$(field point worker visits)"; then
		says no-such-point "no progress point at 'worker': the processor has four breakpoints in all"
	fi
	test "$(field point unit visits)" -eq 100
	test "$(field point another visits)" -eq 1
}
check 'four points; of a fifth the reason is said, where it is none' has_four

is_not_there() {
	record -P nobody_is_called_so -r nor_so -P unit -- ./points steady 50
	says no-such-point "no progress point at 'nobody_is_called_so': no code of the program or its libraries is called so"
	says no-such-region "no code of the program or its libraries is called 'nor_so'"
}
check 'of names that nothing has the reason is said' is_not_there

needs_perf() {
	record --sampler timer -P unit -- ./points steady 50
	says no-such-point "no progress point at 'unit': breakpoints need perf, which is not used"
}
check 'of points without perf, too' needs_perf

# ---- code that is not the program's own -------------------------------------------------------

in_libc() {
	# qsort itself is little more than a jump to qsort_r, and is not on the stack while that sorts.
	record -P qsort -r qsort_r -r work --window 20 -s 50 -- ./points sorts 300
	empty err
	test "$(field point qsort visits)" -eq 300
	has '^region.*symbol=qsort_r' log
	test "$(share qsort_r)" -gt 20
	test "$(share qsort_r)" -lt 90
}
check 'a function of libc is point and region' in_libc

in_line_mode() {
	exits 0 andweorc-record -q -o log -m line -P qsort -r qsort_r --window 20 -s 50 -- ./points sorts 300 >out 2>err
	test "$(share qsort_r)" -gt 20
}
check 'also when regions are lines' in_line_mode

is_unseen() {
	record -P unit -r another -r work --window 20 -s 50 -- ./points steady 700
	says unseen-region "no sample was in 'another': it takes no time, or"
	lacks "in 'work'" err
}
check 'a region that is never seen is said to be so' is_unseen

in_a_plugin() {
	record -P in_plugin -r work --window 20 -s 50 -- ./points plugin 600
	empty err
	# It does not wait, so some visits come before the recorder has seen it.
	test "$(field point in_plugin visits)" -gt 100
}
check 'a function of a library that is loaded later' in_a_plugin

stripped() {
	strip -o bare points
	record -P qsort -r qsort_r --window 20 -s 50 -- ./bare sorts 300
	empty err
	test "$(field point qsort visits)" -eq 300
	test "$(share qsort_r)" -gt 20
	record -P unit -- ./bare steady 50
	says no-such-point "no progress point at 'unit': no code"
}
check 'a stripped program: what it calls by name' stripped

lzma() {
	head -c 150000 /dev/urandom | od -x >real
	cat "$top"/lib/*/*.c >>real
	exits 0 xz -k -1 -c real >want
	exits 0 andweorc-record -q -o log -m function -P lzma_code -r lzma_code --window 20 -s 50 -- xz -k -1 -c real >got 2>err
	same want got
	test "$(field point lzma_code kind)" = call
	test "$(field point lzma_code visits)" -gt 50
	test "$(share lzma_code)" -ge 80
}
if command -v xz >/dev/null && ldd "$(command -v xz)" | grep -q liblzma; then
	check 'a program of the distribution: xz' lzma
else
	skip 'a program of the distribution: xz' 'it is not there, or without liblzma'
fi

# ---- :alloc ----------------------------------------------------------------------------------

allocates() {
	record -P another -r :alloc -r work --window 20 -s 50 "$@"
	empty err
	has '^region.*scope=class	symbol=:alloc$' log
	test "$(share :alloc)" -gt 10
	# Little time is neither work nor allocation.
	test $(($(share :alloc) + $(share work))) -ge 90
}
check ':alloc is the time in malloc and free' allocates -- ./points allocates 500

cat >own.c <<'END_OF_C'
#include <stddef.h>
#include <string.h>

/* Never gives back, and is slow: it looks at what it gives. */
static char pool[1 << 20];
static size_t used;

void *malloc(size_t n)
{
	n = (n + 31) & ~(size_t)15;
	if (used + n > sizeof(pool))
		used = sizeof(pool) / 2;
	used += n;
	memset(pool + used - n, 0, n);
	return pool + used - n;
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

void *realloc(void *p, size_t n)
{
	return p ? memcpy(malloc(n), p, n) : malloc(n);
}
END_OF_C
own_allocator() {
	$cc -fno-builtin -I"$top/lib" -o own own.c "$programs/points.c" -pthread -ldl
	allocates -- ./own allocates 500
}
check ':alloc is what the program itself has for it' own_allocator

jemalloc=$(find /usr/lib -name 'libjemalloc.so.2' 2>/dev/null | head -n 1)
if test -n "$jemalloc"; then
	jemallocates() {
		export LD_PRELOAD="$jemalloc"
		allocates -- ./points allocates 500
	}
	check ':alloc is jemalloc, when that is preloaded' jemallocates
else
	skip ':alloc is jemalloc, when that is preloaded' 'libjemalloc is not there'
fi

done_testing
