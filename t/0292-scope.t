#!/bin/sh
# --only and --exclude: which code may be regions.  Patterns alone: t/unit/scope-test.c.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

mkdir vendor || exit 1
cat >vendor/slow.c <<'END'
volatile double slow_sum;

static inline __attribute__((always_inline)) void inner(int n)
{
	for (int i = 0; i < n; i++)
		slow_sum += i;
}

void slow(int n)
{
	inner(n);
}
END
cat >main.c <<'END'
#include "andweorc.h"
void slow(int n);
volatile double own_sum;

static void own(int n)
{
	for (int i = 0; i < n; i++)
		own_sum += i;
}

int main(void)
{
	for (;;) {
		slow(200000);
		own(100000);
		ANDWEORC_PROGRESS("round");
	}
}
END
gcc -g -O1 -I"$top/lib" -o one main.c vendor/slow.c &&
	gcc -g -O1 -fPIC -shared -o libslow.so vendor/slow.c &&
	gcc -g -O1 -I"$top/lib" -o two main.c -L. -lslow -Wl,-rpath,"$PWD" || exit 1

# regions ARG...: what andweorc-record made regions of, FILE:LINE or FUNCTION, in `names`, when it has picked some twice
regions() {
	endless_until all_tried log -s 50 --window 10 "$@"
	are_named
}

are_named() {
	exits 0 andweorc-resolve log >resolved
	perl -ne '
		next unless /^region\t/;
		%f = map { split /=/, $_, 2 } grep { /=/ } split /\t|\n/;
		$f{file} =~ s{.*/}{};
		print $f{scope} eq "line" ? "$f{file}:$f{line}\n" : "$f{function}\n"' resolved | sort -u >names
}

all_of_the_program() {
	regions -- ./one
	has '^slow\.c:[56]$' names
	has '^main\.c:[78]$' names
}
check 'without a pattern, all code of the program may be regions' all_of_the_program

says_that_there_is_none() {
	has '^run	.*	scope=default	' log
}
check 'the log says the scope' says_that_there_is_none

# Work of code in the folder is charged to the line that calls it, even if it is inlined.
a_folder() {
	regions -x 'vendor/*' -- ./one
	lacks 'slow' names
	has '^main\.c:14$' names
	has '^main\.c:[78]$' names
}
check 'an excluded folder: its callers are charged' a_folder

# Of so short a recording the first half is a burst.
replayed() {
	exits 0 andweorc-record -q -d 1 --period 250 -o log -x 'vendor/*' -- ./one >out 2>err
	are_named
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^replay	.*region=main\.c:14	' analysis
	lacks '^replay	.*region=slow' analysis
}
check 'replay charges them, too' replayed

only_a_file() {
	regions --only main.c -- ./one
	lacks 'slow' names
	has '^main\.c:14$' names
	if is_long; then
		regions --only slow.c -- ./one
		lacks 'main' names
		has '^slow\.c:[56]$' names
	fi
}
check 'only a file' only_a_file

functions() {
	regions -m function -x 'vendor/*' -- ./one
	lacks 'slow|inner' names
	has '^own$' names
	if is_long; then
		regions -m function --only 'slow.?' -- ./one
		lacks 'own' names
		has '^inner$' names
	fi
}
check 'functions, by the file that they are in' functions

a_module() {
	regions -x 'libslow.so*' -- ./two
	lacks 'slow' names
	has '^main\.c:14$' names
	if is_long; then
		regions -m function --only 'libslow.so' -- ./two
		lacks 'own' names
		has '^inner$' names
	fi
}
check 'a module' a_module

both() {
	regions --only '*.c' -x main.c -- ./one
	lacks 'main' names
	has '^slow\.c:[56]$' names
}
check 'of what is named twice, it is excluded' both

nothing_left() {
	exits 0 andweorc-record -q -d 1 -o log --only nothing.c -- ./one >out 2>err
	are_named
	test ! -s names
}
check 'nothing may be left' nothing_left

# slow's own line is charged to its caller; code inlined into it stays a region of its own.
a_function() {
	regions --exclude-function slow -- ./one
	lacks '^slow\.c:11$' names
	has '^slow\.c:[56]$' names
	regions --exclude-function 'slo?' --exclude-function inner -- ./one
	lacks 'slow' names
	has '^main\.c:14$' names
	has '^main\.c:[78]$' names
	has '^run	.*	scope=--exclude-function%20slo\?%20--exclude-function%20inner	' log
}
check 'excluded functions: the lines that call them are charged' a_function

# The runtime speeds up the same code that the recorder charges: windows of the calling line have its samples.
sped_up() {
	awk -F'\t' "$awk_value"'$1 == "experiment" && number("speedup_pct") > 0 {
		samples += number("samples")
		hits += number("region_samples")
	}
	END { print samples + 0, hits + 0 }' log
}
has_sped_up() {
	test "$(sped_up | cut -d ' ' -f 1)" -gt 400
}

the_runtime_charges_them() {
	endless_until has_sped_up log --period 250 -r main.c:14 -s 50 --window 20 --exclude-function slow --exclude-function inner -- ./one
	sped_up | awk '{ exit !($1 > 100 && $2 > $1 / 4) }' || { grep '^experiment' log; return 1; }
}
check 'the runtime charges them, too' the_runtime_charges_them

only_functions() {
	regions --only-function own -- ./one
	lacks 'slow' names
	has '^main\.c:[78]$' names
	regions -m function --only-function inner -- ./one
	lacks 'own|slow' names
	has '^inner$' names
	if is_long; then
		regions -m function --exclude-function own -- ./one
		lacks 'own' names
		has '^(inner|slow)$' names
	fi
}
check 'only functions, and functions as regions' only_functions

without_debug_information() {
	gcc -O1 -I"$top/lib" -o bare main.c vendor/slow.c
	endless_until all_tried log -s 50 --window 10 --exclude-function own -- ./bare
	exits 0 andweorc-resolve log >resolved 2>err
	has '^region	.*function=slow' resolved
	lacks '^region	.*function=own' resolved
}
check 'functions that have a symbol alone' without_debug_information

# The loop of own() is on two lines: one is charged to the caller, and the other stays a region.
a_line() {
	regions -x main.c:7 -x 'main.c:8' -- ./one
	lacks '^main\.c:[78]$' names
	has '^main\.c:15$' names
	has '^slow\.c:[56]$' names
	regions --only main.c:7 --only main.c:8 -- ./one
	has '^main\.c:[78]$' names
	lacks 'slow|main\.c:1[0-9]' names
}
check 'lines' a_line

has_slow() {
	grep -q '^region	.*	symbol=slow' "$log"
}
has_own() {
	grep -q '^region	.*	symbol=own' "$log"
}

a_pattern_of_regions() {
	endless_until has_slow log -r '*' --exclude-function 'own' -- ./one
	has '^region	.*	symbol=slow' log
	lacks '^region	.*	symbol=own' log
	endless_until has_own log -r own --exclude-function own -- ./one
	has '^region	.*	symbol=own' log
}
check 'a pattern of -r means nothing that is excluded, and a name does' a_pattern_of_regions

# The line that calls it is the region, and earns in the process what its samples say: without, it would be worth nothing.
# So in the second run, too, whose arena is a new one.
cat >calls.c <<'END'
#include "andweorc.h"
void slow(int n);

int main(void)
{
	for (int i = 0; i < 700; i++) {
		slow(500000); /* here */
		ANDWEORC_PROGRESS("round");
	}
}
END
gcc -g0 -O1 -c -o slow.o vendor/slow.c && gcc -g0 -O1 -fPIC -shared -o libbare.so vendor/slow.c &&
	gcc -g -O1 -I"$top/lib" -o static calls.c slow.o &&
	gcc -g -O1 -I"$top/lib" -o dynamic calls.c -L. -lbare -Wl,-rpath,"$PWD" || exit 1
line=$(grep -n here calls.c | cut -d : -f 1)

# earns RUN: most samples of windows with the region sped up are its own
earns() {
	awk -F '\t' -v run="$1" '
	$1 == "experiment" { for (i in f) delete f[i]; for (i = 2; i <= NF; i++) { split($i, kv, "="); f[kv[1]] = kv[2] }
		if (f["run"] == run && f["speedup_pct"] > 0) { all += f["samples"]; own += f["region_samples"] } }
	END { print "run " run ": " own + 0 " of " all + 0; exit !(all > 10 && own > 0.8 * all) }' log
}

without_lines() {
	for program in static dynamic; do
		runs=2
		if test $program = static && ! is_long; then
			runs=1
		fi
		recording log -n $runs -d 60 -s 50 --window 10 -r "calls.c:$line" -- "./$program"
		for run in $(seq $runs); do
			earns "$run"
		done
	done
}
check 'code of the program without lines counts for the line that calls it' without_lines

no_pattern() {
	exits 125 andweorc-record -x '' -- ./one >out 2>err
	has "bad pattern ''" err
	exits 125 andweorc-record --exclude-function '' -- ./one >out 2>err
	has "bad pattern ''" err
	exits 125 andweorc-record --only-function '' -- ./one >out 2>err
	has "bad pattern ''" err
}
check 'an empty pattern is an error' no_pattern

done_testing
