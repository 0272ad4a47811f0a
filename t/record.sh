# shellcheck shell=sh disable=SC2034
# What t/0200-record.t and its like share: recordings that go well, and what is in their logs.

# recording LOG ARG...: leaves in `err` what it says, but for what it says of a machine without perf and of busy
# neighbours; with $limit, it may take so many seconds
recording() {
	log=$1
	shift
	exits 0 ${limit:+timeout "$limit"} andweorc-record -q -o "$log" "$@" >out 2>all
	grep -v -e 'perf is refused' -e 'experiments were set aside' -e 'had no processor' -e 'samples were lost' all >err || :
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
