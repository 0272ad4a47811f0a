#!/bin/sh
# Predictions for OpenMP programs against the arithmetic truth: 15 s a program,
# tolerance 5 points.  Runs alone.
#
# A round is a parallel region, in which one thread works for 3 ms and the other
# for 1.5, and 1 ms of serial work.  The longer half counts until both are equal,
# the shorter one never, though it spins at the barrier just as long as it works.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

seconds=15

for name in $(env | sed -En 's/^((G?O|K)MP_[A-Za-z0-9_]*)=.*/\1/p'); do
	unset "$name"
done

an_unequal_team() {
	profile "$1" heavy light solo
	predicts heavy 25 18.8
	predicts heavy 50 37.5
	predicts light 50 0
	predicts solo 50 12.5
}

for program in openmp openmp-llvm; do
	if test -x "$O/t/workload/$program"; then
		check "the slower half of a parallel region counts, the faster one does not ($program)" an_unequal_team $program
	else
		skip "the slower half of a parallel region ($program)" 'its compiler has no OpenMP'
	fi
done

done_testing
