#!/bin/sh
# Targets of the Makefile that take minutes say so first, and compute the time from their variables.
. "$(dirname "$0")/lib.sh"

# says MINUTES TARGET [NAME=VALUE]...
says() {
	minutes=$1
	target=$2
	shift 2
	exits 0 env "$@" "$top/t/announce" "$target" >out 2>err
	empty out
	test "$(wc -l <err)" -eq 1
	has "^make $target: .*: $minutes\\.  Run it alone: " err
}

they_do() {
	for target in predictions accuracy predecessors installed changes recordings bench; do
		env -u MAKEFLAGS -u MAKELEVEL make -s -C "$top" -n "$target" >commands
		head -n 1 commands >first
		has "t/announce $target" first
		says 'about [0-9]+ minutes' $target
	done
}
check 'long targets say what they do and how long it takes, first of all' they_do

by_variables() {
	says 'about 3 minutes' recordings REC_NUMBER=1 REC_SECONDS=1
	says 'about 1[0-9] minutes' recordings REC_NUMBER=40
	says 'about 40 minutes' recordings REC_NUMBER=200
	says 'about [56] minutes' accuracy PROGRAMS=serial WORLDS_REPS=10
}
check 'as the variables say' by_variables

done_testing
