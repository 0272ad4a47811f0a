#!/bin/sh
# andweorc-diff: verdicts on simulated programs whose truth is known, gates, formats, environments.
. "$(dirname "$0")/lib.sh"

# on_hosts NAME FILE: run N on machine NAME.N; on_host NAME FILE: all runs on one
on_hosts() {
	awk -v OFS='\t' -v name="$1" '/^run\t/ { sub(/\thost=[^\t]*/, ""); $0 = $0 "\thost=" name "." ++n } { print }' "$2"
}
on_host() {
	sed '/^run	/s/	host=[^	]*//; /^run	/s/$/	host='"$1/" "$2"
}

# side FILE [-v NAME=VALUE]...: the analysis of one side
side() {
	out=$1
	shift
	awk "$@" -f "$data/random.awk" -f "$data/diff/side.awk" | andweorc-analyze >"$out"
}

side base -v side=base
side same -v side=head
side slower -v side=head -v cost=parse=1.3
side faster -v side=head -v cost=parse=0.7
side shifted -v side=head -v cost='parse=0.7 sort=1.48'
side without -v side=head -v gone=write
side short -v side=head -v runs=1
side alone -v side=base -v runs=1

# field NAME FILE: a column of rows "row point region verdict ..." by its name
column() {
	awk -F '\t' -v name="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$1 == "point" || $1 == "region" { print $1 (($1 == "region") ? " " $c["region"] : ""), $c[name] == "" ? "-" : $c[name] }' "$2"
}

slower_is_found() {
	exits 0 andweorc-diff -f tsv base slower >got.tsv 2>err
	empty err
	column verdict got.tsv >got
	has '^point changed$' got
	has '^region parse\.c:10 changed$' got
	test "$(grep -c 'changed$' got | tr -d ' ')" -ge 2
	lacks '^region (sort|write|hash|log)\.c:[0-9]* (changed|likely)$' got
	column direction got.tsv >got
	has '^point slower$' got
	has '^region parse\.c:10 slower$' got
	column design got.tsv >got
	lacks '(none|welch|means|within-run)$' got
}
check 'one region 30 % slower: found, and none other' slower_is_found

# 240 us of 2 ms are 12 %; the others keep their cost, though their slopes fall.
cost_is_absolute() {
	exits 0 andweorc-diff -f tsv base slower >got.tsv 2>err
	awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$1 == "region" && $c["region"] == "parse.c:10" { ok = $c["pct_lo"] < 12 && $c["pct_hi"] > 12 && $c["delta_lo"] < 240000 && $c["delta_hi"] > 240000 }
	$1 == "region" && $c["region"] != "parse.c:10" && ($c["delta_lo"] > 0 || $c["delta_hi"] < 0) { print; bad = 1 }
	$1 == "point" { rate = $c["pct_lo"] < -10.7 && $c["pct_hi"] > -10.7 }
	END { exit !(ok && rate && !bad) }' got.tsv
}
check 'costs are absolute: the truth is in the intervals' cost_is_absolute

# A knee below all speedups that were tried: parse may have cost more in base than is seen, and no less have been added.
cost_is_open() {
	sed '/^impact.*region=parse/s/$/	cost_more_ns=100000/' base >open
	exits 0 andweorc-diff -f tsv open slower >got.tsv 2>err
	column verdict got.tsv >got
	has '^region parse\.c:10 changed$' got
	column delta_lo got.tsv | sed -n 's/^region parse.c:10 //p' >lo
	exits 0 andweorc-diff -f tsv base slower >got.tsv 2>err
	column delta_lo got.tsv | sed -n 's/^region parse.c:10 //p' | paste - lo | awk '{ exit !($1 - $2 > 99990 && $1 - $2 < 100010) }'
	sed '/^impact.*region=parse/s/$/	cost_more_ns=300000/' base >open
	exits 0 andweorc-diff -f tsv open slower >got.tsv 2>err
	column verdict got.tsv >got
	has '^region parse\.c:10 inconclusive$' got
	# nor is it known to be unchanged
	side calm -v side=base -v noise=0.001 -v spread=0.001 -v cv=0.1
	side calm.same -v side=head -v noise=0.001 -v spread=0.001 -v cv=0.1
	exits 0 andweorc-diff -f tsv calm calm.same >got.tsv 2>err
	column verdict got.tsv >got
	has '^region parse\.c:10 (unchanged|minor)$' got
	sed '/^impact.*region=parse/s/$/	cost_more_ns=300000/' calm.same >open
	exits 0 andweorc-diff -f tsv calm open >got.tsv 2>err
	column verdict got.tsv >got
	has '^region parse\.c:10 inconclusive$' got
	column mde_pct got.tsv >got
	has '^region parse\.c:10 -$' got
}
check 'what a knee below all speedups would explain is no change' cost_is_open

faster_is_found() {
	exits 0 andweorc-diff -f tsv base faster >got.tsv 2>err
	column direction got.tsv >got
	has '^point faster$' got
	has '^region parse\.c:10 faster$' got
}
check 'faster is found' faster_is_found

gates() {
	exits 0 andweorc-diff base slower >out 2>err
	exits 1 andweorc-diff --fail-on regression base slower >out 2>err
	exits 1 andweorc-diff --fail-on change base slower >out 2>err
	exits 1 andweorc-diff --fail-on inconclusive,regression base slower >out 2>err
	exits 0 andweorc-diff --fail-on regression base faster >out 2>err
	exits 1 andweorc-diff --fail-on change base faster >out 2>err
	exits 0 andweorc-diff --fail-on change --fail-on regression base same >out 2>err
	exits 1 andweorc-diff --fail-on inconclusive alone short >out 2>err
	exits 2 andweorc-diff --fail-on regresion base same >out 2>err
	has "^andweorc-diff: unknown gate 'regresion' for --fail-on" err
}
check 'gates: exit 0, 1, 2' gates

one_run_says_nothing_about_others() {
	exits 0 andweorc-diff -f tsv alone short >got.tsv 2>err
	column verdict got.tsv >got
	lacks '(changed|likely|minor|unchanged|inconclusive)$' got
	has '^point insufficient$' got
	column design got.tsv >got
	has '^point within-run$' got
	exits 0 andweorc-diff alone short >out 2>err
	empty err
	# a gate that cannot be judged is not passed
	exits 3 andweorc-diff --fail-on regression alone short >out 2>err
	has '^andweorc-diff: warning: the gate cannot be judged: there is too little data for any verdict' err
	has '3 runs a side are needed' out
	exits 3 andweorc-diff --fail-on change alone short >out 2>err
	exits 0 andweorc-diff -f tsv alone short >few.tsv 2>err
	exits 3 andweorc-diff --render few.tsv --fail-on regression >out 2>err
	exits 0 andweorc-diff --within-run --fail-on regression alone short >out 2>err
	exits 0 andweorc-diff --within-run -f tsv alone short >got.tsv 2>err
	column verdict got.tsv >got
	lacks '^point insufficient$' got
}
check 'single runs never decide, unless asked to' one_run_says_nothing_about_others

not_paired() {
	side base.no -v side=base -v noblock=1
	side slower.no -v side=head -v noblock=1 -v cost=parse=1.5
	exits 0 andweorc-diff -f tsv base.no slower.no >got.tsv 2>err
	column design got.tsv >got
	has '^point welch$' got
	column verdict got.tsv >got
	has '^region parse\.c:10 changed$' got
	# blocks of one name, of different machines
	on_hosts one base >base.many
	on_hosts other slower >slower.many
	exits 0 andweorc-diff -f tsv base.many slower.many >got.tsv 2>err
	column design got.tsv >got
	has '^point welch$' got
	column verdict got.tsv >got
	has '^region parse\.c:10 changed$' got
	# runs of one machine do not tell how much machines differ
	on_host one base >base.one
	on_host other slower >slower.other
	exits 0 andweorc-diff -f tsv base.one slower.other >got.tsv 2>err
	column design got.tsv >got
	has '^point within-run$' got
	column verdict got.tsv >got
	has '^point insufficient$' got
	lacks '^region .* (changed|likely|unchanged)$' got
	exits 0 andweorc-diff base.one slower.other >got 2>err
	has 'no machine recorded both sides' got
	# two blocks in common are no sample of blocks
	side base.two -v side=base -v runs=2
	side slower.two -v side=head -v runs=2
	exits 0 andweorc-diff -f tsv base.two slower.two >got.tsv 2>err
	column verdict got.tsv >got
	has '^point insufficient$' got
}
check 'without blocks, runs are independent' not_paired

# An analysis that has only means: of an older version, or of many logs.
means_are_compared() {
	for s in base slower; do
		grep -Ev '^(baseline|replicate)' $s >$s.means
	done
	exits 0 andweorc-diff -f tsv base.means slower.means >got.tsv 2>err
	column design got.tsv >got
	has '^point means$' got
	has '^region parse\.c:10 means$' got
	column verdict got.tsv >got
	has '^region parse\.c:10 (changed|likely)$' got
}
check 'means over runs, where single runs are not known' means_are_compared

shifts_are_no_regressions() {
	exits 0 andweorc-diff -f tsv --fail-on regression,change base shifted >got.tsv 2>err
	column shift got.tsv >got
	has '^region parse\.c:10 1$' got
	has '^region sort\.c:20 1$' got
	has '^point -$' got
	exits 0 andweorc-diff base shifted >out 2>err
	has 'took cost over' out
	# out of one function into a new one
	side before -v side=base -v cost='write=3 hash=0' -v gone=hash
	side after -v side=head -v cost='write=2 hash=1.5'
	exits 0 andweorc-diff -f tsv --fail-on regression,change before after >got.tsv 2>err
	column shift got.tsv >got
	has '^region hash\.c:40 1$' got
	has '^region write\.c:30 1$' got
	exits 0 andweorc-diff before after >out 2>err
	has 'took cost over' out
	has 'gave cost away' out
}
check 'cost that goes from one region to another is a shift' shifts_are_no_regressions

new_and_vanished() {
	exits 0 andweorc-diff -f tsv base without >got.tsv 2>err
	column verdict got.tsv >got
	has '^region write\.c:30 vanished$' got
	exits 0 andweorc-diff -f tsv without base >got.tsv 2>err
	column verdict got.tsv >got
	has '^region write\.c:30 new$' got
	exits 0 andweorc-diff without base >out 2>err
	has 'new bottleneck' out
	# Code of head that is as large, and had no experiment, may be the region of base.
	{ cat without; printf 'untried\tname=write.c:30%%20in%%20write\tcpu_pct=20\n'; } >hurried
	exits 0 andweorc-diff -f tsv base hurried >got.tsv 2>err
	column verdict got.tsv >got
	has '^region write\.c:30 unmatched$' got
	# Code without an experiment is counted in processor time, so it is not a region that waits.
	sed '/^impact	.*write\.c:30/s/share_pct=[0-9.]*/share_pct=0/' base >waits
	exits 0 andweorc-diff -f tsv waits hurried >got.tsv 2>err
	column verdict got.tsv >got
	has '^region write\.c:30 vanished$' got
	{ cat without; printf 'untried\tname=x.c:3\tcpu_pct=1\n'; } >hurried
	exits 0 andweorc-diff -f tsv base hurried >got.tsv 2>err
	column verdict got.tsv >got
	has '^region write\.c:30 vanished$' got
}
check 'new and vanished bottlenecks' new_and_vanished

unlike_machines() {
	for change in kernel=6.2 cpus=4; do
		side other -v side=head -v cost=parse=1.3 -v $change
		exits 0 andweorc-diff base other >out 2>err
		has 'differ: .* times are not comparable' out
		exits 3 andweorc-diff --fail-on regression base other >out 2>err
		has 'the gate cannot be judged: base and head were measured under unlike conditions' err
		exits 1 andweorc-diff --force --fail-on regression base other >out 2>err
	done
	# blocks on different machines are fine, as long as both sides of a block are on one
	for s in base slower; do
		sed '/^run.*block=2/s/kernel=6.1/kernel=6.9/' $s >$s.mixed
	done
	exits 1 andweorc-diff --fail-on regression base.mixed slower.mixed >out 2>err
	lacks 'not comparable' out
}
# Blocks of one name on two machines: each pair is of one machine.
machines_of_pairs() {
	for s in base same; do
		awk -v OFS='\t' '
		/^run\t/ && ++n > 3 { sub(/\tblock=[^\t]*/, "\tblock=" n - 3); sub(/\thost=[^\t]*/, "\thost=b"); sub(/\tcpu_model=[^\t]*/, "\tcpu_model=other") }
		{ print }' $s >$s.two
	done
	exits 0 andweorc-diff -f tsv --fail-on regression base.two same.two >got.tsv 2>err
	lacks '^note	unlike' got.tsv
	column units got.tsv >got
	has '^point 5$' got
}
check 'pairs on two kinds of machines are alike' machines_of_pairs

check 'unlike machines are flagged, and not gated on' unlike_machines

# Times of points are compared; regions do not match.
unlike_scopes() {
	sed 's/^run	.*/&	scope=default/' base >base.scoped
	sed 's/^run	.*/&	scope=--exclude%20vendor\/*/' slower >slower.scoped
	exits 1 andweorc-diff --fail-on regression base.scoped slower.scoped >out 2>err
	has "scopes differ: 'default' for base, '--exclude vendor/\*' for head; regions are not" out
	exits 1 andweorc-diff --fail-on regression base slower.scoped >out 2>err
	lacks 'scopes differ' out
	sed 's/^run	.*/&	scope=--exclude%20vendor\/*/' base >base.scoped
	exits 1 andweorc-diff --fail-on regression base.scoped slower.scoped >out 2>err
	lacks 'scopes differ' out
}
check 'scopes that differ are said' unlike_scopes

confirmed() {
	exits 0 andweorc-diff -f tsv base slower >first.tsv 2>err
	exits 0 andweorc-diff -f json base slower >first.json 2>err
	exits 0 andweorc-diff -f tsv base same >calm.tsv 2>err
	exits 0 andweorc-diff -f tsv base faster >other.tsv 2>err
	exits 1 andweorc-diff --confirm first.tsv --fail-on regression base slower >out 2>err
	exits 1 andweorc-diff --confirm first.json --fail-on regression base slower >out 2>err
	for first in first.tsv first.json; do
		exits 1 sh -c "cat $first | andweorc-diff --confirm - --fail-on regression base slower" >out 2>err
	done
	exits 0 andweorc-diff --confirm calm.tsv --fail-on regression base slower >out 2>err
	has 'no alarm$' out
	exits 0 andweorc-diff --confirm other.tsv --fail-on regression base slower >out 2>err
	# a line that has moved since is the same line of base
	side slower.moved -v side=head -v line=3 -v cost=parse=1.3
	exits 1 andweorc-diff --confirm first.tsv --fail-on regression base slower.moved >out 2>err
	has 'parse\.c:13' out
	exits 2 andweorc-diff --confirm base base slower >out 2>err
	has 'not a table of andweorc-diff' err
	exits 2 andweorc-diff --confirm no/such base slower >out 2>err
}
check 'only what an earlier comparison saw, too' confirmed

rendered_later() {
	exits 0 andweorc-diff -f tsv base slower >table.tsv 2>err
	for format in text markdown summary json github tsv; do
		exits 0 andweorc-diff -f $format base slower >want 2>err
		exits 0 andweorc-diff --render table.tsv -f $format >got 2>err
		same want got
		exits 0 andweorc-diff --render - -f $format <table.tsv >got 2>err
		same want got
	done
	exits 1 andweorc-diff --render table.tsv --fail-on regression >out 2>err
	exits 2 andweorc-diff --render table.tsv base >out 2>err
	# columns in another order, and one that is not known
	awk -F '\t' '{ printf "%s\tnew", $1; for (i = NF; i > 1; i--) printf "\t%s", $i; print "" }' table.tsv >turned.tsv
	exits 0 andweorc-diff --render turned.tsv -f tsv >got 2>err
	same table.tsv got
}
check 'every format can be made later from the table' rendered_later

# If the whole program is known not to be slower, no region is a regression: the gate agrees with the
# headline.
the_whole_comes_first() {
	exits 0 andweorc-diff -f tsv base slower >table.tsv 2>err
	awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	$1 == "point" { $c["verdict"] = "unchanged"; $c["direction"] = "" }
	$1 == "region" && $c["verdict"] == "changed" { $c["point_not_slower"] = 1 }
	{ print }' table.tsv >calm.tsv
	exits 1 andweorc-diff --render table.tsv --fail-on regression >out 2>err
	exits 0 andweorc-diff --render calm.tsv --fail-on regression >out 2>err
	has 'not slower, so no alarm' out
	exits 1 andweorc-diff --render calm.tsv --fail-on change >out 2>err
	exits 0 andweorc-diff --render calm.tsv -f github --fail-on regression >out 2>err
	lacks '^::(error|warning)' out
	exits 0 andweorc-diff --render calm.tsv -f markdown >out 2>err
	lacks '^(###|\|) ❌' out
	# and the comparison says it by itself: less of one region, more of another, at different places of a long visit
	side before -v side=base -v noise=0.001 -v spread=0.001 -v cv=0.1
	side after -v side=head -v noise=0.001 -v spread=0.001 -v cv=0.1 -v cost='parse=0.8 sort=1.18 write=1.2'
	exits 0 andweorc-diff -f tsv --fail-on regression before after >got.tsv 2>err
	column verdict got.tsv >got
	has '^point (unchanged|minor)$' got
	column point_not_slower got.tsv >got
	has '^region .* 1$' got
	# nor is it one where the whole became faster
	side after -v side=head -v noise=0.001 -v spread=0.001 -v cv=0.1 -v cost='parse=0.5 sort=1.3'
	exits 0 andweorc-diff -f tsv --fail-on regression before after >got.tsv 2>err
	column verdict got.tsv >got
	has '^region sort.* changed$' got
	column direction got.tsv >got
	has '^point faster$' got
	has '^region sort.* slower$' got
	exits 1 andweorc-diff --fail-on change before after >out 2>err
}
check 'where the point is not slower, no region is a regression' the_whole_comes_first

# With the margins and speedups of share/andweorc/workflows/andweorc.yml, a comparison of the same decides.
default_decides() {
	for s in base head; do
		side $s.wide -v side=$s -v runs=15 -v windows=3 -v levels='25 50 75' -v noise=0.01
	done
	side slower.wide -v side=head -v runs=15 -v windows=3 -v levels='25 50 75' -v noise=0.01 -v cost=parse=1.3
	exits 0 andweorc-diff -f tsv --region-margin=5 --fail-on regression base.wide head.wide >got.tsv 2>err
	column verdict got.tsv >got
	test "$(grep -c '^region .* unchanged$' got)" -ge 4
	column margin_pct got.tsv >got
	has '^point 2$' got
	has '^region parse.c:10 5$' got
	exits 0 andweorc-diff --render got.tsv >out 2>err
	has '^rule .* from 2 % of the time of a visit on, of a region from 5 % on, at q' out
	exits 0 andweorc-diff --render got.tsv -f markdown >out 2>err
	has 'margin 2 %, of regions 5 %, q' out
	exits 1 andweorc-diff -f tsv --region-margin=5 --fail-on regression base.wide slower.wide >got.tsv 2>err
	column verdict got.tsv >got
	has '^region parse.c:10 changed$' got
	exits 2 andweorc-diff --region-margin=0 base same >out 2>err
	has "bad number '0' for --region-margin" err
	# the picture says the same
	exits 0 andweorc-plot --region-margin=5 --script script --base base.wide head.wide 2>err
	test "$(grep -c "^set label 'unchanged: " script)" -ge 4
}
check 'a margin of its own for regions' default_decides

versions() {
	exits 0 andweorc-diff -f tsv base slower >table.tsv 2>err
	exits 0 andweorc-diff -f json base slower >table.json 2>err
	sed 's/^\(meta	andweorc-diff	\)1/\19/' table.tsv >later.tsv
	sed 's/"andweorc-diff": "1"/"andweorc-diff": "9"/' table.json >later.json
	fails cmp -s table.tsv later.tsv
	fails cmp -s table.json later.json
	exits 2 andweorc-diff --render later.tsv >out 2>err
	empty out
	has "^andweorc-diff: later.tsv: a table of version '9', and this program reads version 1$" err
	exits 2 andweorc-diff --confirm later.json base slower >out 2>err
	has "later.json: a table of version '9'" err
}
check 'tables of a later version are not read' versions

# Missing results, and the reasons.
few_data_are_explained() {
	for s in base same; do
		awk -F '\t' -v OFS='\t' '$1 == "run" { sub(/disturbed=0/, "disturbed=33") }
			($1 == "baseline" || $1 == "replicate") && !/\trun=1\t/ { next }
			{ print }' $s >$s.poor
		has 'disturbed=33' $s.poor
	done
	exits 3 andweorc-diff --fail-on regression base.poor same.poor >out 2>err
	lacks 'too few runs|3 runs a side' out
	has '^point +.block.: too little data' out
	has '^note +165 of [0-9]+ windows of base were set aside' out
	# the same where the report is a comment
	exits 0 andweorc-diff -f markdown base.poor same.poor >out 2>err
	has '165 of [0-9]* windows of head were set aside' out
	has '^\| `parse.c:10` `parse` \|' out
}
check 'why data are few' few_data_are_explained

# Without debug information no region is matched, and a message has the reason.
no_lines() {
	sed 's/scope=line/scope=function/; s/region=\([a-z]*\)\.c:[0-9]*/region=\1/' same >bare
	exits 0 andweorc-diff base bare >out 2>err
	has '^note +regions of head are functions, those of base are lines: was head built without -g' out
	exits 0 andweorc-diff bare base >out 2>err
	has '^note +regions of base are functions, those of head are lines: was base built without -g' out
	exits 0 andweorc-diff base same >out 2>err
	lacks 'built without' out
}
check 'a side without lines' no_lines

# Unreadable numbers are not written.
numbers_for_people() {
	exits 0 andweorc-diff -f tsv base same >table.tsv 2>err
	awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	$1 == "point" || $1 == "region" { $c["mde_pct"] = 417.3; $c["verdict"] = "inconclusive"; $c["direction"] = "" }
	$c["region"] == "parse.c:10" { $c["verdict"] = "changed"; $c["direction"] = "slower"; $c["base_ns"] = -9.02e6; $c["base_lo"] = -3e7
		$c["base_hi"] = 1.2e7; $c["head_ns"] = 2.81e7 }
	{ print }' table.tsv >wild.tsv
	for format in text markdown; do
		exits 0 andweorc-diff --render wild.tsv -f $format >out 2>err
		lacks 'e\+0|417|-9\.02' out
		has 'could have seen more than 100 %' out
		has 'about 0' out
	done
	has '^\| `sort.c:20` `sort` \| .* \| more than 100 % \|' out
}
check 'numbers are for people' numbers_for_people

bad_tables() {
	exits 0 andweorc-diff -f tsv base slower >table.tsv 2>err
	sed '5s/^[a-z]*/nothing/' table.tsv >bad
	exits 2 andweorc-diff --render bad >out 2>err
	has "^andweorc-diff: bad:5: bad value 'nothing' in column 1" err
	has 'parse\.c:10' out
	sed 's/changed/certain/' table.tsv >bad
	exits 2 andweorc-diff --render bad >out 2>err
	has '^andweorc-diff: bad:[0-9]*: row without a name, point, region or verdict that it needs' err
	sed '$s/	[^	]*$//' table.tsv >bad
	exits 2 andweorc-diff --render bad >out 2>err
	has '^andweorc-diff: bad:[0-9]*: there are not [0-9]* columns' err
	printf '' >bad
	exits 2 andweorc-diff --render bad >out 2>err
	printf 'row\trow\n' >bad
	exits 2 andweorc-diff --render bad >out 2>err
	printf 'row\tpoint\tverdict\npoint\tp%%\tchanged\npoint\tp\tchanged' >bad
	exits 2 andweorc-diff --render bad >out 2>err
	has 'bad:2: bad value' err
	has 'bad:3: bad line' err
}
check 'bad tables are reported, and used as far as they go' bad_tables

# Which record comes first in an analysis means nothing.
order_does_not_matter() {
	exits 0 andweorc-diff -f tsv base slower >want 2>err
	for s in base slower; do
		{ head -n 1 $s; tail -n +2 $s | sort -r; } >$s.turned
	done
	exits 0 andweorc-diff -f tsv base.turned slower.turned >got 2>err
	same want got
	exits 0 andweorc-diff -f tsv base - <slower >got 2>err
	same want got
}
check 'records in any order' order_does_not_matter

lines_move() {
	side moved -v side=head -v line=7 -v cost=parse=1.3
	exits 0 andweorc-diff -f tsv base moved >got.tsv 2>err
	column base_line got.tsv >got
	has '^region parse\.c:17 10$' got
	column verdict got.tsv >got
	has '^region parse\.c:17 changed$' got
	# a match by the place in the function alone may be another line: never certain
	for s in base moved; do
		sed 's/	[a-z]*_hash=[^	]*//g' $s >$s.bare
	done
	exits 0 andweorc-diff -f tsv -p block base.bare moved.bare >got.tsv 2>err
	column verdict got.tsv >got
	lacks '^region .* changed$' got
	has '^region parse\.c:17 likely$' got
	column confidence got.tsv >got
	has '^region parse\.c:17 0\.[0-6]' got
	# with both sides of one commit, a line is in the same place
	sed 's/commit=def5678/commit=abc1234/; s/line=17/line=10/' moved.bare >here.bare
	exits 0 andweorc-diff -f tsv base.bare here.bare >got.tsv 2>err
	column match got.tsv >got
	has '^region parse\.c:17 same$' got
	column confidence got.tsv >got
	has '^region parse\.c:17 0\.9' got
	# of a commit with changes of its own, nobody knows which
	for s in base here; do
		sed 's/abc1234/abc1234-dirty/' $s.bare >$s.dirty
	done
	exits 0 andweorc-diff -f tsv base.dirty here.dirty >got.tsv 2>err
	column match got.tsv >got
	lacks '^region parse\.c:17 same$' got
	printf 'no patch\n+++\n' >patch
	exits 2 andweorc-diff --map no/such base moved >out 2>err
}
check 'lines that moved are found again' lines_move

nothing_to_compare() {
	sed 's/point=block/point=other/' same >other
	exits 2 andweorc-diff base other >out 2>err
	has 'no progress point in common' err
	exits 2 andweorc-diff -p nosuch base same >out 2>err
	has "the progress point 'nosuch' is not in both" err
	awk -v side=base -f "$data/random.awk" -f "$data/diff/side.awk" >log
	exits 2 andweorc-diff log base >out 2>err
	has '^andweorc-diff: log: no analysis, but the output of andweorc-record' err
	exits 2 andweorc-diff base >out 2>err
	exits 2 andweorc-diff - - >out 2>err
	exits 2 andweorc-diff no/such base >out 2>err
	has "^andweorc-diff: cannot open 'no/such'" err
	exits 2 andweorc-diff --margin 0 base same >out 2>err
	exits 2 andweorc-diff --format pdf base same >out 2>err
	exits 2 andweorc-diff --max-bytes 10 base same >out 2>err
}
check 'nothing to compare is an error' nothing_to_compare

same_runs() {
	exits 0 andweorc-diff -f tsv base base >got.tsv 2>err
	has 'same-runs' got.tsv
	column verdict got.tsv >got
	lacks '(changed|likely|minor)$' got | grep -v unchanged
	has '^point unchanged$' got
}
check 'a side against itself' same_runs

self_check() {
	side ten -v side=base -v runs=10
	exits 0 andweorc-diff --aa -f tsv ten >got.tsv 2>err
	empty err
	awk -F '\t' '
	{ v[$2] = $3 }
	END { exit !(v["aa_deals"] == 400 && v["aa_runs"] == 10 && v["aa_design"] == "welch" && v["aa_changed_pct"] <= 5 &&
		v["aa_covered_pct"] > 85 && v["aa_mde_pct"] > 0) }' got.tsv
	exits 0 andweorc-diff --aa -f tsv base same >got.tsv 2>err
	has '^meta	aa_design	paired' got.tsv
	has '^meta	aa_changed_pct	0	' got.tsv
	# a comparison that is not with itself is noticed: one side is a third slower, and the intervals are that wide
	exits 0 andweorc-diff --aa -f tsv base slower >other.tsv 2>err
	for f in got other; do
		awk -F '\t' '$2 == "aa_mde_pct" { print $3 }' $f.tsv
	done >mde
	awk 'NR == 1 { a = $1 } END { exit !($1 > 3 * a) }' mde
	exits 0 andweorc-diff --aa base same >out 2>err
	has '^alarms ' out
	exits 2 andweorc-diff --aa base >out 2>err
	has '5 runs are too few' err
	exits 2 andweorc-diff --aa -f markdown ten >out 2>err
	exits 2 andweorc-diff --aa >out 2>err
}
check 'self-check' self_check

json_is_json() {
	exits 0 andweorc-diff -f json base slower >got.json 2>err
	command -v python3 >/dev/null || return 0
	python3 - <<-'END'
	import json
	d = json.load(open("got.json"))
	assert set(d) == {"meta", "notes", "points", "regions"}
	assert d["points"][0]["verdict"] == "changed" and d["points"][0]["pct"] < 0
	assert [r["verdict"] for r in d["regions"] if r["region"] == "parse.c:10"] == ["changed"]
	END
}
check 'JSON' json_is_json

done_testing
