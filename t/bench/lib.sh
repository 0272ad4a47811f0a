# shellcheck shell=sh disable=SC2034
#
# lib.sh: what the benches share.  Sourced; wants O.

set -eu
O=${O:-build}
here=$(dirname "$0")
programs=$O/t/workload
benches=$O/t/bench
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 2' HUP INT TERM

title() {
	printf '\n%s\n%s\n' "$1" "$(echo "$1" | tr -c '\n' -)"
}

# record ARGS...: andweorc-record with its log and messages out of the way.  The command's output is ours.
record() {
	"$O/andweorc-record" -o "$scratch/log" "$@" 2>"$scratch/messages" || {
		status=$?
		cat "$scratch/messages" >&2
		return "$status"
	}
}

# rounds N MODE...: calls `mode_MODE`, which prints a number, for each mode in each of N rounds, there and
# back in turns; prints ROUND MODE VALUE lines in the order of the modes.
rounds() {
	count=$1
	shift
	forward=$*
	backward=
	for mode in "$@"; do
		backward="$mode $backward"
	done
	round=1
	while [ "$round" -le "$count" ]; do
		order=$forward
		[ $((round % 2)) -eq 1 ] || order=$backward
		for mode in $order; do
			value=$("mode_$mode") || exit 2
			echo "$round $mode $value"
		done
		round=$((round + 1))
	done
}
