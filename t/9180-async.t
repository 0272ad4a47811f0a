#!/bin/sh
# Predictions for tasks that go from thread to thread: of tokio, and coroutines of C++20.  5 s a program, tolerance 6 points.
# Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
home=$HOME
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"
. "$top/t/async.sh"

tolerance=6

if test "$(nproc)" -lt 2; then
	skip_all 'two threads need two processors'
fi

# of_tokio WAY LONG SHORT: what half of `long`, and half of `short`, are worth
of_tokio() {
	WAY=$1
	export WAY
	profile ./tasks tasks::long tasks::short
	predicts tasks::long 50 "$2"
	predicts tasks::short 50 "$3"
}

# In the first and the last, a task that the other one makes ready goes on in the same thread: the two take turns.
if make_tasks; then
	truth 'tokio: a task that fills a channel, and one that empties it' of_tokio channel 31.2 18.8
	truth 'tokio: tasks that leave their thread in between' of_tokio moves 31.2 18.8
	truth 'tokio: two tasks that are awaited' of_tokio joins 40 0
	truth 'tokio: a task that awaits an answer' of_tokio asks 31.2 18.8
else
	skip 'tokio' 'no cargo, or no librust-tokio-dev'
fi

# What coroutines call, and each of them as a whole.
coroutines() {
	profile coroutines 'use()' 'make()'
	predicts 'use()' 50 31.2
	predicts 'make()' 50 18.8
	profile coroutines consumer producer
	predicts '(anonymous%20namespace)::consumer((anonymous%20namespace)::slot&)' 50 31.2
	predicts '(anonymous%20namespace)::producer((anonymous%20namespace)::slot&)' 50 18.8
}
truth 'C++20: coroutines, in whichever thread is free' coroutines

done_testing
