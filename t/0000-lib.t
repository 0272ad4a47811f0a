#!/bin/sh
# The test library itself: a check that must fail fails.
. "$(dirname "$0")/lib.sh"

crash() {
	sh -c 'kill -SEGV $$'
}

# The body is not the last command, so a lost `set -e` would pass.
first_failure_ends() {
	false
	true
}

is_refused() {
	status=0
	set +e
	(set -e; "$@")
	status=$?
	set -e
	test $status -ne 0
}

inner() {
	(
		tests=0 failures=0
		check 'inner' "$@"
		test $failures -eq 0
	)
}

check 'a failing command ends a body' is_refused inner first_failure_ends
check 'fails: refusal' fails sh -c 'exit 2'
check 'fails: success is none' is_refused fails true
check 'fails: a crash is none' is_refused fails crash
check 'fails: a missing command is none' is_refused fails no-such-command-anywhere
check 'exits: status' exits 3 sh -c 'exit 3'
check 'exits: another status' is_refused exits 3 sh -c 'exit 4'
complains() {
	is_refused exits 3 true >out
	empty out
}
check 'exits: complains past a redirection' complains
check 'exits: a crash is never a status' is_refused exits 139 crash
check 'dies: signal' dies 11 crash
check 'dies: no signal' is_refused dies 11 true
check 'fails: the first failure inside a function' fails first_failure_ends
echo a >a
echo b >b
check 'same: equal' same a a
check 'same: different' is_refused same a b
check 'empty: file that is not there' is_refused empty nothing
check 'lacks: file that is not there' is_refused lacks x nothing
check 'lacks: match' is_refused lacks a a

# Of two that run at the same time, each by what the other one does; the third fails in the middle.
waits_for() {
	: >../../"$1"
	until test -e ../../"$2"; do
		sleep 0.01
	done
	same file ../../file
	echo changed >file
}
fails_beside() {
	false
	true
}
inner_beside() {
	tests=0 failures=0
	echo text >file
	beside one waits_for first second
	beside two waits_for second first
	beside three fails_beside
	results >got 2>err
	same - got <<-END
	ok 1 - one
	ok 2 - two
	not ok 3 - three
	END
	has 'not ok 3 - three' err
	echo text | same - file
	test $failures -eq 1
}
check 'beside: at the same time, each with files of its own; a failure is one' inner_beside

pinned() {
	test "$(pwd)" = "$scratch"
	test -z "${LD_PRELOAD:-}"
	env >names
	lacks '^ANDWEORC_' names
}
check 'environment and directory are pinned' pinned

done_testing
