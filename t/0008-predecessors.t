#!/bin/sh
# share/doc/PREDECESSORS.md: each row names a test that is there, and options that there are.
. "$(dirname "$0")/lib.sh"

page=$top/share/doc/PREDECESSORS.md

# Rows, without the heads of tables.
grep '^| ' "$page" | grep -v '| test |$' >rows

names_tests() {
	test "$(wc -l <rows)" -ge 40
	while read -r row; do
		file=$(printf '%s\n' "$row" | sed -n 's/.*| `\(t\/[0-9a-z-]*\.t\)`: *\(.*\) *|$/\1/p')
		title=$(printf '%s\n' "$row" | sed -n 's/.*| `t\/[0-9a-z-]*\.t`: *\(.*\)|$/\1/p' | sed 's/ *$//')
		test -n "$file" || { echo "no test: $row"; return 1; }
		test -f "$top/$file" || { echo "no file '$file'"; return 1; }
		grep -qF -e "$title" "$top/$file" || { echo "$file has no '$title'"; return 1; }
	done <rows
}
check 'each row has a test' names_tests

# The second column of a row says what is done here.
has_options() {
	for tool in record resolve analyze diff plot; do
		exits 0 "andweorc-$tool" --help
	done >usage
	cut -d'|' -f3 rows | grep -oE '(^|[ `])--?[a-zA-Z][a-z-]*' | tr -d ' `' | sort -u >options
	test "$(wc -l <options)" -ge 15
	while read -r option; do
		grep -qE -e "(^|[ ,])$option([ ,=]|\$)" usage || { echo "no option '$option'"; return 1; }
	done <options
}
check 'each option is one' has_options

done_testing
