#!/bin/sh
# andweorc-plot --base: matching of the regions of two analyses, and the order of the panels.
. "$(dirname "$0")/lib.sh"

# impact REGION LINE SLOPE KEY=VALUE...: a region of work.c, its interval 0.02 wide
impact() {
	region=$1 line=$2 slope=$3
	shift 3
	printf 'impact\tpoint=p\tregion=%s\tscope=line\tfile=%s/work.c\tline=%s\tslope=%s\tslope_lo=%s\tslope_hi=%s\tn=9\tverdict=moderate' \
		"$region" "$root" "$line" "$slope" "$(echo "$slope" | awk '{ print $1 - 0.01 }')" "$(echo "$slope" | awk '{ print $1 + 0.01 }')"
	for field in "$@"; do
		printf '\t%s' "$field"
	done
	printf '\ncurve\tpoint=p\tregion=%s\tspeedup_pct=50\tprogram_pct=%s\n' "$region" "$(echo "$slope" | awk '{ print 50 * $1 }')"
}

# Three lines were put before line 10.  Line 20 was removed, and line 23 is another line than before.
{
	printf 'andweorc\tversion=1\ttool=analyze\n'
	root=/a/base
	impact work.c:10 10 0.30 function=f
	impact work.c:20 20 0.25 function=g
	impact work.c:23 23 0.40 function=h
	impact work.c:5 5 0.11 function=e
} >base.aw
{
	printf 'andweorc\tversion=1\ttool=analyze\n'
	root=/b/head
	impact work.c:13 13 0.32 function=f
	impact work.c:26 25 0.10 function=h
	impact work.c:23 24 0.05 function=new
	impact work.c:5 5 0.11 function=e
} | sed 's/work.c:26/work.c:25/; s/work.c:23/work.c:24/' >head.aw
cat >change.patch <<'END'
diff --git a/work.c b/work.c
--- a/work.c
+++ b/work.c
@@ -9,0 +10,3 @@
+one
+two
+three
@@ -20 +22,0 @@
-gone
END

# titles FILE: prints the titles of the panels, in order, with their comparison with base
titles() {
	sed -n "s/^set label '\(work[^']*\|base[:,][^']*\|head:[^']*\|too few[^'·]*\|no bottleneck[^']*\|new [^']*\)' at screen.*/\1/p" "$1"
}

moved_lines_are_found() {
	exits 0 andweorc-plot --script script --base base.aw --map change.patch head.aw 2>err
	empty err
	titles script >got
	same - got <<-END
	too few runs: slope -0.30
	base, work.c:23: slope 0.40 [0.39, 0.41]
	head: slope 0.10 [0.09, 0.11]
	work.c:25 in h
	too few runs: slope +0.02
	base, work.c:10: slope 0.30 [0.29, 0.31]
	head: slope 0.32 [0.31, 0.33]
	work.c:13 in f
	new bottleneck
	base: no data
	head: slope 0.05 [0.04, 0.06]
	work.c:24 in new
	no bottleneck any more
	base: slope 0.25 [0.24, 0.26]
	head: no data
	work.c:20 in g
	too few runs: slope +0.00
	base: slope 0.11 [0.10, 0.12]
	head: slope 0.11 [0.10, 0.12]
	work.c:5 in e
	END
	has 'too few runs · 5 regions, the most changed first' script
}

# Without the patch, lines with the same text are one; nothing else is taken for one that is not at its place.
text_tells() {
	for side in base head; do
		sed -e '/function=f/s/$/\tline_hash=00000000000000aa\tcontext_hash=11111111.22222222.33333333.44444444.55555555.66666666/' \
			-e '/function=e/s/$/\tline_hash=00000000000000bb\tcontext_hash=77777777.22222222.88888888.99999999.55555555.aaaaaaaa/' \
			-e '/function=h/s/$/\tline_hash=00000000000000cc\tcontext_hash=0.0.0.0.0.0/' $side.aw >$side.hash
	done
	sed -i 's/00000000000000cc/00000000000000dd/' head.hash
	exits 0 andweorc-plot --script script --base base.hash head.hash 2>err
	has "'base, work.c:10: slope 0.30" script
	lacks "'base, work.c:23" script
	has 'too few runs · 6 regions, the most changed first' script
}

order_is_of_the_change() {
	exits 0 andweorc-plot --script one --base base.aw --map change.patch head.aw
	{
		head -n 1 head.aw
		sed 1d head.aw | sort
	} >sorted
	exits 0 andweorc-plot --script two --base base.aw --map change.patch sorted
	same one two
	exits 0 andweorc-plot -t 2 --script script --base base.aw --map change.patch head.aw
	has 'the 2 of 5 regions that changed most' script
	test "$(grep -c '^# panel' script)" -eq 2
	# A wide interval makes a change less important.
	sed '/function=h/s/slope_hi=[0-9.]*/slope_hi=0.9/' head.aw >wide
	exits 0 andweorc-plot --script script --base base.aw --map change.patch wide
	titles script | grep work.c | grep -v base >got
	sed -n 1p got >first
	echo 'work.c:13 in f' | same - first
}

# A region that only base has is drawn from base alone, in each format.
vanished_is_drawn() {
	for suffix in svg png txt; do
		exits 0 andweorc-plot -o "chart.$suffix" --base base.aw --map change.patch head.aw 2>err
		empty err
	done
	has '<text>work.c:20 in g</text>' chart.svg
	has 'head: no data' chart.txt
	printf 'andweorc\tversion=1\ttool=analyze\nimpact\tpoint=p\tregion=x\tverdict=not-enough-data\tn=0\n' >none
	exits 0 andweorc-plot --base base.aw none >out 2>err
	has 'work.c:10 in f' out
}

# side FILE [-v NAME=VALUE]...: the analysis of a simulated side, with runs
side() {
	out=$1
	shift
	awk "$@" -f "$data/random.awk" -f "$data/diff/side.awk" | andweorc-analyze >"$out"
}

# The panels show the verdict and the numbers of andweorc-diff.
verdicts_are_those_of_diff() {
	side before -v side=base
	side after -v side=head -v cost='parse=1.3 sort=0.7' -v gone=log
	exits 0 andweorc-diff before after >diff 2>err
	exits 0 andweorc-plot --script script --base before after 2>err
	empty err
	# as in "costs more: +12.3 % of a visit [+10.1, +14.5], q 0.001; ..."
	sed -n 's/^    cost      \(.*\), q .*/\1/p' diff >want
	test "$(wc -l <want)" -ge 2
	while IFS= read -r text; do
		grep -F "set label '$text · slope " script
	done <want
	sed -n "s/^set label '\(costs [a-z]*\|unchanged\|on one side only\)[:'].*/\1/p" script >got
	sed -n '1,2p' got | sort >first
	printf 'costs less\ncosts more\n' | same - first
	has '^on one side only$' got
	sed -n "s/^point    'block': \([a-z ]*\), throughput .*/\1/p" diff >want
	test -s want
	has "^set label '$(cat want): throughput [-+][0-9.]* % \[" script
	# One run a side decides nothing, and is not called a change.
	side few -v side=head -v runs=1 -v cost=parse=1.3
	exits 0 andweorc-plot --script script --base before few 2>err
	has "^set label 'too few runs: [-+]" script
	lacks "^set label '(likely )?costs" script
}

# An unknown slope on one side is not a slope of 0.
no_data_is_not_zero() {
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		root=/a/base
		impact work.c:1 1 0.30 function=f
		printf 'impact\tpoint=p\tregion=work.c:2\tscope=line\tfile=/a/base/work.c\tline=2\tfunction=g\tn=0\tverdict=not-enough-data\n'
	} >some
	{
		printf 'andweorc\tversion=1\ttool=analyze\n'
		root=/a/base
		impact work.c:1 1 0.25 function=f
		impact work.c:2 2 0.90 function=g
		impact work.c:3 3 0.80
	} >more
	exits 0 andweorc-plot --script script --base some more 2>err
	titles script | grep '^work' >got
	same - got <<-\END
	work.c:1 in f
	work.c:3
	work.c:2 in g
	END
	has "'base: no data'" script
	has "'base: slope unknown'" script
	lacks 'slope [-+]0\.[89]0' script
	# A point that base does not have.
	sed 's/point=p/point=other/' some >other
	exits 0 andweorc-plot --script script --base other more 2>err
	empty err
	lacks "'base: slope" script
}

map_wants_a_base() {
	exits 2 andweorc-plot --map change.patch head.aw >out 2>err
	echo "andweorc-plot: --map is for --base; see 'andweorc-plot --help'" | same - err
	exits 2 andweorc-plot --map nowhere --base base.aw head.aw --script script 2>err
	has "andweorc-plot: .*'nowhere'" err
}

check 'moved lines are found by the patch' moved_lines_are_found
check 'without it, by their text' text_tells
check 'the most changed come first' order_is_of_the_change
check 'the verdict is that of andweorc-diff' verdicts_are_those_of_diff
check 'a side without data is no slope of 0' no_data_is_not_zero
check 'map needs a base, and to be there' map_wants_a_base
if command -v gnuplot >/dev/null; then
	check 'a region that only base has' vanished_is_drawn
else
	skip 'a region that only base has' 'no gnuplot'
fi

done_testing
