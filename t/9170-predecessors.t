#!/bin/sh
# Predictions for the programs by which predecessors show or test themselves: 20 s each, tolerance 3 points.  Runs alone.
# (`make predecessors` has the truth and Coz beside them.)
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

if test "$(nproc)" -lt 2; then
	skip_all 'two threads need two processors'
fi
seconds=20
tolerance=3

# OmniTrace allows itself 5 points, more where its numbers vary.  At 20 % both threads end at the same time: whatever makes
# one of them later, such as that a sample is credited as a whole, makes the round longer, never shorter.
of_omnitrace() {
	experiments='-s 0,10,20,30'
	profile fastslow slow fast
	predicts slow 10 10
	predicts slow 30 20
	predicts fast 10 0
	predicts fast 20 0
	predicts fast 30 0
	tolerance=4
	predicts slow 20 20
}

toy() {
	profile coztoy longer shorter
	predicts longer 25 4.5
	predicts longer 50 4.5
	predicts shorter 25 0
	predicts shorter 50 0
}

# Besides its work a round has threads that wake each other, 15 % of it.
producer_consumer() {
	tolerance=6
	profile cozqueue put take produce consume
	predicts put 25 8.5
	predicts put 50 17
	predicts take 25 14
	predicts take 50 28
	predicts produce 50 0
	predicts consume 50 0
}

lock_test() {
	profile cozlock inside outside
	predicts inside 25 25
	predicts inside 50 47.2
	predicts outside 25 0
	predicts outside 50 0
}

truth "OmniTrace's own test" of_omnitrace
truth "Coz's toy" toy
truth "Coz's producer_consumer" producer_consumer
truth "Coz's lock_test" lock_test

done_testing
