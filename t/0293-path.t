#!/bin/sh
# -r 'a;b;c': time in c as called by b as called by a.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

# work() takes 3 parts of the time below left(), 1 below right(), and 1 below right() by way of between().
cat >calls.c <<'END'
#include "andweorc.h"
#include <stdlib.h>
volatile double sum;

__attribute__((noipa)) void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

__attribute__((noipa)) void left(void)
{
	work(300000);
	sum++;
}

__attribute__((noipa)) void between(void)
{
	work(100000);
	sum++;
}

static inline __attribute__((always_inline)) void inlined(void)
{
	work(100000);
	sum++;
}

__attribute__((noipa)) void right(void)
{
	inlined();
	between();
	sum++;
}

/* A jump at its end: only the call of it is on the stack. */
__attribute__((noipa)) void jumps(void)
{
	work(100000);
}

__attribute__((noipa)) void down(int n)
{
	if (n > 0)
		down(n - 1);
	else
		work(100000);
	sum++;
}

int main(int argc, char **argv)
{
	(void)argv;
	for (;;) {
		left();
		right();
		if (argc > 1) {
			jumps();
			down(2);
		}
		ANDWEORC_PROGRESS("round");
	}
}
END
gcc -O2 -g -foptimize-sibling-calls -I"$top/lib" -o calls calls.c || exit 1
work_line=$(grep -n 'sum += i' calls.c | cut -d : -f 1)

# share PATH: its percentage of the samples, and that of the samples in its windows
shares() {
	awk -F'\t' "$awk_value"'
	$1 == "region" { name[value("id")] = value("symbol") }
	$1 == "share" { share[value("region")] = 100 * number("samples") / number("total") }
	$1 == "experiment" && number("speedup_pct") > 0 {
		samples[value("region")] += number("samples")
		hits[value("region")] += number("region_samples")
	}
	END {
		for (id in name)
			printf "%s %.0f %.0f\n", name[id], share[id], samples[id] ? 100 * hits[id] / samples[id] : -1
	}' log >shares
}

# is PATH PCT: of the samples, by the recorder and by the runtime, within 6 points
is() {
	awk -v name="$1" -v want="$2" '
	$1 == name {
		found = 1
		good = $2 >= want - 6 && $2 <= want + 6 && $3 >= want - 6 && $3 <= want + 6
	}
	END { exit !(found && good) }' shares || { echo "not $2: $1"; cat shares; return 1; }
}

tells_callers_apart() {
	recording log -d 2 --period 250 -m function -s 50 --window 60 -r 'left;work' -r 'right;work' -r 'right;between;work' -r 'inlined;work' \
		-r 'main;right;inlined;work' -r 'work' -- ./calls
	empty err
	shares
	is work 100
	is 'left;work' 60
	is 'right;work' 40
	is 'right;between;work' 20
	is 'inlined;work' 20
	is 'main;right;inlined;work' 20
}
check 'callers are told apart, with others between them and inlined' tells_callers_apart

# Half of 7 parts: left 3, right 2, jumps 1, down 1.
follows_jumps_and_recursion() {
	recording log -d 2 --period 250 -m function -s 50 --window 60 -r 'jumps;work' -r 'down;down;down;work' -r 'left;down;work' \
		-r 'right;left;work' -r 'down;down;down;down;work' -- ./calls more
	shares
	is 'jumps;work' 14
	is 'down;down;down;work' 14
	is 'left;down;work' 0
	is 'right;left;work' 0
	is 'down;down;down;down;work' 0
}
check 'a jump at the end of a caller, recursion, and callers in another order' follows_jumps_and_recursion

# Of the samples in work(), the line of the loop has some, too: up to 13 %, depending on the processor.
has_lines() {
	recording log -d 2 --period 250 -s 50 --window 60 -r "left;calls.c:$work_line" -r "right;between;calls.c:$work_line" \
		-r "calls.c:$work_line" -- ./calls
	shares
	line=$(sed -n 's/^work \([0-9]*\) .*/\1/p' shares)
	test "$line" -ge 80
	is "left;calls.c:$work_line" $((line * 60 / 100))
	is "right;between;calls.c:$work_line" $((line * 20 / 100))
}
check 'a line at the end' has_lines

# The recorder notes the events of a second, too; replay of them uses the same regions.
is_replayed() {
	recording log -m function --attach-only -d 2 --period 250 -r 'left;work' -r 'right;work' -- ./calls
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	for path in 'left;work 30' 'right;work 20'; do
		awk -F'\t' -v name="${path% *}" -v want="${path#* }" "$awk_value"'
		$1 == "replay" && value("region") == name && number("speedup_pct") == 50 { found = 1; got = number("gain_pct") }
		END { exit !(found && got > want - 4 && got < want + 4) }' analysis || { grep '^replay' analysis; return 1; }
	done
}
check 'replay has call paths' is_replayed

# The same log.
has_names() {
	exits 0 andweorc-resolve resolved >again
	same resolved again
	has '^region	.*	scope=function	.*	symbol=left;work	.*	function=left;work	.*file=.*/calls\.c	line=' resolved
	exits 0 andweorc-analyze --format text resolved >text
	has 'left;work' text
}
check 'resolve and analyze name them' has_names

is_given() {
	endless_until all_tried log -m function -s 50 --window 60 --given 'right;work=40' -r left -- ./calls
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^impact	.*point=round%20\(given%20right;work%2040%20%25%20faster\)' analysis
}
check '--given: a call path is faster all the time' is_given

finds_nothing() {
	exits 125 andweorc-record -q -o log -r 'left;wrok' -- ./calls >out 2>err
	has "no code of the program or its libraries is called 'wrok' \(of 'left;wrok'\); did you mean .*'work'" err
	exits 125 andweorc-record -q -o log -r 'nobody_at_all;work' -- ./calls >out 2>err
	has "is called 'nobody_at_all' \(of " err
}
check 'a part that nothing is called' finds_nothing

# apply() is inlined into outer(), and calls a closure of outer().  So the closure is not outer(), called by apply().
has_closures() {
	cat >closure.rs <<-'RS'
		use std::hint::black_box;
		#[inline(never)]
		fn work(n: u64) -> u64 {
		    (0..n).fold(0, |sum, i| black_box(sum + i))
		}
		#[inline(always)]
		fn apply(f: impl Fn() -> u64) -> u64 {
		    f() + 1
		}
		#[inline(never)]
		fn outer() -> u64 {
		    apply(|| work(20000) + 1)
		}
		fn main() {
		    loop {
		        black_box(outer());
		    }
		}
	RS
	exits 0 rustc --edition 2021 -O -g -o closure closure.rs
	recording log -d 2 --period 250 -m function -s 50 --window 60 -r 'outer;work' -r 'outer;apply;work' -r 'apply;outer;work' -- ./closure
	shares
	is 'outer;work' 100
	is 'outer;apply;work' 100
	is 'apply;outer;work' 0
}
if rustc --version >/dev/null 2>&1; then
	check 'a closure that is inlined is not the function around it' has_closures
else
	skip 'a closure that is inlined is not the function around it' 'no rustc'
fi

check 'bad call paths' refuses -r ';' 'a;' ';b' 'a;;b' ':io;b' 'a;:lock' 'a;b;c;d;e;f;g;h;i'

done_testing
