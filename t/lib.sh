# shellcheck shell=sh disable=SC2034
# The test library.  A script is:
#
#	#!/bin/sh
#	. "$(dirname "$0")/lib.sh"
#
#	adds_names() {
#		andweorc-resolve log >got
#		same "$data/expected" got
#	}
#	check 'names are added' adds_names
#
#	done_testing
#
# A body runs as (set -e; body) outside any condition, so that its first failing
# command ends it.  Never write `! cmd`, `cmd && ...` or `if cmd` about a tool
# under test: a crash would pass.  Say `fails cmd` or `exits N cmd`.
#
# The current directory is a scratch directory of the script; $top is the source
# tree, $data its t/data, $programs its t/program, $O the build directory, first
# in PATH.  KEEP=1 keeps the scratch directory.

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
data=$top/t/data
programs=$top/t/program
case ${O:=$top/build} in
/*) ;;
*) O=$top/$O ;;
esac
export O top data programs
PATH=$O:$PATH

for name in $(env | sed -n 's/^\(ANDWEORC_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$name"
done
unset LD_PRELOAD LD_LIBRARY_PATH DEBUGINFOD_URLS LANGUAGE COLUMNS POSIXLY_CORRECT GNUTERM CDPATH
LC_ALL=C.UTF-8 LANG=C.UTF-8 TZ=UTC0 TERM=dumb
export LC_ALL LANG TZ TERM

# For awk, before a program of its own: a field of the record, as text or as a number; nothing or 0 when it is not there.
awk_value='
function value(key,    i) {
	for (i = 2; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
}
function number(key) { return value(key) + 0 }
'

scratch=$(mktemp -d "${TMPDIR:-/tmp}/andweorc-test.XXXXXX") || exit 1
output=$scratch.out
HOME=$scratch XDG_CACHE_HOME=$scratch/.cache
export HOME XDG_CACHE_HOME
cd "$scratch" || exit 1

# A script that ends early by an error of its own has all its results good, and is not good.
reached_its_end=
cleanup() {
	test -n "$reached_its_end" || echo "# $0: ended before its last line" >&2
	cd /
	rm -f "$output"
	test -n "${KEEP:-}" || rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# Where the helpers below complain, also when what they run is redirected.
exec 3>&2

tests=0
failures=0

# report DESCRIPTION STATUS OUTPUT: the result of one test
report() {
	tests=$((tests + 1))
	if test "$2" -eq 0; then
		echo "ok $tests - $1"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $tests - $1"
	# prove shows standard error whether it is verbose or not.
	{
		echo "# $0: not ok $tests - $1"
		sed 's/^/# /' "$3"
		echo "# (status $2)"
	} >&2
}

# check DESCRIPTION COMMAND [ARG...]: one test
check() {
	description=$1
	shift
	(set -e; "$@") >"$output" 2>&1 3>&1 </dev/null
	report "$description" $? "$output"
}

# is_long: are all variants to be tried, as in CI (LONG=1)?  `make check` tries some of those that are alike.
is_long() {
	test -n "${LONG:-}"
}

# beside DESCRIPTION COMMAND [ARG...]: as check, but beside what follows, $at_once of them at most, in a directory of its
# own with copies of the files that are here.  For what waits more than it computes.
besides=0
at_once=8
beside() {
	until test $((besides - $(find . -path './beside.*/status' | wc -l))) -lt $at_once; do
		sleep 0.05
	done
	besides=$((besides + 1))
	mkdir -p beside.$besides/here && find . -maxdepth 1 -type f -exec cp -p '{}' beside.$besides/here ';' || exit 1
	echo "$1" >beside.$besides/description
	shift
	(
		exec >beside.$besides/output 2>&1 3>&1 </dev/null
		(set -e; cd beside.$besides/here; "$@")
		echo $? >beside.$besides/status
	) &
}

# results: waits for these, and says how they went, in their order; done_testing does so, too
results() {
	wait
	for n in $(seq $besides); do
		report "$(cat beside.$n/description)" "$(cat beside.$n/status)" beside.$n/output
	done
	rm -rf beside.*
	besides=0
}

# skip DESCRIPTION REASON: one test that cannot be tried here
skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# skip_all REASON: nothing of this script can be tried here; before the first check
skip_all() {
	reached_its_end=1
	echo "1..0 # SKIP $1"
	exit 0
}

# The last line of every script.
done_testing() {
	test $besides -eq 0 || results
	reached_its_end=1
	echo "1..$tests"
	test $failures -eq 0
	exit
}

# program NAME...: those programs of t/program, as make has built them (PROGRAM in the Makefile), here
program() {
	for name in "$@"; do
		cp "$O/t/program/$name" . || exit 1
	done
}

# run COMMAND [ARG...]: sets $status, whatever it is.  Not in a condition, see above.
run() {
	set +e
	(set -e; "$@")
	status=$?
	set -e
}

# exits N COMMAND [ARG...]: ends by itself with status N.  Death by a signal is never that.
exits() {
	want=$1
	shift
	run "$@"
	if test "$status" -eq "$want" && test "$status" -le 127; then
		return 0
	fi
	echo "status $status instead of $want: $*" >&3
	return 1
}

# fails COMMAND [ARG...]: refuses, with a status that is neither a signal's nor that of a command that is not there
fails() {
	run "$@"
	if test "$status" -ge 1 && test "$status" -le 125; then
		return 0
	fi
	echo "status $status instead of a refusal: $*" >&3
	return 1
}

# dies SIGNAL COMMAND [ARG...]: is killed by the signal (a number)
dies() {
	want=$1
	shift
	run "$@"
	if test "$status" -eq $((128 + want)); then
		return 0
	fi
	echo "status $status instead of signal $want: $*" >&3
	return 1
}

# same EXPECTED GOT: equal files; - is standard input (a here-document)
same() {
	diff -u "$1" "$2"
}

# empty FILE
empty() {
	test -e "$1" || { echo "no file '$1'"; return 1; }
	test ! -s "$1" || { echo "'$1' should be empty:"; cat "$1"; return 1; }
}

# has PATTERN FILE: grep -E, with the file shown when it does not match
has() {
	grep -Eq -e "$1" "$2" || { echo "no line of '$2' matches '$1':"; head -n 40 "$2" | cut -c 1-500; return 1; }
}

# lacks PATTERN FILE
lacks() {
	test -e "$2" || { echo "no file '$2'"; return 1; }
	if grep -E -e "$1" "$2"; then
		echo "(these lines of '$2' match '$1')"
		return 1
	fi
}

# until_it_has FILE PATTERN: waits at most 10 s for it
until_it_has() {
	for _ in $(seq 200); do
		if test -e "$1" && grep -Eq -e "$2" "$1"; then
			return 0
		fi
		sleep 0.05
	done
	echo "no '$2' in '$1' after 10 s"
	return 1
}
