#!/bin/sh
# Parallel regions of OpenMP as a progress point (-P :parallel).
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

for name in $(env | sed -En 's/^((G?O|K)MP_[A-Za-z0-9_]*)=.*/\1/p'); do
	unset "$name"
done
OMP_NUM_THREADS=2
OMP_MAX_ACTIVE_LEVELS=2
export OMP_NUM_THREADS OMP_MAX_ACTIVE_LEVELS

# Loops, a region inside of another, which is no region of its own, and one of one thread.
cat >regions.c <<'END_OF_C'
#include <stdlib.h>
static volatile unsigned sink;
void work(int n);
__attribute__((noinline)) void work(int n)
{
	unsigned x = 1;

	for (int i = 0; i < n; i++)
		x = x * 1664525 + 1013904223;
	sink = x;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;

	for (int r = 0; r < rounds; r++) {
#pragma omp parallel for schedule(dynamic)
		for (int i = 0; i < 4; i++)
			work(100000);
#pragma omp parallel num_threads(2)
		{
#pragma omp parallel num_threads(2)
			work(1000);
		}
#pragma omp parallel num_threads(1)
		work(1000);
	}
	return 0;
}
END_OF_C

counts() {
	# Longer, until windows are opened and closed there.
	for rounds in 300 3000 30000; do
		exits 0 andweorc-record -q -o log -m function -P :parallel -r work -s 50 --window 20 -- ./regions $rounds >out 2>err
		test "$(field point :parallel kind)" = automatic
		test "$(field point :parallel visits)" -eq $((3 * rounds))
		lacks 'no-such-point|unmarked' log
		windows=$(field visits :parallel count | wc -l)
		if test "$windows" -gt 0; then
			break
		fi
	done
	test "$windows" -gt 0
}
for compiler in gcc clang; do
	if command -v $compiler >/dev/null && $compiler -O2 -g -fopenmp -o regions regions.c 2>build && ./regions 1 2>>build; then
		check "each end of a region, but for those inside of others ($compiler)" counts
	else
		skip "each end of a region, but for those inside of others ($compiler)" 'no OpenMP'
	fi
done

in_vain() {
	gcc -O2 -g -o plain "$programs/points.c" -I"$top/lib" -pthread -ldl
	exits 0 andweorc-record -q -o log -m function -P :parallel -r work -- ./plain steady 300 >out 2>err
	has "no progress point at ':parallel': no parallel region of OpenMP has ended" err
	has '^warning	run=1	what=no-such-point	' log
}
check 'a program without OpenMP' in_vain

done_testing
