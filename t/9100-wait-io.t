#!/bin/sh
# Threads that wait at a descriptor for another one of the recording: predictions for two
# that take turns, over each kind of wire.  2.5 s a wire, 5 s for a device,
# tolerance 6 points; were the other end taken for the outside, its work would
# be predicted to be worth nothing.  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

seconds=2.5
tolerance=6
experiments='-s 0,50 --window 100'

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o alternate "$programs/alternate.c" -pthread -lrt || exit 1

# Half of `answer` is 30.8 % of a round, less two wake-ups of 10 to 50 us.
over() {
	WIRE=$1
	export WIRE
	profile ./alternate answer
	predicts answer 50 29.8
}

over_pipe() {
	over pipe
	profile ./alternate prepare
	predicts prepare 50 18.6
}

check 'pipe' over_pipe
check 'event counters, two processes' over eventfd-fork
check 'socket pair, two processes' over pair-fork
check 'Unix socket' over unix
check 'TCP, two processes' over tcp6-fork
check 'UDP' over udp
check 'message queues' over queue
check 'poll' over poll
check 'epoll' over epoll
if WIRE=ring ./alternate --visits 2 >refused; then
	check 'io_uring' over ring
else
	skip 'io_uring' 'not allowed here'
fi
check 'lines of stdio, two processes' over lines-fork
check 'pseudo-terminal, two processes' over terminal-fork

# The reverse: a process that is not recorded is the outside, and waiting for it can be the region.
a_device() {
	seconds=5
	profile device ask
	predicts ask 50 28.6
}
check 'a device' a_device

done_testing
