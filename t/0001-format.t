#!/bin/sh
# The format, and andweorc(5): its examples give what it says they give, and it
# describes every record and key of the table in lib/format/schema.c.
. "$(dirname "$0")/lib.sh"

manual=$top/share/man/man5/andweorc.5
cp "$data"/format/* . || exit 1

# Literal blocks of EXAMPLES that start with a command, one file each: example.N
# with the command, result.N with its output.
split_examples() {
	sed -e 's/\\e/\\/g' -e 's/\\-/-/g' "$manual" | awk '
	/^\.Sh EXAMPLES/ { on = 1 }
	/^\.Bd/ && on { inside = 1; next }
	/^\.Ed/ { inside = 0 }
	!inside { next }
	/^\$ / { n++; print substr($0, 3) >("example." n); next }
	/^> / { print substr($0, 3) >("example." n); next }
	{ print >("result." n) }'
}

example() {
	exits 0 sh -e "example.$1" >got 2>err
	empty err
	same "result.$1" got
}

there_are_examples() {
	test "$(ls example.* | wc -l)" -ge 6
	test "$(ls result.* | wc -l)" -eq "$(ls example.* | wc -l)"
}

# The table of keys: TYPE KEY KIND needed|optional.  The manual says the same.
"$O/t/unit/schema-test" --print >schema || exit 1

# The same by the manual; a type may be described twice, once in a log and once in an analysis.  What it says of a key stands
# before the first colon or semicolon behind it.
documented() {
	awk '
	/^\.Ss / { type = $2 }
	/^\.It Cm / {
		sub(/^\.It Cm /, "")
		n = split($0, key, / , /)
		getline
		said = $0
		sub(/[:;].*/, "", said)
		kind = said ~ /unsigned, or/ ? "text" : said ~ /unsigned/ ? "unsigned" : said ~ /signed/ ? "signed" : said ~ /real/ ? "real" : "text"
		for (i = 1; i <= n; i++) print type, key[i], kind, said ~ /optional/ ? "optional" : "needed"
	}' "$manual" | sort -u
}

# TYPE KEY, for each key in the files.
used() {
	awk -F'\t' '
	/^#/ || /^[ \t]*$/ { next }
	{ for (i = 2; i <= NF; i++) { sub(/=.*/, "", $i); sub(/^visits[0-9]+$/, "visitsN", $i); print $1, $i } }' "$@" | sort -u
}

all_documented() {
	{ cut -d ' ' -f 1,2 schema; echo end visitsN; } | sort -u >known
	test "$(wc -l <known)" -gt 100
	used "$@" >there
	test -s there
	comm -13 known there >unknown
	same /dev/null unknown
}

# Keys and their kinds are the same in the manual.  A key that the reader insists on is not called optional there.  Some
# keys that all our writers write are not insisted on; and the keys of two kinds of records of one type are in one table: the
# visits of a point are a whole number in a log, and a real one in an analysis.
manual_and_table_agree() {
	documented >manual.all
	grep -v ' visitsN ' manual.all | cut -d ' ' -f 1-3 | grep -vx 'point visits unsigned' | sort -u >manual.keys
	cut -d ' ' -f 1-3 schema | sort -u >table.keys
	same table.keys manual.keys
	grep 'needed$' schema | cut -d ' ' -f 1,2 | sort -u >must
	grep 'optional$' manual.all | cut -d ' ' -f 1,2 | sort -u >may
	comm -12 must may >both
	same /dev/null both
}

# Prints KEY for each key that the sources read from a record or write to one, except for fields of Coz's own files, and of
# tables that are no records.
keys_in_sources() {
	(cd "$top" && grep -lE '"(format/record|report/impact_fields|profile/load|profile/context|profile/observed)\.h"' \
		lib/*/*.[ch] cmd/*.c | grep -v '^lib/resolve/coz_read' | xargs cat) | tr '\n' ' ' |
		grep -oE '\b[a-z_0-9]*(record|put|share|need|opt|take|text|name|get|known|interval)[a-z_0-9]*\([^"();]*"[a-z][a-z0-9_]*"' |
		sed 's/.*"\(.*\)"/\1/' | sort -u
}

keys_of_sources_are_in_the_table() {
	cut -d ' ' -f 2 schema | sort -u >known
	keys_in_sources | grep -vxE 'ns|pct' >there # ends of keys of percentiles
	test "$(wc -l <there)" -gt 120
	comm -13 known there >unknown
	same /dev/null unknown
}

# And the other way round.  Names with the number of a percentile or of a point are put together.
keys_of_the_table_are_in_sources() {
	(cd "$top" && grep -ohE '"[a-z][a-z0-9_]*"' lib/*/*.[ch] cmd/*.c) | tr -d '"' | sort -u >literals
	cut -d ' ' -f 2 schema | grep -vE '^p(50|95|99)_' | sort -u >known
	comm -23 known literals >unknown
	same /dev/null unknown
}

# Types of records: those of lib/format.h are in the table, and no others.
types_are_in_the_table() {
	sed -n '/record types/,/^$/s/^#define AW_[A-Z]* *"\(.*\)"$/\1/p' "$top/lib/format.h" | sort -u >types
	test "$(wc -l <types)" -gt 20
	cut -d ' ' -f 1 schema | sort -u >known
	same types known
}

# The words of warnings: in the sources, and in the manual.
warnings_are_documented() {
	cat "$top"/lib/recorder/*.c "$top"/lib/regions/*.c "$top"/lib/profile/*.c "$top"/lib/analysis/*.c "$top"/cmd/*.c | tr '\n' ' ' |
		grep -oE '\b(say|warn|journal_warning|analysis_doubt)\([^"();]*"[a-z-]+"' | sed 's/.*"\(.*\)"/\1/' | sort -u >used
	test "$(wc -l <used)" -gt 20
	sed -n '/^\.Sh WARNINGS/,/^\.Sh EXAMPLES/s/^\.It Ql //p' "$manual" | sed 's/ , /\n/g' | sort -u >known
	comm -13 known used >unknown
	same /dev/null unknown
}

manual_is_clean() {
	mandoc -T lint -W warning "$manual" >lint
	empty lint
}

resolve_passes_the_log_on() {
	exits 0 andweorc-resolve profile.aw >got 2>err
	grep -v '^andweorc' profile.aw >want
	grep -v '^andweorc' got >rest
	same want rest
}

resolve_passes_unknown_things_on() {
	{
		cat profile.aw
		printf '# end\n\nfuture\tid=%%41%%0a\tx=\nrun\tid=2\tcolour=bl%%c3%%bc\n'
	} >longer
	exits 0 andweorc-resolve longer >got 2>err
	tail -n 4 longer >want
	tail -n 4 got >rest
	same want rest
}

# Every kind of bad line, with its number; the lines around it are used.
bad_lines_are_reported() {
	printf 'run\tid=0\nandweorc\tversion=1\n\tid=1\nrun id=1\nrun\tid\nrun\t=1\nrun\tid=1\tid=1\nrun\tid=%%\nrun\tid=%%00\nrun\tid=\0\n' >bad
	printf 'future\tid=1\nrun\tid=2' >>bad
	exits 2 andweorc-resolve bad >got 2>err
	sed 's/^andweorc-resolve: //' err >messages
	same - messages <<-'END'
	bad:1: 'run' before the first 'andweorc' record
	bad:3: no record type before the first TAB
	bad:4: no record type before the first TAB
	bad:5: field 'id' has no '='
	bad:6: field without a key
	bad:7: key 'id' twice
	bad:8: bad escape '%'
	bad:9: bad escape '%00'
	bad:10: NUL byte in the line
	bad:12: last line has no end: the log was cut short here
	END
	sed 's/.resolved=1//' got >log
	printf 'andweorc\tversion=1\nfuture\tid=1\n' >want
	same want log
}

newer_versions_are_refused() {
	printf 'andweorc\tversion=2\nrun\tid=1\nandweorc\tversion=1\nfuture\tid=2\n' >new
	exits 2 andweorc-resolve new >got 2>err
	same - err <<-'END'
	andweorc-resolve: new:1: format version 2 is newer than this program's 1
	END
	has '^future' got
	lacks '^run' got
}

live_records_are_documented() {
	exits 0 andweorc-record -d 2 -m function -r half -s 0,50 -o live.aw -- "$O/t/workload/serial" --seconds 1000000 >out 2>err
	andweorc-resolve live.aw >live.resolved
	andweorc-analyze --format andweorc live.resolved >live.analysis
	all_documented live.aw live.resolved live.analysis
	has '^experiment' live.aw
	has '^impact' live.analysis
}

split_examples
check 'andweorc(5) has examples, each with its result' there_are_examples
n=1
while test -e example.$n; do
	check "andweorc(5): example $n" example $n
	n=$((n + 1))
done
check 'the example log is documented' all_documented profile.aw
check 'the types of records are in the table' types_are_in_the_table
check 'the table of keys and andweorc(5) agree' manual_and_table_agree
check 'the keys that the sources name are in the table' keys_of_sources_are_in_the_table
check 'the keys of the table are in the sources' keys_of_the_table_are_in_sources
check 'the words of warnings are documented' warnings_are_documented
check 'the records of waiting and of whole runs are documented' all_documented "$data"/analyze/reach.aw "$data"/analyze/whole.out "$data"/analyze/reach.out
if command -v mandoc >/dev/null; then
	check 'andweorc(5): mandoc finds nothing wrong' manual_is_clean
else
	skip 'andweorc(5): mandoc finds nothing wrong' 'no mandoc'
fi
check 'resolve passes a resolved log on' resolve_passes_the_log_on
check 'resolve passes unknown records, keys, comments and escapes on' resolve_passes_unknown_things_on
check 'bad lines are reported, the rest is used' bad_lines_are_reported
check 'a newer version is refused up to the next header' newer_versions_are_refused
check 'what the tools write is documented' live_records_are_documented

done_testing
