#!/bin/sh
# OpenMP: programs of gcc, gfortran and clang do under the recorder what they do
# without it, and a thread that waits for its team is seen to wait, also if its runtime spins.
. "$(dirname "$0")/lib.sh"

for name in $(env | sed -En 's/^((G?O|K)MP_[A-Za-z0-9_]*)=.*/\1/p'); do
	unset "$name"
done
OMP_NUM_THREADS=4
OMP_CANCELLATION=true
export OMP_NUM_THREADS OMP_CANCELLATION

# built COMPILER OUTPUT SOURCE [FLAG...]: is it there, with an OpenMP runtime?
built() {
	compiler=$1
	result=$2
	source=$3
	shift 3
	command -v "$compiler" >/dev/null && "$compiler" -O2 -g -fopenmp -I"$top/lib" "$@" -o "$result" "$programs/$source" 2>>build
}

# alike_inert POLICY PROGRAM [ARG...]: the same output and status with a runtime that is inert; the output is kept in `want`
alike_inert() {
	OMP_WAIT_POLICY=$1
	export OMP_WAIT_POLICY
	shift
	exits 0 "$@" >want
	exits 0 env LD_PRELOAD="$O/libandweorc.so" "$@" >got
	same want got
}

# alike_profiled PROGRAM [ARG...]: and profiled, with speedups going on
alike_profiled() {
	exits 0 andweorc-record -q -o log -r work -s 50 --window 10 -- "$@" >got 2>err
	same want got
	lacks 'was not profiled|no-sample' err
}

alike() {
	alike_inert "$@"
	shift
	alike_profiled "$@"
}

# alike_for_long POLICY PROGRAM: the same, with experiments.  On a machine that others use, four spinning threads make slow progress.
alike_for_long() {
	alike_inert "$1" "$2" 300
	for ms in 300 700 1500 6000 24000; do
		alike_profiled "$2" $ms
		if grep -q '^experiment.*speedup_pct=50' log; then
			return 0
		fi
	done
	echo 'no experiment'
	return 1
}

# The sum of KEY over all records RECORD of the log that match PATTERN.
sum() {
	awk -F '\t' -v record="$1" -v key="$2=" -v pattern="$3" '
		$1 == record && $0 ~ pattern {
			for (i = 2; i <= NF; i++)
				if (index($i, key) == 1)
					n += substr($i, length(key) + 1)
		}
		END {
			print n + 0
		}' log
}

# in_region PROGRAM MODE REGION POLICY: sets $all and $inside, the samples of all experiments and those in the region
in_region() {
	echo 'done' >want
	# On a machine that others use it takes longer until there is anything to say.
	for ms in 500 1500 4500 9000; do
		OMP_NUM_THREADS=2 OMP_WAIT_POLICY=$4 exits 0 andweorc-record -q -o log -m function -r "$3" -s 50 --window 10 -- \
			"./$1" $ms "$2" >got 2>err
		same want got
		all=$(sum experiment samples speedup_pct=50)
		inside=$(sum experiment region_samples speedup_pct=50)
		if test "$all" -ge 30; then
			break
		fi
	done
	echo "$inside of $all samples in $3"
	cat err
	test "$all" -ge 30
}

work_in_tasks_is_work() {
	in_region "$1" tasks work passive
	test $((inside * 2)) -gt "$all"
}

# Its master does nothing but wait, in the region.
spinning_is_waiting() {
	in_region "$1" idle waits active
	test $((inside * 10)) -lt "$all"
	blocked=$(sum sample count 'state=blocked.*class=lock')
	echo "$blocked samples of waiting"
	lacks spinning err
	test $((blocked * 10)) -gt "$all"
}

for compiler in gcc clang; do
	if ! built $compiler $compiler openmp.c; then
		skip "OpenMP of $compiler" 'it is not there, or has no OpenMP runtime'
		continue
	fi
	for policy in active $(is_long && echo passive); do
		check "loops, sections, locks, order, tasks, nested teams: $compiler, $policy" alike_for_long $policy "./$compiler"
	done
	check "work in tasks is work, wherever threads take them up ($compiler)" work_in_tasks_is_work $compiler
	check "spinning at a barrier is waiting ($compiler)" spinning_is_waiting $compiler
done

if built gcc old openmp-old.c; then
	check 'parallel regions as gcc once compiled them' alike passive ./old
else
	skip 'parallel regions as gcc once compiled them' 'no OpenMP runtime'
fi

if built gfortran fortran openmp.f90; then
	check 'a Fortran program' alike passive ./fortran
else
	skip 'a Fortran program' 'no gfortran, or no OpenMP runtime'
fi

plugins=
for compiler in gcc clang; do
	if built $compiler ./plugin-$compiler.so openmp-plugin.c -DPLUGIN -shared -fPIC; then
		plugins="./plugin-$compiler.so $plugins"
	fi
done
if test -n "$plugins" && gcc -O2 -g -o host "$programs/openmp-plugin.c" -ldl; then
	# shellcheck disable=SC2086 # several
	check 'plugins that bring runtimes of their own' alike passive ./host $plugins
else
	skip 'plugins that bring runtimes of their own' 'no OpenMP runtime'
fi

# Without the recorder, the OpenMP runtime uses the program's own tool.
tool_of_its_own() {
	cat >tool.c <<-'END'
	#include <stdio.h>

	void *ompt_start_tool(unsigned version, const char *runtime);

	void *ompt_start_tool(unsigned version, const char *runtime)
	{
		(void)version;
		(void)runtime;
		puts("asked");
		return NULL;
	}
	END
	gcc -O2 -shared -fPIC -o tool.so tool.c
	LD_PRELOAD="$PWD/tool.so" exits 0 ./clang >want
	has '^asked' want
	LD_PRELOAD="$O/libandweorc.so $PWD/tool.so" exits 0 ./clang >got
	same want got
}
if test -x clang; then
	check 'not profiled, the next tool is asked' tool_of_its_own
else
	skip 'not profiled, the next tool is asked' 'no OpenMP runtime of LLVM'
fi

# Weak references to OpenMP stay unresolved in a program without it.
without_runtime() {
	cat >weak.c <<-'END'
	#include <stdio.h>

	extern void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags) __attribute__((weak));
	extern void GOMP_barrier(void) __attribute__((weak));

	static void work(void *n)
	{
		for (int i = 0; i < 100000000; i++)
			__asm__ volatile("");
		if (GOMP_barrier)
			GOMP_barrier();
		*(int *)n += 1;
	}

	int main(void)
	{
		int n = 0;

		if (GOMP_parallel)
			GOMP_parallel(work, &n, 4, 0);
		else
			work(&n);
		printf("%d\n", n);
		return 0;
	}
	END
	gcc -O2 -g -o weak weak.c
	alike passive ./weak
}
at_once() {
	built gcc at-once at-once.c -pthread || exit 1
	alike_inert passive ./at-once
	grep -qx '8000 8000' want
}
check 'many threads that make their first call at the same time' at_once

check 'a program that asks whether there is an OpenMP runtime' without_runtime

done_testing
