#!/bin/sh
# Hashes by which andweorc-diff matches code of two versions: andweorc-resolve adds them, andweorc-analyze passes them on.
. "$(dirname "$0")/lib.sh"

here=$(pwd -P)
mkdir one two
cat >one/work.c <<'END'
volatile int sink;

__attribute__((noinline)) int work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
	return sink;
}

int main(void)
{
	return work(3);
}
END
# The same, further down, with other blanks, and another line in main.
{
	echo '/* a comment */'
	sed -e 's/^	/    /' -e 's/sink += i/sink   +=   i/' -e 's/work(3)/work(4)/' one/work.c
} >two/work.c
for side in one two; do
	gcc -O1 -g -o $side/prog $side/work.c || exit 1
done

# place DIRECTORY FUNCTION TEXT: a log with the function, and with the line that holds the text, as regions
place() {
	at=$(nm "$1/prog" | awk -v s="$2" '$3 == s { sub(/^0+/, "", $1); print "0x" $1 }')
	line=$(grep -n -F "$3" "$1/work.c" | cut -d: -f1)
	printf 'andweorc\tversion=1\ttool=record\nrun\tid=1\nmodule\trun=1\tid=1\tpath=%s\n' "$here/$1/prog"
	printf 'region\tid=1\tscope=function\tmodule=1\tranges=%s-0xffffff\tsymbol=%s\n' "$at" "$2"
	# the position of the line in the machine code does not matter
	for off in 0 1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f; do
		printf '%s-0xffffff,' "$(printf '0x%x' $((at + 0x$off)))"
	done | sed "s|^|region	id=2	scope=line	module=1	file=$here/$1/work.c	line=$line	ranges=|; s|,\$|\n|"
}

# keys FILE TYPE SCOPE: its keys of this kind, sorted
keys() {
	awk -F'\t' -v type="$2" -v scope="scope=$3" '
		$1 == type { found = 0; for (i = 2; i <= NF; i++) found += $i == scope }
		$1 == type && found { for (i = 2; i <= NF; i++) if ($i ~ /^(function_line|line_hash|context_hash|function_hash)=/) print $i }' "$1" |
		sort
}

texts_are_hashed() {
	place one work 'sink += i' >log
	exits 0 andweorc-resolve log >one.log 2>err
	empty err
	keys one.log region line >got
	has '^function_line=3$' got
	has '^line_hash=[0-9a-f]{16}$' got
	has '^context_hash=([0-9a-f]{8}\.){5}[0-9a-f]{8}$' got
	has '^function_hash=[0-9a-f]{16}\.4\.[0-9a-f]{64}$' got
	test "$(wc -l <got)" -eq 4
	keys one.log region function >got
	has '^function_line=3$' got
	has '^function_hash=' got
	test "$(wc -l <got)" -eq 2
}
check 'lines, what is around them, and functions' texts_are_hashed

hash_is_fnv() {
	printf 'int f(void)\n{\n\treturn\ta;\n}\n' >f.c
	printf 'int a = 1, f(void);\nint main(void)\n{\n\treturn f();\n}\n' >main.c
	sed -i '1i extern int a;' f.c
	gcc -g -o prog f.c main.c
	at=$(nm prog | awk '$3 == "f" { sub(/^0+/, "", $1); print "0x" $1 }')
	printf 'andweorc\tversion=1\ttool=record\nmodule\tid=1\tpath=%s\n' "$here/prog" >log
	printf 'region\tid=1\tscope=line\tmodule=1\tranges=0x%x-0xffffff\n' $((at + 4)) >>log
	andweorc-resolve log >got
	want=$(perl -e 'use integer; my $h = 0xcbf29ce484222325; for (split //, "returna;") { $h = ($h ^ ord) * 0x100000001b3 } printf "%016x", $h')
	has "line=4	function_line=2	line_hash=$want	" got
}
check 'the hash is FNV-1a of the text without blanks' hash_is_fnv

blanks_and_position_do_not_matter() {
	place two work 'sink   +=   i' >log
	exits 0 andweorc-resolve log >two.log
	keys one.log region line | sed 's/^function_line=3$/function_line=4/' >want
	keys two.log region line >got
	same want got
	place one main 'return work' >log
	andweorc-resolve log >a
	place two main 'return work' >log
	andweorc-resolve log >b
	keys a region line | grep -v '^context\|^function_line' >want
	keys b region line | grep -v '^context\|^function_line' >got
	test "$(comm -12 want got | wc -l)" -eq 0
}
check 'blanks and position do not matter, text does' blanks_and_position_do_not_matter

twice_is_once() {
	andweorc-resolve one.log >got
	same one.log got
}
check 'resolving twice is the same as once' twice_is_once

passes_them_on() {
	{
		cat one.log
		printf 'share\trun=1\tregion=1\tsamples=9\ttotal=10\nshare\trun=1\tregion=2\tsamples=9\ttotal=10\n'
		i=0
		while [ $i -lt 20 ]; do
			printf 'experiment\tid=%d\trun=1\tregion=%s\tspeedup_pct=%d\tblock=%d\n' $((i * 3)) - 0 $i \
				$((i * 3 + 1)) 1 50 $i $((i * 3 + 2)) 2 50 $i
			printf 'visits\texperiment=%d\tpoint=p\tcount=10\tvirtual_ns=%d\n' $((i * 3)) $((1000000 + i % 7)) \
				$((i * 3 + 1)) $((800000 + i % 5)) $((i * 3 + 2)) $((800000 + i % 3))
			i=$((i + 1))
		done
		printf 'end\trun=1\tstatus=exit:0\n'
	} >log
	andweorc-analyze --format andweorc log >analysis
	for scope in line function; do
		keys one.log region $scope >want
		keys analysis impact $scope >got
		same want got
	done
}
check 'an analysis has them too' passes_them_on

elsewhere() {
	mkdir -p moved
	cp -a one moved/
	mv one gone
	place gone work 'sink += i' | sed "s|$here/gone|$here/one|g" >log
	andweorc-resolve --path-map "$here/one=$here/moved/one" log >got
	same one.log got
	mv gone one
}
check 'sources that moved, with --path-map' elsewhere

source_is_gone() {
	mv one/work.c away
	place two work 'sink   +=   i' | sed "s|$here/two|$here/one|g; s|line=7|line=6|" >log
	exits 0 andweorc-resolve log >got 2>err
	mv away one/work.c
	empty err
	has 'function_line=3' got
	lacks '_hash=' got
}
check 'without the source there are no hashes' source_is_gone

source_is_newer() {
	cp -a one newer
	gcc -O1 -g -o newer/prog newer/work.c
	place newer work 'sink += i' >log
	touch newer/work.c
	exits 0 andweorc-resolve log >got 2>err
	lacks '_hash=' got
	test "$(wc -l <err)" -eq 1
	has "^andweorc-resolve: warning: '$here/newer/work.c' was changed after '$here/newer/prog' was built; its text is not used$" err
}
check 'a source that was changed since is not used' source_is_newer

done_testing
