# shellcheck shell=sh disable=SC2034,SC2154
# For t/0200-record.t and similar scripts: successful recordings, and their logs.

# Warnings about the machine and its other users, which these scripts ignore: on standard error, and their codes in a
# log.  $unminded are further warnings that a script ignores (for grep -E).
of_the_machine='perf is refused|experiments were set aside|had no processor|samples were lost'
machine_codes='perf-refused|disturbed|busy-machine|oversubscribed|lost-samples'
unminded=

# of_the_program FILE: what is said in it, but for that
of_the_program() {
	grep -Ev -e "$of_the_machine${unminded:+|$unminded}" "$1" || :
}

# recording LOG ARG...: goes well; leaves in `all` what it says, in `err` what of that is said of the program; with
# $limit, it may take so many seconds
recording() {
	log=$1
	shift
	exits 0 ${limit:+timeout "$limit"} andweorc-record -q -o "$log" "$@" >out 2>all
	of_the_program all >err
}

# recording_until EVIDENCE LOG ARG...: as recording, of a program that goes on until there is the file $LIFE_UNTIL
# (life.c does), which comes as soon as the command EVIDENCE finds in the log ($log) what it needs, after half a minute at the
# latest: the recording takes as long as it has to, on a slow machine too, and no longer
recording_until() {
	evidence=$1
	log=$2
	shift
	rm -f "$log" enough
	(
		tries=300
		until sleep 0.1; $evidence || test $tries -eq 0; do
			tries=$((tries - 1))
		done
		: >enough
	) >/dev/null 2>&1 &
	watcher=$!
	LIFE_MS=60000 LIFE_UNTIL=$PWD/enough recording "$@"
	: >enough
	wait $watcher
}

# endless_until EVIDENCE LOG ARG...: the same, of a program that does not end by itself; the recorder is told to end it
endless_until() {
	evidence=$1
	log=$2
	shift 2
	rm -f "$log"
	andweorc-record -q -o "$log" "$@" >out 2>all &
	recorder=$!
	tries=300
	until sleep 0.1; $evidence >evidence 2>&1 || test $tries -eq 0; do
		tries=$((tries - 1))
	done
	kill -TERM $recorder
	set +e
	wait $recorder
	status=$?
	set -e
	test "$status" -eq 143
	of_the_program all >err
}

# has_breakpoints: does the processor count what -P asks it to?  Without perf, and in some virtual machines, it does not.
has_breakpoints() {
	gcc -O2 -D_GNU_SOURCE -o breakpoints "$programs/breakpoints.c" && ./breakpoints
}

# by_probes POINT: are its places watched, though there are no breakpoints?  Then probes of the kernel do it (t/0291-uprobes.t).
by_probes() {
	test "$(field point "$1" kind)" = breakpoint
}

# all_tried: what is to be tried has been, once: the second block has begun
all_tried() {
	grep -q '^experiment	.*	block=2	' "$log"
}

# tried PCT...: experiments of each of these speedups are there
tried() {
	values speedup_pct experiment "$log" >speedups
	for pct; do
		grep -qx "$pct" speedups || return 1
	done
}

# values KEY TYPE [LOG]: the values of a key in records of a type, a line each
values() {
	awk -F'\t' -v key="$1" -v type="$2" '$1 == type {
		for (i = 2; i <= NF; i++)
			if (index($i, key "=") == 1)
				print substr($i, length(key) + 2)
	}' "${3:-log}"
}

# field RECORD NAME KEY: of the point records with that name, or of the visits of it, the values of a key
field() {
	awk -F'\t' -v type="$1" -v name="$2" -v key="$3" '$1 == type {
		is = 0
		for (i = 2; i <= NF; i++)
			if ($i == "name=" name || $i == "point=" name)
				is = 1
		for (i = 2; i <= NF && is; i++)
			if (index($i, key "=") == 1)
				print substr($i, length(key) + 2)
	}' log
}

# whole LOG STATUS: the log of one run of life.c that ended so; every line is whole, every record is understood
whole() {
	test "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n'
	exits 0 andweorc-resolve "$1" >resolved 2>resolve.err
	lacks ': bad |malformed' resolve.err
	awk -F'\t' -v status="$2" '
	NR == 1 && $1 != "andweorc" { wrong = "no header" }
	{ n[$1]++ }
	n["end"] && $1 != "end" && $1 != "warning" { wrong = $1 " after the end" }
	$1 == "end" && $3 != "status=" status { wrong = $3 }
	$1 == "module" && $NF ~ /^path=.*\/life$/ { program = 1 }
	$1 == "visits" && !n["experiment"] { wrong = "visits of no experiment" }
	END {
		if (n["run"] != 1 || n["end"] != 1)
			wrong = n["run"] + 0 " runs, " n["end"] + 0 " ends"
		if (!program)
			wrong = "the program is not among the modules"
		if (wrong)
			print wrong
		exit wrong != ""
	}' "$1" || { cut -c 1-120 "$1"; return 1; }
}

# is_wrong ARG...: a one-line error, before the program runs or a log is made
is_wrong() {
	exits 125 andweorc-record -o made.aw "$@" -- sh -c 'echo ran >ran-wrongly' >out 2>err
	empty out
	has "^andweorc-record: bad .+ '.*'\$" err
	test "$(wc -l <err)" -eq 1
	test ! -e ran-wrongly
	test ! -e made.aw
}

# refuses OPTION VALUE...: each is a bad value of the option
refuses() {
	option=$1
	shift
	for value in "$@"; do
		is_wrong "$option" "$value"
	done
}
