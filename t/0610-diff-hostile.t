#!/bin/sh
# andweorc-diff: names of the program under test, and tables from elsewhere, come out as text in every format.
. "$(dirname "$0")/lib.sh"

side() {
	out=$1
	shift
	awk "$@" -f "$data/random.awk" -f "$data/diff/side.awk" | andweorc-analyze >"$out"
}

side base.plain -v side=base
side head.plain -v side=head -v cost=parse=1.4

long=$(awk 'BEGIN { for (i = 0; i < 1250; i++) printf "std::ma<" }')

# Names that a linker, a file system or a pull request may contain; escaped as values of
# andweorc(5).
names='operator||
::error::x
%60%60%60
a%60b%60%60c%60
<script>alert(1)</script>
<img%20src=x%20onerror=alert(1)>
@everyone
#123
GH-1
-->
<!--x
a%20--><b>
</details>
%0A::error::injected
%0D%0A##[error]x
x%20##[group]y
%1B[31mred
%C2%9B31m
%E2%80%AEtxt.exe
%E2%80%8Bzero
%E2%80%A8line%E2%80%A9
a%C2%ADb
%EF%BF%B9x%EF%BF%BB
a%C2%A0b%E3%80%80c
a@b.co
x%20a@b.co%20y
mailto:a@b.co
``a@b.co
https://evil.example/
www.evil.example
[link](https://evil.example)
![x](https://evil.example/x.png)
**bold**_i_
%7C%20---%20%7C
%5C%7C
%5C
%25%32%30
$(touch%20pwned)
%60touch%20pwned%60
caf%E9
&lt;b&gt;
%20
'"$long"

# The first region's function, label (as a region of scope function) and file, the point and the command.
rename() {
	awk -F '\t' -v OFS='\t' -v name="$1" '
	{
		for (i = 2; i <= NF; i++) {
			if ($i == "region=parse.c:10") $i = "region=" name
			if ($i == "function=parse") $i = "function=" name
			if ($i == "file=/src/parse.c") $i = "file=/src/" name ".c"
			if ($i ~ /^command=/) $i = "command=" name
			if ($i ~ /^commit=/) $i = "commit=" name
			if ($i ~ /^host=/) $i = $i name
			if ($i == "point=block") $i = "point=" name
		}
		print
	}' "$2"
}

# Leaves out.FORMAT for one name.
make_all() {
	for s in base head; do
		rename "$1" $s.plain >$s
	done
	sed -i '0,/host=box/s//host=other/' head
	exits 0 andweorc-diff -f tsv base head >out.tsv 2>err
	empty err
	for format in text markdown summary github json; do
		exits 0 andweorc-diff --render out.tsv -f $format >out.$format 2>err
		empty err
		# What is said from the files directly is the same, whatever the name.
		is_long || test ! -e direct.$format || continue
		touch direct.$format
		exits 0 andweorc-diff -f $format base head >direct 2>err
		same direct out.$format
	done
}

# Bytes that move a cursor, turn text around or cannot be seen; commands of a CI runner.
is_tame() {
	for format in text markdown summary github; do
		lacks "$(printf '\033')" out.$format
		if LC_ALL=C grep -q "$(printf '\302[\200-\237]\|\342\200[\213-\217]\|\342\200[\250-\256]\|\342\201[\240-\257]\|\r')" out.$format; then
			echo "control characters in out.$format"
			return 1
		fi
	done
	# nor any other format character or separator
	perl -CSD -ne 'print if /[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/' out.text out.markdown out.summary out.github >bad
	empty bad
	lacks '^[[:space:]]*::' out.text
	lacks '##\[' out.text
	lacks '^[[:space:]]*::|##\[' out.markdown
	# two annotations of what changed, and the summary; their properties hold no name beyond a file
	test "$(grep -c . out.github)" -eq 3
	grep -Ev '^::(notice|warning|error) (file=[^:,]*,line=[0-9]+,)?title=andweorc::' out.github >bad || :
	empty bad
	# the marker is one line, and the only comment
	head -n 1 out.markdown >first
	has '^<!-- andweorc-diff:v1 id=default base=[A-Za-z0-9._-]* head=[A-Za-z0-9._-]* -->$' first
	test "$(grep -c -e '-->' out.markdown)" -eq 1
	test "$(grep -c -e '<!--' out.markdown)" -eq 1
	lacks '<!--' out.summary
	# as many cells in each row of a table
	awk '/^\|/ { line = $0; gsub(/\\\|/, "", line); n = gsub(/\|/, "", line); if (table && n != table) { print; bad = 1 } table = n; next } { table = 0 } END { exit bad }' out.markdown
	# details are closed as often as they are opened
	sed 's/`[^`]*`//g' out.markdown >bare
	test "$(grep -o '<details>' bare | wc -l)" -eq "$(grep -o '</details>' bare | wc -l)"
	# no element but ours
	grep -o '<br>\|<[^ >]*' bare | sort -u | grep -vx -e '<!--' -e '<sub' -e '</sub' -e '<code' -e '<span' -e '</span' -e '<br>' -e '</code' -e '<details' -e '</details' -e '<summary' -e '</summary' >bad || :
	empty bad
	awk 'length($0) > 2000 { exit 1 }' out.text
	test "$(wc -c <out.markdown)" -le 65000
}

# Leaves N.markdown for the Nth name.
every_name_is_text() {
	echo "$names" | while IFS= read -r name; do
		echo "the name: $name"
		make_all "$name"
		is_tame
		mv out.markdown $((n = ${n:-0} + 1)).markdown
	done
	test ! -e pwned
}
check 'every name comes out as text' every_name_is_text

# The rendered result: each name appears unchanged, as code, and has no other effect.
renders_as_code() {
	echo "$names" | while IFS= read -r name; do
		echo "the name: $name"
		# what "How to read" stresses is ours
		cmark-gfm --unsafe -e table -e autolink -e strikethrough -e tagfilter $((n = ${n:-0} + 1)).markdown |
			sed 's,<strong>\(Throughput\|Δ cost\|impact\|Changed\|Likely\|Unchanged\|Curve\)</strong>,,g' >out.html
		lacks '<(script|img|a|b|em|strong|h1|del)[ >]' out.html
		test "$(grep -c '<table>' out.html)" -eq "$(grep -c '</table>' out.html)"
		has '<h3>.*<code>' out.html
	done
	rename 'operator||' base.plain >base
	rename 'operator||' head.plain >head
	andweorc-diff -f markdown base head | cmark-gfm --unsafe -e table >out.html
	has '<td><code>operator\|\|</code> <code>operator\|\|</code></td>' out.html
}
if command -v cmark-gfm >/dev/null; then
	check 'a Markdown renderer shows names as code' renders_as_code
else
	skip 'a Markdown renderer shows names as code' 'no cmark-gfm'
fi

# Thousands of regions: whole sections are left out, and the rest is whole.
long_reports_are_shortened() {
	exits 0 andweorc-diff -f tsv base.plain head.plain >out.tsv 2>err
	awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	{ print }
	$1 == "region" && $c["region"] ~ /^(parse|sort)/ {
		for (k = 0; k < 3000; k++) {
			$c["region"] = "function_of_middling_length_" k "(std::vector<int>%20const&)"
			print
		}
	}' out.tsv >big.tsv
	exits 0 andweorc-diff --render big.tsv -f markdown >out.markdown 2>err
	test "$(wc -c <out.markdown)" -le 65000
	has 'and [0-9]* more' out.markdown
	for most in 9000 5000 2000; do
		exits 0 andweorc-diff --render big.tsv -f markdown --max-bytes $most >out.markdown 2>err
		test "$(wc -c <out.markdown)" -le $most
		has 'sections? left out: the comment would be too long' out.markdown
		test "$(grep -o '<details>' out.markdown | wc -l)" -eq "$(grep -o '</details>' out.markdown | wc -l)"
		head -n 2 out.markdown | tail -n 1 >headline
		has '^### .* andweorc: `block` slower, throughput -' headline
	done
	exits 0 andweorc-diff --render big.tsv -f github >out.github 2>err
	test "$(grep -c '^::warning' out.github)" -eq 9
	test "$(grep -c '^::notice' out.github)" -le 9
	has '^::notice title=andweorc::.*[0-9]+ more findings without annotation$' out.github
}
check 'long reports lose whole sections' long_reports_are_shortened

annotations() {
	exits 1 andweorc-diff -f github --fail-on regression base.plain head.plain >out 2>err
	has '^::error file=/src/parse\.c,line=10,title=andweorc::parse\.c:10 costs more: \+[0-9.]* %25 of a visit' out
	has '^::error title=andweorc::block slower: -[0-9.]* %25 throughput' out
	exits 0 andweorc-diff -f github base.plain head.plain >out 2>err
	has '^::warning file=/src/parse\.c,line=10,' out
	exits 0 andweorc-diff -f github head.plain base.plain >out 2>err
	lacks '^::(warning|error)' out
	has '^::notice file=/src/parse\.c,line=10,title=andweorc::parse\.c:10 costs less' out
}
check 'annotations name the line, and are red only at the gate' annotations

the_marker() {
	exits 0 andweorc-diff -f markdown --id 'a b-->c' base.plain head.plain >out 2>err
	head -n 1 out >first
	echo '<!-- andweorc-diff:v1 id=a_b-__c base=abc1234 head=def5678 -->' | same - first
}
check 'the marker' the_marker

done_testing
