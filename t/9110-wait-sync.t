#!/bin/sh
# Threads that wait for another one of the recording, other than at a descriptor (t/9100):
# predictions for two that take turns, in each way there is, 2 s a way; for three programs
# of known truth; and for two with locks of pthread's (others: t/9000).  Tolerance 6 points;
# were the other one not seen, its work would be predicted to be worth nothing.
# Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

seconds=2
tolerance=6
experiments='-s 0,50 --window 100'

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o handover "$programs/handover.c" -pthread || exit 1

# Half of `answer` is 30.8 % of a round, less two wake-ups of 10 to 50 us.
by() {
	WAY=$1
	export WAY
	profile ./handover answer
	predicts answer 50 29.8
}

check 'semaphores, two processes' by semaphore-fork
check 'named semaphores, two processes' by named-fork
check 'futexes' by futex
check 'futexes, two processes' by futex-fork
check 'futexes, waiters being moved' by moved
check 'condition variables of C11' by c11
check 'a flag, declared' by flag
check 'signals to threads, waited for' by signal
check 'signals to processes, waited for' by signal-fork
check 'signals, with a handler' by suspend

# Three threads, of which two alternate; they meet at a lock as well.
a_hand_off() {
	seconds=6
	profile handoff give aside
	predicts give 50 30
	predicts aside 50 0
}

# A ring between two threads, the slower of which counts, until the other one is the slower.
a_ring() {
	seconds=5
	profile semaphore consume produce
	predicts consume 50 41.7
	predicts produce 50 0
}

# One sleeps, and one spins until then.
a_spin() {
	seconds=6
	profile spinflag nap spin
	predicts nap 50 26.3
	predicts spin 50 0
}

check 'futexes of one'\''s own' a_hand_off
check 'a ring counted by semaphores' a_ring
check 'a sleep while another thread spins' a_spin

# Two unlike threads at one lock.  Each must get the pauses that the other one causes in the middle of its work before it takes the
# lock.
unlike_threads() {
	seconds=8 experiments='-s 0,25,50'
	profile unlike apart_long
	predicts apart_long 50 20.4
	predicts apart_long 25 7.9
}

# With the work inside at 40 %, the mutex is no bottleneck, and the work outside is 5/8 of a round, less what
# the two threads still wait: 14.5 when both are really made shorter.
a_mutex_that_is_no_bottleneck() {
	seconds=10 experiments='-s 0,25,50 --given inside=60'
	profile mutex outside
	predicts outside 25 14.5 'round%20(given%20inside%2060%20%25%20faster)'
}

# A pipeline of more threads than processors, which are preempted and wait for one another: each stage by its share, but
# for what the others then wait (measured: 24.6 to 26).  Its rounds differ by 4 %, wherever it runs: it takes longer.
stages() {
	seconds=10
	profile stages take refine
	predicts refine 50 25.3
	predicts refine 25 12.5
	predicts take 50 8
}

tolerance=5
truth 'stages of a pipeline that share processors count by their share' stages
truth 'what a thread earns before a lock of others is known to those' unlike_threads
truth 'work outside a mutex counts once the work inside is faster' a_mutex_that_is_no_bottleneck

done_testing
