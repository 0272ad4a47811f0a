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
