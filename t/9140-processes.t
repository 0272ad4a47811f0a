#!/bin/sh
# Predictions in programs of several processes, roughly: 8 s a program, tolerance
# 6 points.  (make accuracy looks closer.)  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

seconds=8
tolerance=6

over_pipes() {
	profile childpipe answer prepare
	predicts answer 25 25
	predicts answer 50 41.7
	predicts prepare 50 0
}
check 'a child that answers over pipes limits its parent' over_pipes

in_shared_memory() {
	profile prefork prepare task locked
	predicts prepare 50 8.6
	predicts task 50 15.7
	predicts locked 50 21.4
}
check 'pre-forked workers: what is done under the lock that they share counts for more' in_shared_memory

# Forking takes some of the round: 7 % on the machine of the measurement.
for_each_round() {
	profile children task rest
	predicts task 25 17.4
	predicts task 50 34.9
	predicts rest 50 11.6
}
check 'a child for each round, which is waited for' for_each_round

waits_for_strangers() {
	gcc -O2 -static -o nap -x c - <<-END
	#include <time.h>
	int main(void) { struct timespec t = { 0, 4000000 }; return nanosleep(&t, 0); }
	END
	gcc -O2 -g -std=c11 -D_GNU_SOURCE -I"$top/lib" -o outside "$programs/outside.c" -pthread
	profile ./outside ask digest
	predicts ask 25 13.5
	predicts ask 50 27
	predicts digest 50 23
}
check 'a child that is not profiled is waited for as a device is' waits_for_strangers

done_testing
