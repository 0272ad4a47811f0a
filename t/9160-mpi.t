#!/bin/sh
# Predictions for ranks of MPI, which wait for each other by spinning: 15 s, tolerance 10 points.  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

tolerance=10

OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe

if test "$(nproc)" -lt 2; then
	skip_all 'two ranks need two processors'
fi
if ! mpicc -O2 -g -o ranks "$programs/ranks.c" 2>build || ! timeout 60 mpirun -n 2 ./ranks 1 1 1 barrier >build 2>&1; then
	skip_all 'no MPI here (openmpi-bin, libopenmpi-dev)'
fi

# Rank 0 takes four times as long as rank 1, and each waits for the other: half of the longer one is half of the round,
# half of the shorter one nothing.
the_slow_one_counts() {
	analysis_of -d 15 -P :mpi -r slow -r fast -s 0,50 -- mpirun -n 2 ./ranks 1000000 4000 1000 "$1"
	predicts slow 50 50 :mpi
	predicts fast 50 0 :mpi
}
check 'who waits in MPI_Barrier is of no use' the_slow_one_counts barrier

done_testing
