#!/bin/sh
# Tasks that go from thread to thread: of tokio, and coroutines of C++20.  What they are worth: t/9180.
home=$HOME
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"
. "$top/t/async.sh"

# has_region REGEX: an experiment was made with one that is called so
has_region() {
	id=$(sed -n "s/^region	id=\([0-9]*\)	.*symbol=$1.*/\1/p" log | head -n 1)
	test -n "$id" || { echo "no region '$1'"; grep '^region' log; return 1; }
	has "^experiment	.*region=$id	" log
}

# all_have REGEX...: there are experiments with all these, and visits
all_have() {
	for region; do
		has_region "$region" || return 1
	done
	test "$(values count visits | awk '{ n += $1 } END { print n + 0 }')" -gt 100
}

# sampled WAY: code that tasks run is found by sampling, wherever they run
sampled() {
	export WAY="$1"
	endless_until 'all_have _ZN5tasks5short _ZN5tasks4long' log -m function -s 50 --window 20 -- ./tasks --seconds 1000
	# Not std's __rust_begin_short_backtrace, below which all threads run.
	has_region _ZN5tasks5short
	has_region _ZN5tasks4long
	test "$(field point round visits)" -gt 100
	lacks 'what=(unmarked|no-progress-point)' log
}

# What a task does has the name of the async function that it stands in, although that is never on a stack.
by_task() {
	export WAY=moves
	endless_until 'all_have _[A-Za-z0-9_.$]*5moves[A-Za-z0-9_.$]*' log -m function -s 50 --window 20 -r tasks::moves -- ./tasks --seconds 1000
	has_region '_[A-Za-z0-9_.$]*5moves[A-Za-z0-9_.$]*'
	# A function of another crate that is called so is not meant.
	export WAY=channel
	endless_until 'all_have _[A-Za-z0-9_.$]*5tasks7channel[A-Za-z0-9_.$]*' log -m function -s 50 --window 20 -r channel -- ./tasks --seconds 1000
	has_region '_[A-Za-z0-9_.$]*5tasks7channel[A-Za-z0-9_.$]*'
	lacks '^region	.*tokio' log
}

if make_tasks; then
	ways='channel moves'
	if is_long; then
		ways='channel moves joins asks'
	fi
	for way in $ways; do
		check "tokio: tasks are sampled where they run ($way)" sampled $way
	done
	check 'tokio: an async function is a region' by_task
else
	skip 'tokio' 'no cargo, or no librust-tokio-dev'
fi

# A coroutine is one region: what begins it, what goes on with it, what ends it.
coroutine() {
	endless_until 'all_have _ZN[A-Za-z0-9_]*producer[A-Za-z0-9_.]* _ZN[A-Za-z0-9_]*consumer[A-Za-z0-9_.]*' log \
		-m function -s 50 --window 20 -r producer -r consumer -- ./coroutines --seconds 1000
	has_region '_ZN[A-Za-z0-9_]*producer[A-Za-z0-9_.]*'
	has_region '_ZN[A-Za-z0-9_]*consumer[A-Za-z0-9_.]*'
	test "$(grep -c '^region' log)" -eq 2
	lacks 'is [0-9]+ functions|no sample was in' err
}
for cxx in g++ clang++; do
	if $cxx -std=c++20 -O2 -g -D_GNU_SOURCE -I"$top/lib" -o coroutines "$top/t/workload/coroutines.cc" -pthread >build 2>&1; then
		check "C++20: a coroutine is a region ($cxx)" coroutine
	else
		skip "C++20: a coroutine is a region ($cxx)" 'no coroutines'
	fi
done

done_testing
