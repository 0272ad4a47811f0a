#!/bin/sh
# andweorc-plot: names that gnuplot, a shell, a terminal or XML would act on are
# only ever drawn.  Names come from the symbol tables of strangers' pull requests.
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || skip_all 'no gnuplot'

# Escapes standard input as a value of the format.
escaped() {
	od -An -v -tu1 | LC_ALL=C awk '{
		for (i = 1; i <= NF; i++)
			printf $i <= 32 || $i == 37 || $i == 127 ? "%%%02X" : "%c", $i
	}'
}

# analysis NAME: the name in each place that is drawn
analysis() {
	name=$(printf '%b' "$1" | escaped)
	printf 'andweorc\tversion=1\ttool=analyze\nrun\tid=1\tcommand=%s\n' "$name"
	printf 'impact\tpoint=%s\tregion=%s\tfunction=x%s\tfile=%s\tline=1\tslope=0.5\tslope_lo=0.4\tslope_hi=0.6\tverdict=%s\tneed=%s\tbasis=%s\n' \
		"$name" "$name" "$name" "$name" "$name" "$name" "$name"
	printf 'curve\tpoint=%s\tregion=%s\tspeedup_pct=50\tprogram_pct=25\tlo=20\thi=30\n' "$name" "$name"
}

# A stand-in for gnuplot, which takes half a second for a picture of points: keeps the script.
mkdir stub scripts
printf '#!/bin/sh\ncat >told && printf IEND\n' >stub/gnuplot
chmod +x stub/gnuplot

# Afterwards the directory may have only the expected files; the names try to make a file `pwned`.
is_only_drawn() {
	rm -rf arena
	mkdir arena
	cd arena
	analysis "$1" >log
	for suffix in svg png txt; do
		path=$PATH
		test $suffix != png || path=$scratch/stub:$PATH
		exits 0 env PATH="$path" andweorc-plot -o "out.$suffix" --script script --base log --title "$(printf '%b.' "$1")" log >out 2>err
		empty out
		empty err
		cp script ../scripts/$tests.$suffix
		test $suffix != png || same script told
	done
	ls >made
	same - made <<-\END
	err
	log
	made
	out
	out.png
	out.svg
	out.txt
	script
	told
	END
	# no line of the script starts with text of the input
	lacks '^(pwned|system|!|EOD.|touch|print|`|\$\()' script
	LC_ALL=C lacks '[[:cntrl:]]' script
	LC_ALL=C lacks '[[:cntrl:]]' out.txt
	lacks '\]\]>' out.svg
	lacks '<(script|/text><)' out.svg
	! command -v xmllint >/dev/null || xmllint --noout out.svg
	test "$(grep -c '^EOD$' script)" -eq "$(grep -c '<< EOD$' script)"
}

# All of those scripts, by hand, by one gnuplot; pictures of points as small ones.
are_drawn_by_hand() {
	sed -i 's/^\(set terminal pngcairo .*\) size [0-9]*,[0-9]*/\1 size 300,200/' scripts/*.png
	grep -L '^set terminal pngcairo .* size 300,200' scripts/*.png >unlike
	empty unlike
	test "$(ls scripts | wc -l)" -eq $((3 * tests))
	rm -rf arena
	mkdir arena
	(cd arena && exits 0 gnuplot -d ../scripts/* >../hand 2>../err)
	empty err
	ls arena >made
	empty made
	test "$(grep -ac '^</svg>' hand)" -eq "$tests"
}

# The name stands in the picture, as it is (escaped for XML) and whole.
is_drawn_as_it_is() {
	analysis "$1" >log
	exits 0 andweorc-plot -o out.svg log >out 2>err
	grep -F "<text>$2 in x$2</text>" out.svg
	exits 0 andweorc-plot -o out.txt log >out 2>err
	grep -F "$3 in x$3" out.txt
}

while IFS= read -r name; do
	check "only drawn: $(printf %s "$name" | tr '\\#' '/_')" is_only_drawn "$name"
done <<\END
`touch pwned`
a`touch pwned`b
$(touch pwned)
"`touch pwned`"
'`touch pwned`'
"; system("touch pwned"); "
'; system("touch pwned"); #
''; system("touch pwned"); #
\\'; system("touch pwned"); #
\\
\\\\
x\\'
'
''
"
f\nsystem("touch pwned")\n
f\n!touch pwned\n
f'\n!touch pwned\n'
f\r!touch pwned\r
EOD
f\nEOD\n!touch pwned\n$head0 << EOD
@pwned
@{pwned}
%s%n%d%s%s
%%
100%
{/:Bold x}_{y}^2&~
a\\nb\\tc\\101
</text><script>alert(1)</script>
]]>&lt;&amp;
operator<<<>(std::vector<int>&, "x")
::error::pwned
\033[2Jx\033]0;pwned\007
a\0302\0205b
a\0342\0200\0256b
\0377\0376\0300\0200
\0355\0240\0200
\0357\0277\0276
\011\013\014
#pwned
!touch pwned
-e
/etc/passwd
$GNUPLOT_LIB
Größe_计算_🚀
_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure$u7d$$u7d$$GT$17hE
}
{
a}b}c
{ touch pwned }
'{
}'
a'b{c"d}e`f
-'-''-'''-
x{"'"}
do for [i=1:2] { system("touch pwned") }
END
check 'their scripts only draw, too' are_drawn_by_hand

check 'as it is: backticks and quotes' is_drawn_as_it_is "a\`b\`'c'\"d\"" "a\`b\`'c'\"d\"" "a\`b\`'c'\"d\""
check 'as it is: markup' is_drawn_as_it_is 'v<a&b>_{x}^y@z~%s\\n' 'v&lt;a&amp;b>_{x}^y@z~%s\n' 'v<a&b>_{x}^y@z~%s\n'
check 'as it is: letters of all kinds' is_drawn_as_it_is 'Größe 计算' 'Größe 计算' 'Größe 计算'
check 'invisible characters are left out' is_drawn_as_it_is 'a\nb\033[31mc\0342\0200\0256d' 'ab[31mcd' 'ab[31mcd'
check 'what is no UTF-8 is marked' is_drawn_as_it_is 'a\0377b' 'a�b' 'a�b'

# A file name is never part of the script, and needs no quoting.
hostile_file_names() {
	for file in '`touch pwned`.svg' "'; system('touch pwned'); '.svg" '-.svg' '$(touch pwned).svg'; do
		rm -rf arena
		mkdir arena
		cp "$data/plot/head.aw" log
		(cd arena && exits 0 andweorc-plot --output="$file" ../log) 2>err
		empty err
		ls arena >made
		printf '%s\n' "$file" >want
		same want made
	done
}
check 'file names' hostile_file_names

# A long name keeps its head and its tail.
long_names_are_cut() {
	long=$(awk 'BEGIN { printf "begin_"; for (i = 0; i < 20000; i++) printf "abcdefgh"; print "_end" }')
	analysis "$long" >log
	exits 0 andweorc-plot -o out.svg log >out 2>err
	has '<text>begin_abcd[a-h]*…[a-h]*_end</text>' out.svg
	has '<text>in xbegin_abcd[a-h]*…[a-h]*_end</text>' out.svg
	lacks '<text>.{120}' out.svg
	exits 0 andweorc-plot log >out 2>err
	lacks '.{101}' out
	has '^      begin_abcd[a-h]*…[a-h]*_end in xbegin_[a-h]*…[a-h]*_end$' out
}
check 'long names are cut in their middle' long_names_are_cut

done_testing
