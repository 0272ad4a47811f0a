#!/bin/sh
# MPI: collective calls as a progress point (-P :mpi).
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe

if ! mpicc -O2 -g -o ranks "$programs/ranks.c" 2>build || ! timeout 60 mpirun -n 2 ./ranks 1 1 1 barrier >build 2>&1; then
	skip_all 'no MPI here (openmpi-bin, libopenmpi-dev)'
fi

# The launcher and all of its ranks are one recording.
counts() {
	exits 0 timeout 60 andweorc-record -q -o log -m function -P :mpi -r slow -s 50 --window 20 -- \
		mpirun -n 2 ./ranks 400 2000 1000 "$1" >out 2>err
	has 'seconds=.* ranks=2' out
	test "$(field point :mpi kind)" = automatic
	test "$(field point :mpi visits)" -eq "$2"
	lacks 'no-such-point|unmarked' log
}
check 'MPI_Barrier: each rank counts' counts barrier 800
if is_long; then
	check 'MPI_Allreduce' counts allreduce 800
	check 'MPI_Bcast' counts bcast 800
fi

# A recorder for each rank (-l), and one analysis of all logs.
apart() {
	exits 0 timeout 100 andweorc-record -q -l ranks -o 'rank.%r' -m function -P :mpi -r slow -r fast -s 50 --window 20 -- \
		mpirun --allow-run-as-root --oversubscribe -n 2 ./ranks 1000 2000 1000 barrier >out 2>err
	for rank in 0 1; do
		has '^warning	run=1	what=ranks-apart	' rank.$rank
		has '^point	.*name=:mpi	.*visits=1000$' rank.$rank
	done
	test ! -e rank.2
	cat rank.0 rank.1 >both
	exits 0 andweorc-resolve both >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^curve	.*region=slow	' analysis
	has '^curve	.*region=fast	' analysis
}
check 'a log for each rank, and one analysis of all' apart

done_testing
