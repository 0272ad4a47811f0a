#!/bin/sh
# andweorc-plot: the picture of each input, and the inputs that are refused.
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || skip_all 'no gnuplot'
head=$data/plot/head.aw
base=$data/plot/base.aw

# The script is the chart as text: compared whole, but for the version.
script_is() {
	golden=$1
	shift
	exits 0 andweorc-plot --script got.gp "$@" >out 2>err
	empty err
	sed '1s/andweorc-plot [0-9.]*[0-9]/andweorc-plot VERSION/' got.gp >got
	same "$data/plot/$golden" got
}

svg_is_drawn() {
	exits 0 andweorc-plot -o chart.svg --base "$base" "$head" >out 2>err
	empty out
	empty err
	has '^<\?xml' chart.svg
	has '</svg>' chart.svg
	for text in 'What changed in pzip at progress point block' 'pzip.c:210 in deflate_chunk' \
		'1 region · intervals within runs' 'head: slope 0.71 \[0.66, 0.76\] · 62 % of samples' \
		'high value, no gain past 50 %' 'base: slope 0.52 \[0.47, 0.57\]' 'too few runs: slope \+0.19' \
		'harmful: slows the program down' 'not enough data: .* \(record with -d 120\)' 'base: no data' 'on one side only'; do
		has "<text>$text</text>" chart.svg
	done
	lacks 'font-family="[^"]*:' chart.svg
}

# librsvg (GNOME, ImageMagick, previews) gives up a picture for a point of size 0, and takes no name that is no XML.
svg_is_taken_by_librsvg() {
	{
		cat "$head"
		printf 'impact\tpoint=block\tregion=n\tslope=0.1\tslope_lo=0.05\tslope_hi=0.2\tverdict=low\n'
		printf 'curve\tpoint=block\tregion=n\tspeedup_pct=50\tprogram_pct=5\n'
	} >more
	for base in "" "--base=$base"; do
		exits 0 andweorc-plot -o chart.svg $base more >out 2>err
		lacks 'scale\(-?0*(\.0*)?\)' chart.svg
		command -v rsvg-convert >/dev/null || continue
		exits 0 rsvg-convert -o chart.png chart.svg 2>err
		empty err
		# A drawn picture is large: an empty one of this size has a thousandth of its bytes.
		sed -n '1,/<svg/p; s/^ \(width\|height\|viewBox\|xmlns\)=.*/&/p' chart.svg >paper.svg
		echo '><rect width="100%" height="100%" fill="white"/></svg>' >>paper.svg
		exits 0 rsvg-convert -o paper.png paper.svg
		test "$(wc -c <chart.png)" -gt $((10 * $(wc -c <paper.png)))
	done
}

# The title is for screen readers, and for tabs of browsers.
svg_says_what_it_shows() {
	exits 0 andweorc-plot -o chart.svg "$head" >out 2>err
	has '^<title id="andweorc-title">What would speed up pzip at progress point block; What .* point file</title>$' chart.svg
	has '^pzip.c:210 in deflate_chunk: slope 0.71 \[0.66, 0.76\] · 62 % of samples; high value, no gain past 50 %$' chart.svg
	has 'role="img" aria-labelledby="andweorc-title andweorc-desc">' chart.svg
	lacks 'Gnuplot|GNUPLOT|<title>' chart.svg
	printf 'andweorc\tversion=1\ttool=analyze\ncurve\tpoint=a&b<c>]]>\tregion=r&<b>\tspeedup_pct=50\tprogram_pct=1\n' >odd
	exits 0 andweorc-plot -o chart.svg odd
	has '<title id="andweorc-title">What would speed up the program at progress point a&amp;b&lt;c&gt;]]&gt;</title>' chart.svg
	has '^r&amp;&lt;b&gt;: slope unknown</desc>$' chart.svg
	! command -v xmllint >/dev/null || xmllint --noout chart.svg
}

# contrast: of two colours, "#RRGGBB", as WCAG has it
contrast() {
	printf '%s%s\n' "$1" "$2" | sed 's/#\(..\)\(..\)\(..\)/0x\1 0x\2 0x\3 /g' >channels
	read -r r1 g1 b1 r2 g2 b2 <channels
	echo $((r1)) $((g1)) $((b1)) $((r2)) $((g2)) $((b2)) | awk '
		function part(x) { x = x / 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ^ 2.4 }
		{
			a = 0.2126 * part($1) + 0.7152 * part($2) + 0.0722 * part($3) + 0.05
			b = 0.2126 * part($4) + 0.7152 * part($5) + 0.0722 * part($6) + 0.05
			printf "%.2f\n", (a > b ? a / b : b / a)
		}'
}

themes_can_be_read() {
	for theme in light dark; do
		exits 0 andweorc-plot --theme $theme --script script --base "$base" "$head"
		ground=$(sed -n "s/^set terminal .* background '\(#[0-9A-F]*\)'$/\1/p" script)
		test -n "$ground"
		{
			sed -n "s/.* textcolor rgb '\(#[0-9A-F]*\)'.*/\1 4.5/p" script
			sed -n "s/^set style line .* rgb '\(#[0-9A-F]*\)'.*/\1 3/p" script
		} | sort -u >colours
		test "$(wc -l <colours)" -ge 6
		while read -r colour least; do
			got=$(contrast "$colour" "$ground")
			echo "$theme: $colour on $ground: $got"
			test "$(echo "$got $least" | awk '{ print ($1 >= $2) }')" -eq 1
		done <colours
	done
	andweorc-plot --script one --theme light "$head"
	andweorc-plot --script two "$head"
	same one two
	exits 2 andweorc-plot --theme blue "$head" >out 2>err
	echo "andweorc-plot: unknown theme 'blue': light, dark or auto" | same - err
	empty out
}

# Each colour in the picture has a rule for dark mode; in light mode, nothing changes.
theme_follows_the_viewer() {
	exits 0 andweorc-plot --theme auto -o auto.svg --base "$base" "$head" 2>err
	empty err
	sed -n '/<style>/,/<\/style>/p' auto.svg >style
	has 'prefers-color-scheme:dark' style
	sed '1,/gnuplot_canvas/d' auto.svg | grep -Eo "(fill|stroke|color) ?= ?[\"'](rgb|#)[^\"']*" |
		sed "s/ *= *[\"']/=\"/" | sort -u >drawn
	test "$(wc -l <drawn)" -ge 10
	while read -r attribute; do
		grep -Fq "[$attribute\"]" style || { echo "no rule for $attribute"; return 1; }
	done <drawn
	sed '/<style>/,/<\/style>/d' auto.svg >without
	andweorc-plot -o light.svg --base "$base" "$head"
	same light.svg without
	exits 2 andweorc-plot --theme auto -o auto.png "$head" 2>err
	echo 'andweorc-plot: the theme auto is for .svg; a PNG is light or dark' | same - err
	test ! -e auto.png
	if command -v rsvg-convert >/dev/null; then
		rsvg-convert -o auto.png auto.svg
		rsvg-convert -o light.png light.svg
		cmp auto.png light.png
	fi
}

# Names as compilers make them: place and function can both be told, and neither leaves its panel.
long_names_keep_place_and_function() {
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		for i in 1 2 3; do
			region=very/long/path/to/the/source/of/some/library/include/container_$i.h:1234
			function="ns::table<ns::policy<std::string,%20int>,%20std::less<int>%20>::find_$i(std::string%20const&)%20const"
			printf 'impact\tpoint=p\tregion=%s\tscope=line\tfunction=%s\tslope=0.%s\tverdict=moderate\n' $region "$function" $i
			printf 'curve\tpoint=p\tregion=%s\tspeedup_pct=50\tprogram_pct=%s\n' $region $i
		done
	} >long
	exits 0 andweorc-plot -o chart.svg long
	for i in 1 2 3; do
		has "<text>very/long/[a-z/]*…[a-z/]*/container_$i.h:1234</text>" chart.svg
		has "<text>in ns::table&lt;.*>::find_$i</text>" chart.svg
	done
	exits 0 andweorc-plot long >out
	has '^      …/container_3.h:1234 in ns::table<…>::find_3  ' out
	# With room for both, they stand on one line.
	exits 0 andweorc-plot -o chart.svg "$head"
	has '<text>writer.c:88 in write_ordered</text>' chart.svg
}

png_is_drawn() {
	exits 0 andweorc-plot -o first.png -p block --output other.png "$head" >out 2>err
	empty out
	empty err
	test ! -e first.png
	# signature, IHDR, width and height: twice those of the SVG
	od -An -tx1 -N24 other.png | tr -d ' \n' >header
	andweorc-plot -p block --script - "$head" | sed -n 's/^set terminal svg .* size \([0-9]*\),\([0-9]*\) .*/\1 \2/p' >size
	read -r width height <size
	printf '89504e470d0a1a0a0000000d49484452%08x%08x' $((2 * width)) $((2 * height)) >want
	same want header
	tail -c 12 other.png | grep -q IEND
}

text_is_drawn() {
	exits 0 andweorc-plot -o chart.txt "$head" >out 2>err
	empty out
	empty err
	exits 0 andweorc-plot "$head" >out 2>err
	empty err
	same chart.txt out
	lacks '.{101}' out
	lacks ' $' out
	lacks '[[:cntrl:]]' out
	has '^      pzip.c:210 in deflate_chunk  +writer.c:88 in write_ordered$' out
	has '^   0 \+\|\++  \+\|\*+o\++$' out
	has '^      0  .* 50  .* 75   0  .* 50  .* 75$' out
	test "$(grep -c 'What would speed up pzip at progress point' out)" -eq 2
}

standard_input_is_read() {
	andweorc-plot "$head" >want
	exits 0 andweorc-plot <"$head" >out 2>err
	same want out
	exits 0 andweorc-plot - <"$head" >out 2>err
	same want out
	exits 0 andweorc-plot --base - "$head" <"$base" >out 2>err
	has 'base: slope 0.52' out
	exits 2 andweorc-plot --base - <"$base" >out 2>err
	has '^andweorc-plot: standard input cannot be both' err
	empty out
}

point_is_chosen() {
	exits 0 andweorc-plot -p file "$head" >out 2>err
	has 'progress point file' out
	lacks 'progress point block' out
	exits 0 andweorc-plot --point block "$head" >out 2>err
	lacks 'progress point file' out
	exits 2 andweorc-plot -p nosuch "$head" >out 2>err
	empty out
	same - err <<-\END
	andweorc-plot: nothing to plot: no progress point 'nosuch'; the first is 'block'
	END
}

top_limits_the_regions() {
	exits 0 andweorc-plot -t 2 -p block "$head" >out 2>err
	has 'the 2 most useful of 4 regions' out
	has 'pzip.c:210' out
	has 'writer.c:88' out
	lacks 'crc.c:12|queue.c:31' out
	exits 0 andweorc-plot --top 2 -p block "$head" >again 2>err
	same out again
	for n in 0 -1 x 2.5 '' 99999999; do
		exits 2 andweorc-plot -t "$n" "$head" >out 2>err
		empty out
		has "^andweorc-plot: bad number '$n' for --top" err
	done
}

# Advice is whole, or left out: text in other parentheses is no advice.
advice_is_whole() {
	sed 's/need=[^	]*/need=8%20windows%20or%20more,%20at%20two%20speedups%20or%20more,%20of%20one%20length%20(there%20are%205)/' "$head" >few
	exits 0 andweorc-plot -o few.txt few
	has ' not enough data( |$)' few.txt
	lacks 'there are' few.txt
	exits 0 andweorc-plot "$head" >out
	has ' not enough data: record with -d 120( |$)' out
}

# An interval below the share is worth saying, though it is too wide for a verdict.
below_share() {
	sed 's/share_pct=0.4	n=7/share_pct=40	slope=0.1	slope_lo=-0.1	slope_hi=0.3	n=7/' "$head" >wide
	exits 0 andweorc-plot -o wide.txt wide
	has ' below its share: record with -d 120( |$)' wide.txt
}

# A class of waiting has no share of CPU samples worth saying.
blocked_share() {
	exits 0 andweorc-plot --script script "$data/analyze/reach.out" >out 2>err
	has "slope 0.41 \\[0.19, 0.62\\] · 12 % of blocked time" script
	has "slope 0.50 \\[0.24, 0.77\\] · 4.0 % of samples" script
}

title_replaces_the_command() {
	exits 0 andweorc-plot --title 'Before the change' "$head" >out 2>err
	has '^Before the change$' out
	has '^progress point block · 4 regions' out
	lacks 'pzip at' out
}

# Thirteen regions: a page of twelve and a page of one, in one picture.
pages_are_filled() {
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		for i in 01 02 03 04 05 06 07 08 09 10 11 12 13; do
			printf 'impact\tpoint=p\tregion=f%s\tslope=0.%s\tverdict=moderate\n' $i $i
			printf 'curve\tpoint=p\tregion=f%s\tspeedup_pct=50\tprogram_pct=%s\n' $i $i
		done
	} >many
	exits 0 andweorc-plot -t 100 --script - many >script 2>err
	test "$(grep -c '^# panel' script)" -eq 13
	test "$(grep -c '^# page' script)" -eq 2
	has 'the 12 most useful of 13 regions' script
	has 'regions 13 to 13 of 13' script
	exits 0 andweorc-plot --script - many >script 2>err
	test "$(grep -c '^# panel' script)" -eq 6
}

too_many_pages_are_refused() {
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
			printf 'curve\tpoint=p%s\tregion=f\tspeedup_pct=50\tprogram_pct=1\n' $i
		done
	} >many
	exits 2 andweorc-plot -o many.svg many >out 2>err
	test ! -e many.svg
	has '^andweorc-plot: 30 pages are too many for one picture; choose' err
	exits 0 andweorc-plot many >out 2>err
	has 'progress point p30' out
}

# Records of one header may come in any order.
order_does_not_matter() {
	andweorc-plot --script want.gp --base "$base" "$head"
	(sed -n 1p "$head" && sed 1d "$head" | grep '^run' && sed 1d "$head" | grep -v '^run' | grep 'point=block' | sort -r &&
		grep 'point=file' "$head" | sort -r) >mixed
	andweorc-plot --script got.gp --base "$base" mixed
	same want.gp got.gp
}

# Analyses of different points, one behind the other, are one analysis.
concatenation_is_legal() {
	andweorc-plot --script want.gp "$head"
	grep -v 'point=file' "$head" >one
	(sed -n 1,2p "$head" && grep 'point=file' "$head") >two
	cat one two >both
	exits 0 andweorc-plot --script got.gp both 2>err
	empty err
	same want.gp got.gp
}

bad_records_are_told() {
	{
		cat "$head"
		printf 'impact\tpoint=block\tregion=x\tslope=steep\tverdict=high\n'
		printf 'curve\tpoint=block\tregion=x\tspeedup_pct=120\tprogram_pct=1\n'
		printf 'curve\tpoint=block\tregion=pzip.c:210\tspeedup_pct=30\tprogram_pct=1\n'
		printf 'impact\tpoint=block\tregion=pzip.c:210\tverdict=low\n'
		printf 'curve\tpoint=block\tspeedup_pct=5\tprogram_pct=nan\n'
	} >bad
	n=$(wc -l <"$head")
	exits 2 andweorc-plot bad >out 2>err
	has 'pzip.c:210' out
	sed 's/^andweorc-plot: bad://' err >got
	cat >want <<-END
	$((n + 1)): bad number 'steep' for 'slope'
	$((n + 2)): 'speedup_pct' is 120, not within 0 and 100
	$((n + 3)): second curve record of region 'pzip.c:210' on point 'block' at 30 %
	$((n + 4)): second impact of region 'pzip.c:210' on point 'block'
	END
	head -n 4 got >first
	same want first
	has "^$((n + 5)): .*'region'" got
	has "^$((n + 5)): .*'nan'" got
}

nothing_to_plot() {
	echo "andweorc-plot: nothing to plot: $1" >line
	exits 2 andweorc-plot -o nothing.svg log >out 2>err
	empty out
	test ! -e nothing.svg
	same line err
}

empty_is_never_silent() {
	printf 'andweorc\tversion=1\ttool=record\nrun\tid=1\tcommand=true\n' >log
	nothing_to_plot 'no analysis, but a log of andweorc-record; run andweorc-analyze on it first'
	printf 'andweorc\tversion=1\ttool=analyze\n' >log
	nothing_to_plot 'the analysis holds no impact'
	printf 'andweorc\tversion=1\ttool=analyze\nwarning\twhat=no-baselines\ttext=no%%20baseline;%%20use%%20-d\n' >log
	nothing_to_plot 'no baseline; use -d'
	printf 'andweorc\tversion=1\ttool=analyze\nimpact\tpoint=p\tregion=r\tverdict=not-enough-data\n' >log
	nothing_to_plot 'no region has a curve yet; record for longer (-d)'
	: >log
	nothing_to_plot 'the analysis holds no impact'
}

format_is_told_by_the_suffix() {
	for file in chart chart.pdf .svg svg chart.SVG chart.svg/; do
		exits 2 andweorc-plot -o "$file" "$head" >out 2>err
		has "^andweorc-plot: cannot tell the format of '$file': the name ends in .svg, .png or .txt; see" err
		has "; see 'andweorc-plot --help'\$" err
		test ! -e "$file"
	done
}

script_is_written_alone() {
	exits 0 andweorc-plot --script only.gp "$head" >out 2>err
	empty out
	has '^set terminal svg ' only.gp
	exits 0 andweorc-plot --script - "$head" >out 2>err
	same only.gp out
	(PATH=$O:/nowhere exits 0 "$O/andweorc-plot" --script without.gp "$head")
	same only.gp without.gp
}

script_draws_the_same() {
	andweorc-plot -o chart.svg --script chart.gp "$head"
	env -i PATH="$PATH" gnuplot -d chart.gp >hand.svg
	# but for the words that gnuplot cannot say
	for picture in chart hand; do
		sed '1,/^<g id="gnuplot_canvas">/d; s/<title>[^<]*<\/title>//' $picture.svg >$picture.body
		test -s $picture.body
	done
	same chart.body hand.body
	andweorc-plot -o chart.txt --script chart.gp "$head"
	env -i PATH="$PATH" gnuplot -d chart.gp | tr -d '\f' | sed 's/ *$//' >hand.txt
	same chart.txt hand.txt
}

extremes_are_drawn() {
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		printf 'impact\tpoint=p\tregion=wide\tslope=1e300\tslope_lo=-1e300\tslope_hi=1e300\tverdict=high\tmax_useful_pct=1e9\n'
		printf 'curve\tpoint=p\tregion=wide\tspeedup_pct=50\tprogram_pct=-1e300\tlo=-1e308\thi=1e308\n'
		printf 'impact\tpoint=p\tregion=zero\tslope=0\tslope_lo=0\tslope_hi=0\tverdict=none\n'
		printf 'curve\tpoint=p\tregion=zero\tspeedup_pct=0\tprogram_pct=0\tlo=0\thi=0\n'
		printf 'impact\tpoint=q\tregion=slope-only\tslope=0.5\tslope_lo=0.4\tslope_hi=0.6\tverdict=moderate\n'
		printf 'curve\tpoint=r\tregion=curve-only\tspeedup_pct=1e-9\tprogram_pct=1e-9\tlo=5\thi=-5\n'
	} >log
	for suffix in svg png txt; do
		exits 0 andweorc-plot -o "out.$suffix" --base "$base" log >out 2>err
		empty err
	done
	has '<text>slope-only</text>' out.svg
}

check 'script for SVG' script_is head.svg.gp -p block "$head"
check 'script for SVG, two points, base' script_is base.svg.gp --base "$base" "$head"
check 'script for PNG' script_is head.png.gp -o chart.png --title 'A title' -t 1 "$head"
check 'script for text' script_is head.txt.gp -o chart.txt --base "$base" -p block "$head"
check 'SVG is drawn' svg_is_drawn
if command -v rsvg-convert >/dev/null; then
	check 'SVG is taken by librsvg' svg_is_taken_by_librsvg
else
	check 'SVG has no point of size 0' svg_is_taken_by_librsvg
	skip 'SVG is taken by librsvg' 'no rsvg-convert'
fi
check 'SVG says what it shows' svg_says_what_it_shows
check '--theme: texts and curves can be read' themes_can_be_read
check '--theme auto' theme_follows_the_viewer
check 'long names: place and function' long_names_keep_place_and_function
check 'PNG is drawn' png_is_drawn
check 'text is drawn, 100 columns wide' text_is_drawn
check 'standard input is read' standard_input_is_read
check '-p' point_is_chosen
check '-t' top_limits_the_regions
check 'advice is whole' advice_is_whole
check 'an interval below the share is said to be' below_share
check 'a region that only waits' blocked_share
check '--title' title_replaces_the_command
check 'at most 12 panels a page' pages_are_filled
check 'too many pages are refused' too_many_pages_are_refused
check 'order of records does not matter' order_does_not_matter
check 'concatenated analyses' concatenation_is_legal
check 'bad records are told, the rest is drawn' bad_records_are_told
check 'nothing to plot: the reason is said' empty_is_never_silent
check 'format by suffix' format_is_told_by_the_suffix
check '--script alone runs no gnuplot' script_is_written_alone
check '--script, run by hand, draws the same' script_draws_the_same
check 'extreme numbers' extremes_are_drawn

done_testing
