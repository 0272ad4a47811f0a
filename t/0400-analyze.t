#!/bin/sh
# andweorc-analyze: whole output against golden cases, formats and options, and
# that the order of the input does not matter.
. "$(dirname "$0")/lib.sh"

generate() {
	awk "$@" -f "$data/random.awk" -f "$data/analyze/generate.awk"
}

# Five runs, some windows disturbed; the golden outputs were read by a person when they were made.
generate -v seed=11 -v runs=5 -v blocks=3 -v disturb=0.02 >runs.aw
generate -v seed=12 -v blocks=8 -v cut=1 >one.aw

golden() {
	exits 0 andweorc-analyze --format "$1" "$2" >got 2>err
	same "$data/analyze/$3" got
}

check 'five runs, format andweorc' golden andweorc runs.aw runs.out
check 'five runs, format text' golden text runs.aw runs.txt
check 'five runs, format json' golden json runs.aw runs.json
check 'one run, cut short, format text' golden text one.aw one.txt

# Waiting, classes, processes, a latency point, warnings in each of two runs.
check 'classes and processes, format andweorc' golden andweorc "$data/analyze/reach.aw" reach.out
check 'classes and processes, format text' golden text "$data/analyze/reach.aw" reach.txt
check 'classes and processes, format json' golden json "$data/analyze/reach.aw" reach.json

# No progress point: each run is a window.
whole() {
	awk "$@" -f "$data/random.awk" -f "$data/analyze/whole.awk"
}

whole -v seed=5 >whole.aw
check 'whole runs, format andweorc' golden andweorc whole.aw whole.out
check 'whole runs, format text' golden text whole.aw whole.txt

fits_100_columns() {
	sed 's/function=work/function=a_very_long_name_%E2%82%AC'"$(printf %0300d 0)"'/; s/scope=line/scope=function/' runs.aw >long.aw
	for log in runs.aw one.aw whole.aw "$data/analyze/reach.aw" long.aw; do
		exits 0 andweorc-analyze --format text $log >out 2>err
		lacks '.{101}' out
	done
	has '€0.*…0' out
}
check 'the report fits 100 columns' fits_100_columns

# No control character in a region record reaches the terminal, and none of its text starts a line.
cleans_text() {
	sed 's/function=work/function=%1B[31m%0A::error::x/; s/command=sim/command=%1B]0;x%07/; s/scope=line/scope=function/' runs.aw >evil.aw
	exits 0 andweorc-analyze --format text evil.aw >out 2>err
	lacks "$(printf '\033')" out
	lacks '^::' out
	has '\\x1b\[31m\\x0a::error::x' out
	exits 0 andweorc-analyze --format andweorc evil.aw >out 2>err
	has 'function=%1B\[31m%0A::error::x' out
	# also not through the controls that UTF-8 has
	sed 's/function=work/function=%C2%9B31m/; s/scope=line/scope=function/' runs.aw >evil.aw
	exits 0 andweorc-analyze --format text evil.aw >out 2>err
	has '\\x9b31m' out
	lacks "$(printf '\302\233')" out
	exits 0 andweorc-analyze --format text "$data/analyze/reach.aw" >out 2>err
	lacks "$(printf '\033')" out
	has ':new\\x1b\[2Jclass' out
	# nor do characters beyond ASCII that turn the direction of a line, or end it
	sed 's/function=work/function=%E2%80%AEkrow%E2%80%A8end/; s/command=sim/command=%E2%81%A6sim/' runs.aw >evil.aw
	exits 0 andweorc-analyze --format text evil.aw >out 2>err
	has '\\u202ekrow\\u2028end' out
	has '^program  \\u2066sim' out
	lacks "$(printf '\342\200[\250\256]|\342\201\246')" out
}
check 'control bytes are shown, not sent' cleans_text

json_is_json() {
	exits 0 andweorc-analyze --format json runs.aw >out.json 2>err
	command -v python3 >/dev/null && python3 -m json.tool out.json >/dev/null
	has '^ "version": 1,$' out.json
	sed 's/function=work/function=caf%E9/' runs.aw >latin.aw
	exits 0 andweorc-analyze --format json latin.aw >out.json 2>err
	has '"function": "caf\\\\xe9"' out.json
}
check 'JSON, also of names that are not UTF-8' json_is_json

same_from_everywhere() {
	exits 0 andweorc-analyze runs.aw >want 2>err
	exits 0 andweorc-analyze --format andweorc - <runs.aw >got 2>err
	same want got
	exits 0 andweorc-analyze -f andweorc <runs.aw >got 2>err
	same want got
	exits 0 andweorc-analyze --format=andweorc -- runs.aw >got 2>err
	same want got
}
check 'standard input, -, -f; andweorc is the default in a pipe' same_from_everywhere

# Records after the header in any order: sorted, reversed by line, and by length.
order_does_not_matter() {
	exits 0 andweorc-analyze runs.aw >want 2>err
	for order in 'sort' 'sort -r' 'sort -k 3' 'tac'; do
		{ head -n 1 runs.aw; tail -n +2 runs.aw | $order; } >permuted.aw
		exits 0 andweorc-analyze permuted.aw >got 2>err
		same want got
	done
}
check 'records in any order' order_does_not_matter

# The same keys, backwards.
key_order_does_not_matter() {
	exits 0 andweorc-analyze runs.aw >want 2>err
	awk -F '\t' '{ printf "%s", $1; for (i = NF; i > 1; i--) printf "\t%s", $i; print "\tnew=key" }' runs.aw >keys.aw
	exits 0 andweorc-analyze keys.aw >got 2>err
	same want got
}
check 'keys in any order, unknown keys' key_order_does_not_matter

# One log a run, each under its own header with ids of its own.
split_runs() {
	awk -F '\t' '
	$1 == "andweorc" || $1 == "module" || $1 == "region" { head = head $0 "\n"; next }
	{
		run = 0
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^run=/) run = substr($i, 5)
			if ($1 == "run" && $i ~ /^id=/) run = substr($i, 4)
		}
		if (run) last = run
		text[last] = text[last] $0 "\n"
	}
	END { for (run in text) printf "%s%s", head, text[run] >("shard" run ".aw") }' runs.aw
}

concatenation_is_legal() {
	split_runs
	exits 0 andweorc-analyze runs.aw >want 2>err
	cat shard1.aw shard2.aw shard3.aw shard4.aw shard5.aw >all.aw
	exits 0 andweorc-analyze all.aw >got 2>err
	same want got
	exits 0 andweorc-analyze shard4.aw shard1.aw shard5.aw shard3.aw shard2.aw >got 2>err
	same want got
	# regions with other numbers in each shard, and other paths
	sed 's/region=\([1-5]\)/region=7\1/; s/^\(region\tid=\)/\17/; s,/src/build,/home/ci/shard,' shard3.aw >renumbered.aw
	exits 0 andweorc-analyze shard4.aw shard1.aw shard5.aw renumbered.aw shard2.aw >got 2>err
	sed 's,/home/ci/shard,/src/build,' got >scrubbed
	same want scrubbed
}
check 'a concatenation, or several files, is several runs' concatenation_is_legal

a_run_counts_once() {
	split_runs
	exits 0 andweorc-analyze shard1.aw >want 2>err
	exits 0 andweorc-analyze shard1.aw shard1.aw >got 2>err
	has 'in the input twice: counted once' err
	same want got
}
check 'the same run twice counts once' a_run_counts_once

baselines_may_name_a_region() {
	exits 0 andweorc-analyze runs.aw >want 2>err
	sed 's/region=-/region=3/' runs.aw >named.aw
	exits 0 andweorc-analyze named.aw >got 2>err
	same want got
}
check 'speedup 0 is a baseline whatever its region' baselines_may_name_a_region

two_points() {
	awk -F '\t' -v OFS='\t' '{ print } $1 == "visits" { $3 = "point=other"; print }' runs.aw >two.aw
	exits 0 andweorc-analyze two.aw >out 2>err
	test "$(grep -c '^impact.point=block' out)" -eq 5
	test "$(grep -c '^impact.point=other' out)" -eq 5
	exits 0 timeout 10 andweorc-analyze --format text two.aw >out 2>err
	test "$(grep -c '^point' out)" -eq 2
	exits 0 andweorc-analyze -p other two.aw >out 2>err
	lacks 'point=block' out
	test "$(grep -c '^impact.point=other' out)" -eq 5
	exits 0 andweorc-analyze -p other --point block two.aw >out 2>err
	test "$(grep -c '^point' out)" -eq 2
	exits 2 andweorc-analyze -p blok two.aw >out 2>err
	has "^andweorc-analyze: no progress point 'blok' in the input \(there is 'block' and others\)\$" err
}
check '-p chooses points, and a mistyped one is an error' two_points

top() {
	exits 0 andweorc-analyze runs.aw >all 2>err
	exits 0 andweorc-analyze --top 2 runs.aw >out 2>err
	test "$(grep -c ^impact out)" -eq 2
	grep ^impact all | head -n 2 >want
	grep ^impact out >got
	same want got
	exits 0 andweorc-analyze --top 2 --format text runs.aw >out 2>err
	has 'and 3 more \(--top 5\)' out
	for bad in 0 x -1 ''; do
		exits 2 andweorc-analyze --top "$bad" runs.aw >out 2>err
		has "^andweorc-analyze: bad number '$bad' for --top" err
	done
}
check '--top' top

# A log with 24 regions more that are like `spin`, and gain nothing.
with_idle_regions() {
	awk -F '\t' -v OFS='\t' '
	function copy(k,    line, i) {
		line = $0
		for (i = 2; i <= NF; i++) {
			if ($1 == "region" && sub(/^line=/, "&" k, $i) || sub(/^(id|experiment)=/, "&" k * 1000, $i)) continue
			sub(/^region=3$/, "region=" k * 1000 "3", $i)
			sub(/^ranges=0x3000-0x3040$/, sprintf("ranges=0x%x-0x%x", k * 65536, k * 65536 + 64), $i)
		}
		print
		$0 = line
	}
	{
		if ($1 == "experiment") idle = /\tregion=3\t/
		print
		if (/\tregion=3\t/ || ($1 == "region" && $2 == "id=3") || ($1 == "visits" && idle))
			for (k = 1; k <= 24; k++) copy(k)
	}' "$1"
}

long_reports_end_early() {
	generate -v seed=11 -v runs=5 -v blocks=3 -v only=4 >few.aw
	with_idle_regions few.aw >many.aw
	exits 0 andweorc-analyze --format text many.aw >out 2>err
	has '^ 1 compress.c:142 ' out
	test "$(grep -Ec '^ *[0-9]+ (work|compress|spin|tiny)\.c:' out)" -eq 20
	has '^and 8 more \(--top 28\)$' out
	exits 0 andweorc-analyze --top 28 --format text many.aw >out 2>err
	test "$(grep -Ec '^ *[0-9]+ (work|compress|spin|tiny)\.c:' out)" -eq 28
	# A harmful region comes last, and is not left out.
	with_idle_regions runs.aw >many.aw
	exits 0 andweorc-analyze --format text many.aw >out 2>err
	has '^29 lock.c:300 .* harmful$' out
	# Records have all.
	exits 0 andweorc-analyze many.aw >out 2>err
	test "$(grep -c '^impact' out)" -eq 29
}
check 'regions without an effect make no report long' long_reports_end_early

refuses_formats() {
	exits 2 andweorc-analyze --format xml runs.aw >out 2>err
	empty out
	has "^andweorc-analyze: unknown format 'xml'" err
}
check 'an unknown format' refuses_formats

bad_lines() {
	sed 's/speedup_pct=75/speedup_pct=7x/; s/count=41/count=-41/' runs.aw >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has "^andweorc-analyze: bad.aw:[0-9]+: bad number '7x' for 'speedup_pct'\$" err
	has "^andweorc-analyze: bad.aw:[0-9]+: bad number '-41' for 'count'\$" err
	has '^impact.*region=work.c:10' out
	lacks 'speedup_pct=75' out
	sed 's/speedup_pct=75/speedup_pct=101/' runs.aw >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has '^andweorc-analyze: bad.aw:[0-9]+: speedup_pct 101 is not between 0 and 100$' err
	grep -v '^region.id=2' runs.aw >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has "^andweorc-analyze: bad.aw: records name 1 region\(s\) that no 'region' record defines\$" err
	test "$(grep -c ^impact out)" -eq 4
	{ cat runs.aw; grep '^region.id=2' runs.aw | sed 's/line=142/line=143/'; } >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has '^andweorc-analyze: bad.aw:[0-9]+: region 2 is there twice, and not the same$' err
}
check 'bad lines are named, and the rest is used' bad_lines

refuses_its_own_output() {
	exits 0 andweorc-analyze runs.aw >analysis 2>err
	exits 2 andweorc-analyze analysis >out 2>err
	has '^andweorc-analyze: analysis:1: this is the result of andweorc-analyze, not a log$' err
}
check 'an analysis is not a log' refuses_its_own_output

csv_is_csv() {
	sed 's/function=work/function=%3Dwork("a,b")/' runs.aw >formula.aw
	exits 0 andweorc-analyze --format csv formula.aw >got 2>err
	# A line for each impact, all with as many fields.
	exits 0 andweorc-analyze --format andweorc formula.aw >records 2>err
	test "$(grep -c "$(printf '\r')\$" got)" -eq $(($(grep -c '^impact	' records) + 1))
	perl -e '
	open my $in, "<:raw", "got" or die;
	my $text = do { local $/; <$in> };
	my ($head, @rows, @row);
	while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/gc) {
		my ($quoted, $plain, $end) = ($1, $2, $3);
		push @row, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
		next if $end eq ",";
		if ($head) { push @rows, [@row] } else { $head = [@row] }
		@row = ();
	}
	die "not CSV from: " . substr $text, pos $text // 0, 40 if (pos $text // 0) < length $text;
	my $named;
	for my $row (@rows) {
		die "@$row has other columns" if @$row != @$head;
		my %r;
		@r{@$head} = @$row;
		die "$r{impact} is not in its interval" if $r{impact_lo} ne "" && ($r{impact_lo} > $r{impact} || $r{impact_hi} < $r{impact});
		$named ||= $r{function} eq "\x27=work(\"a,b\")";
	}
	die "no such function" unless $named;'
}
check 'CSV, also of names that look like formulas' csv_is_csv

# Time per visit as Coz's viewer computes it, compared with that of the log.
coz_is_coz() {
	exits 0 andweorc-analyze --format coz one.aw >got 2>err
	head -n 1 got >first
	has '^startup	time=0$' first
	has '^runtime	time=[0-9]+$' got
	lacks '^(experiment|throughput-point)	.*[^a-z0-9=./:_ 	-]' got
	awk -F'\t' "$awk_value"'
		function close_enough(a, b) { return a > b * 0.999999 && a < b * 1.000001 }
		FILENAME == "one.aw" && $1 == "region" { name[value("id")] = value("file") ":" value("line") }
		FILENAME == "one.aw" && $1 == "experiment" {
			s[value("id")] = value("speedup_pct") / 100
			region[value("id")] = value("region")
			bad[value("id")] = value("disturbed")
		}
		FILENAME == "one.aw" && $1 == "visits" && !bad[value("experiment")] && value("count") > 0 {
			e = value("experiment")
			key = (s[e] > 0 ? name[region[e]] : "") " " s[e] " " value("point")
			ns[key] += value("virtual_ns")
			visits[key] += value("count")
		}
		FILENAME == "got" && $1 == "experiment" { selected = value("selected"); speedup = value("speedup") + 0; duration = value("duration") }
		FILENAME == "got" && $1 == "throughput-point" {
			key = (speedup > 0 ? selected : "") " " speedup " " value("name")
			if (speedup > 0) {
				d[key] += duration
				n[key] += value("delta")
			} else if (!close_enough(duration / value("delta"), ns[key] / visits[key]))
				wrong++
			else
				baselines[selected " " value("name")]++
		}
		END {
			for (key in d) {
				keys++
				wrong += !close_enough(d[key] / n[key], ns[key] / visits[key])
			}
			for (key in baselines)
				wrong += baselines[key] != 1
			print keys, wrong + 0
			exit !(keys > 4 && wrong == 0)
		}' one.aw got
}
check 'a profile for the viewer of Coz' coz_is_coz

# Also an output larger than what stdio keeps, of which the last write is not the one that failed.
full_disk() {
	awk '{ if (sub("function=work", "&_")) for (i = 0; i < 20000; i++) $0 = $0 "0123456789"; print }' runs.aw >large.aw
	for format in text andweorc json csv coz; do
		for log in runs.aw large.aw; do
			exits 2 andweorc-analyze --format $format $log >/dev/full 2>err
			has '^andweorc-analyze: cannot write standard output: No space left on device$' err
		done
	done
}
check 'a full disk, in every format' full_disk

# The plan continues over runs, for each way to cut the log, and each order of the pieces.
whole_runs_from_everywhere() {
	exits 0 andweorc-analyze whole.aw >want 2>err
	{ head -n 1 whole.aw; tail -n +2 whole.aw | sort -r; } >permuted.aw
	exits 0 andweorc-analyze permuted.aw >got 2>err
	same want got
	whole -v seed=5 -v part=1 >parts.aw
	exits 0 andweorc-analyze parts.aw >got 2>err
	same want got
}
check 'whole runs in any order, in one log or in many' whole_runs_from_everywhere

# Two machines, one ten times as fast, at the same time: runs are compared with those of their own recording.
recordings_stay_apart() {
	whole -v seed=6 -v runs=22 -v host=fast -v speed=10 >fast.aw
	whole -v seed=7 -v runs=22 -v host=slow -v start=1700000002 >slow.aw
	exits 0 andweorc-analyze fast.aw slow.aw >want 2>err
	exits 0 andweorc-analyze slow.aw fast.aw >got 2>err
	same want got
	awk -F '\t' "$awk_value"'
	/region=solve/ && /^impact/ { n++; off = number("slope") - 0.6; good = off * off < 0.025 ^ 2 && number("slope_lo") < 0.6 && number("slope_hi") > 0.6 && number("slope_se") < 0.0125; print }
	END { exit !(n == 1 && good) }' want
}
check 'recordings on two machines' recordings_stay_apart

# The advice is more runs.
few_whole_runs() {
	whole -v seed=5 -v runs=12 -v noise=0.12 >few.aw
	exits 0 andweorc-analyze --format text few.aw >out 2>err
	has '^needs    not enough data for [0-9, ]+: about [0-9]+ runs \(-n [0-9]+\)$' out
	# An impractical command is not advised.
	whole -v seed=5 -v runs=12 -v noise=0.2 >few.aw
	exits 0 andweorc-analyze --format text few.aw >out 2>err
	tr -s '\n ' ' ' <out >flat
	has 'about [0-9]{3} runs, [0-9]+ minutes: rather than record so long, try a progress point' flat
	lacks '\(-n [0-9]{3}\)' out
	whole -v seed=5 -v runs=5 >few.aw
	exits 0 andweorc-analyze --format text few.aw >out 2>err
	has '^needs    not enough data for 1, 2: (8 )?runs ' out
	lacks 'visit|inf|nan' out
}
check 'whole runs: what would be enough' few_whole_runs

kinds() {
	sed 's/kind=latency/kind=other/' "$data/analyze/reach.aw" >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has "^andweorc-analyze: bad.aw:[0-9]+: unknown kind 'other' of visits: throughput, latency or run\$" err
	sed 's/kind=latency/kind=throughput/; s/	begins=.*//' "$data/analyze/reach.aw" >same.aw
	exits 0 andweorc-analyze same.aw >got 2>err
	# Without spans in flight, ends of spans are visits like others.
	sed 's/	in_flight_ns=[0-9]*//' "$data/analyze/reach.aw" >ends.aw
	exits 0 andweorc-analyze ends.aw | sed 's/kind=latency	measure=ends/kind=throughput/' >want
	same want got
}
check 'kinds of visits' kinds

# The analysis of a log without samples of blocked time does not mention it.
no_blocked_time() {
	grep -v 'state=blocked' "$data/analyze/reach.aw" | sed 's/	blocked=.*//' >old.aw
	exits 0 andweorc-analyze --format text old.aw >out 2>err
	lacks 'blocked|idle' out
	exits 0 andweorc-analyze old.aw >out 2>err
	lacks 'blocked' out
	has 'cpu_pct=4' out
}
check 'without blocked samples' no_blocked_time

classes_need_a_name() {
	sed 's/	symbol=:io//' "$data/analyze/reach.aw" >bad.aw
	exits 2 andweorc-analyze bad.aw >out 2>err
	has "^andweorc-analyze: bad.aw:[0-9]+: .*'symbol'" err
	test "$(grep -c ^impact out)" -eq 4
}
check 'a class without its name' classes_need_a_name

labels_are_unique() {
	printf '%s\n' 'andweorc	version=1	tool=record' 'run	id=1	command=x	started_ns=1' \
		'module	run=1	id=1	path=/a/prog' 'module	run=1	id=2	path=/a/lib.so' \
		'region	id=1	scope=line	module=1	ranges=0x10-0x20	file=/s/one/x.c	line=3' \
		'region	id=2	scope=line	module=1	ranges=0x30-0x40	file=/s/two/x.c	line=3' \
		'region	id=3	scope=line	module=2	ranges=0x10-0x20	file=/s/two/x.c	line=3' \
		'region	id=4	scope=function	module=1	ranges=0x50-0x60	function=f	file=/s/one/x.c	line=9' \
		'region	id=5	scope=function	module=1	ranges=0x70-0x80	function=f	file=/s/two/x.c	line=9' \
		'region	id=6	scope=function	module=1	ranges=0x90-0xa0' \
		'region	id=7	scope=function	module=1	ranges=0xb0-0xc0	function=g	file=/s/y.c	line=1' >labels.aw
	for r in 1 2 3 4 5 6 7; do
		printf 'experiment	id=%d	run=1	block=1	region=%d	speedup_pct=50	start_ns=%d	wall_ns=5\n' $r $r $r
		printf 'visits	experiment=%d	point=p	kind=throughput	count=5	virtual_ns=50\n' $r
	done >>labels.aw
	exits 0 andweorc-analyze labels.aw >out 2>err
	sed -n 's/^impact.*region=\([^	]*\).*/\1/p' out | sort >got
	same - got <<-END
	f%20(one/x.c)
	f%20(two/x.c)
	g
	one/x.c:3
	prog+0x90
	two/x.c:3%20in%20lib.so
	two/x.c:3%20in%20prog
	END
}
check 'labels are short and unique' labels_are_unique

# Of 1000 samples, 20 and 30 are in regions, 7 and 12 in code of the same module that has none, and 9 in a library.
samples() {
	printf 'sample\trun=1\tmodule=1\toffset=%s\tcount=%d\tstate=cpu\tfunction=%s\tfile=/s/x.c\tline=%d\n' \
		0x1010 20 work 10 0x2010 30 compress 142 0x9000 100 cold 7 0x9010 60 cold 7 0x9100 120 warm 12 0x9200 2 cool 3
	printf 'sample\trun=1\tmodule=2\toffset=0x10\tcount=90\tstate=cpu\tfunction=memcpy\n'
	printf 'sample\trun=1\tmodule=1\toffset=0x9300\tcount=900\tstate=blocked\tclass=io\tfunction=waits\tfile=/s/x.c\tline=1\n'
}

tells_what_was_not_looked_at() {
	generate -v seed=3 -v blocks=2 -v only=2 | grep -v '^sample' >few.aw
	{ cat few.aw; samples; } >case.aw
	exits 0 andweorc-analyze case.aw >out 2>err
	grep -E '^(coverage|untried)' out >got
	printf '%s\n' 'coverage	cpu_pct=70' 'untried	name=x.c:7%20in%20cold	cpu_pct=16' 'untried	name=x.c:12%20in%20warm	cpu_pct=12' >want
	same want got
	exits 0 andweorc-analyze --format text case.aw >report 2>err
	tr '\n' ' ' <report >flat
	has 'regions  those tried cover 70 % of the CPU samples; greatest not looked at: x.c:7 in cold \(16.0 %\), +x.c:12 in warm \(12.0 %\)' flat
	exits 0 andweorc-analyze --format json case.aw >json 2>err
	has '"name": "x.c:7 in cold"' json
	# of functions, whose samples are their callers' too
	sed 's/scope=line/scope=function/' case.aw >functions.aw
	exits 0 andweorc-analyze functions.aw >out 2>err
	has '^coverage	cpu_pct=50	at_least=1$' out
	# in any order, and not twice
	{ head -n 1 case.aw; tail -n +2 case.aw | sort -r; } >permuted.aw
	exits 0 andweorc-analyze permuted.aw case.aw >got 2>err
	exits 0 andweorc-analyze case.aw >out 2>err
	same out got
}
check 'what the regions cover, and what is greatest in the rest' tells_what_was_not_looked_at

# work.c:10 and lock.c:300 become lines of one function in one file: their sum is printed below the table.
lines_of_functions() {
	generate -v seed=11 -v runs=5 -v blocks=3 |
		sed 's,file=/src/work.c\tline=10\tfunction=work,file=/src/one.c\tline=10\tfunction=both,
			s,file=/src/lock.c\tline=300\tfunction=lock,file=/src/one.c\tline=300\tfunction=both,' >two.aw
	exits 0 andweorc-analyze --format text two.aw >out 2>err
	has '^function both: 2 lines: 2, 5, 53.0 % of CPU samples$' out
	has '^2 one.c:10 both ' out
	has '^5 one.c:300 both ' out
	exits 0 andweorc-analyze --format text runs.aw >out 2>err
	lacks ' lines: ' out
}
check 'lines of one function are added up' lines_of_functions

# A CI runner obeys text behind "::" at the begin of a line, blanks before it or not, and behind "##[" anywhere.
gives_no_orders() {
	{ grep -v '^sample' runs.aw; samples; } |
		sed 's/scope=line/scope=function/; s/function=\([a-z]*\)/function=%E3%80%80::error::\1##[error]/
			s/command=sim/command=sim%20::error::'"$(printf %080d 0)/" >evil.aw
	exits 0 andweorc-analyze --format text evil.aw >out 2>err
	has '^ +\\::error::0' out
	has '^4 \\u3000::error.*spin#\\#\[error\] ' out
	has '\\u3000::error::cold#\\#\[error\]' out
	lacks '^[^!-~]*::' out
	lacks '##\[' out
	sed 's/function=both/function=::error::both/' two.aw >evil.aw
	exits 0 andweorc-analyze --format text evil.aw >out 2>err
	has '^function ::error::both: 2 lines' out
	lacks '^[^!-~]*::' out
}
check 'the report gives no orders to a runner' gives_no_orders

# Equal slopes, one of them of a tenth of the windows: the certain one is first.
ranks_by_what_is_sure() {
	generate -v seed=11 -v runs=5 -v blocks=6 -v only=1 >sure.aw
	awk -F '\t' -v OFS='\t' '
	/^region/ { print; sub("id=1", "id=9"); sub("line=10", "line=99"); print; next }
	/^experiment/ && /region=1\t/ && ++n % 5 == 0 { sub("region=1\t", "region=9\t") }
	{ print }' sure.aw >both.aw
	exits 0 andweorc-analyze both.aw >out 2>err
	grep '^impact' out | sed 's/.*region=\([^\t]*\).*/\1/' >got
	printf '%s\n' work.c:10 work.c:99 >want
	same want got
	awk -F '\t' '/^impact/ { for (i = 2; i <= NF; i++) if ($i ~ /^slope_lo=/) lo[++n] = substr($i, 10) } END { exit !(lo[1] > lo[2]) }' out
}
check 'ranks by the lower end' ranks_by_what_is_sure

# Rows: impacts descend among those with a verdict, and ranks count.
ranks_by_impact() {
	exits 0 andweorc-analyze --format text one.aw >out 2>err
	sed -n 's/^\([0-9]\) \([a-z.]*:[0-9]*\) .*/\1 \2/p' out >got
	same - got <<-END
	1 compress.c:142
	2 work.c:10
	3 tiny.c:5
	4 spin.c:77
	5 lock.c:300
	END
	# in the records the certain one is first
	exits 0 andweorc-analyze --format text both.aw >out 2>err
	exits 0 andweorc-analyze both.aw >records 2>err
	sed -n 's/^\([0-9]\) .* \([0-9]\.[0-9][0-9]\) (.*/\2/p' out >got
	test "$(wc -l <got)" -eq 2
	sort -rn got >want
	same want got
}
check 'the rows of the report are in the order of impacts' ranks_by_impact

# few BLOCKS: too few windows for their variance
few() {
	generate -v seed=5 -v blocks="$1" -v cv=1 -v visits=10
}

# No interval in the report is 2 wide or more, nor one of a gain 200; unknown regions are not at the top.
nothing_wide_is_printed() {
	for blocks in 1 2 3 5; do
		few $blocks >case
		exits 0 andweorc-analyze --format text case >out 2>err
		has ' (unknown|not enough data)$' out
		sed -n 's/^[0-9] .* \([-0-9.]*\) (\([-0-9.]*\) to \([-0-9.]*\)) .*/\2 \3/p' out >pairs
		awk '$2 - $1 > 200 { exit 1 }' pairs
		sed -n 's/^[0-9] [^(]* [-0-9.]* (\([-0-9.]*\) to \([-0-9.]*\)) .*/\1 \2/p' out >pairs
		awk '$2 - $1 > 2 { exit 1 }' pairs
		awk '/^[0-9] / { unknown = unknown || / %  +\?/; if (unknown && !/ %  +\?/) exit 1 }' out
	done
	few 1 >case
	exits 0 andweorc-analyze --format text case >out 2>err
	test "$(grep -c '^[0-9] .* %  *? ' out)" -ge 2
	lacks 'one visit every [^,]*\(-' out
}
check 'no interval wider than +-1 is printed' nothing_wide_is_printed

# leads LOG TEXT: the report begins with TEXT, line breaks aside
leads() {
	exits 0 andweorc-analyze --format text "$1" >out 2>err
	sed '/^$/q' out | tr '\n' ' ' >lead
	case $(cat lead) in
	"$2"*) ;;
	*) cat lead; return 1 ;;
	esac
}

the_lead_says_what_is_known() {
	leads runs.aw "Work on compress.c:142 (compress): 10 % off its time takes 7.9 % off the time per 'block' (6.5 to 9.3, 95 % interval); that holds up to about 30 %. The hottest line, work.c:10 (work), has 50 % of the CPU samples and an impact of 0.60 (0.56 to 0.64)."
	leads whole.aw 'Work on solve: 10 % off its time takes 6.0 % off the run time (5.6 to 6.4, 95 % interval). It is the hottest region, too, with 60 % of the CPU samples.'
	few 1 >case
	leads case "Not enough data to say what limits the time per 'block'. The likeliest region is work.c:10 (work): 0.65 (-0.08 to 1.38); it needs about 30 times as many windows (record with -d 24)."
	# only regions that are no bottlenecks
	awk -F '\t' '$1 == "experiment" { use = /region=[-35]\t/ } $1 != "experiment" && $1 != "visits" || use' runs.aw >none.aw
	leads none.aw "No region of the 2 that were tried limits the time per 'block': the 95 % interval of each impact lies below 0.1."
	lacks 'Work on' lead
	awk -F '\t' '$1 == "experiment" { use = /region=[-3]\t/ } $1 != "experiment" && $1 != "visits" || use' runs.aw >flat.aw
	leads flat.aw "The only region that was tried does not limit the time per 'block': the 95 % interval of its impact lies below 0.1."
	has 'A function, with all that it calls, may be worth more: record with -m function' lead
	# a greater impact that may be a guess
	generate -v seed=6 -v blocks=3 -v cv=.5 -v visits=10 >case
	leads case "Work on compress.c:142 (compress): 10 % off its time takes 11.0 % off the time per 'block' (4.1 to 18.0, 95 % interval); that holds up to about 25 %. work.c:10 (work), the hottest line with 50 % of the CPU samples, is the surer bet: its impact is 0.58 (0.50 to 0.66)."
	# "It" is the greatest one, not the surest
	sed -i -e 's/region=1	samples=500/region=1	samples=200/' -e 's/region=2	samples=200/region=2	samples=500/' case
	leads case "Work on compress.c:142 (compress): 10 % off its time takes 11.0 % off the time per 'block' (4.1 to 18.0, 95 % interval); that holds up to about 25 %. It is the hottest line, too, with 50 % of the CPU samples. work.c:10 (work) is the surer bet: its impact is 0.58 (0.50 to 0.66)."
	# a function with nearly all samples, and one that it calls
	sed -e 's/samples=1200	/samples=1950	/; s/samples=0	total=2000	blocked=500	/samples=600	total=2000	blocked=0	/' \
		-e 's/scope=class	symbol=:io	function=:io/scope=function	module=1	ranges=0x2000-0x2040	symbol=part	function=part/' whole.aw >case
	leads case 'Work on part: 10 % off its time takes 2.5 % off the run time (2.3 to 2.7, 95 % interval). The hottest region, solve, has 98 % of the CPU samples and an impact of 0.60 (0.56 to 0.64).'
	# code without a symbol
	sed -e 's/symbol=solve	function=solve/function=libz.so.1+0x1234/' whole.aw >case
	leads case 'Work on libz.so.1+0x1234 (debug files would tell its name): 10 % off its time takes 6.0 % off the run time ('
	grep -v '^visits' runs.aw >case
	leads case 'There is no result. The warnings below say why.'
}
check 'the report leads with what to work on, or says that it is not known' the_lead_says_what_is_known

explains() {
	exits 0 andweorc-analyze --explain <&- >out 2>err
	empty err
	for term in impact interval CPU wait gain curve verdict knee needs R2; do
		has "^$term  " out
	done
	for word in high moderate low none harmful unknown 'not enough data' 'not a bottleneck' 'set aside'; do
		has "$word" out
	done
	lacks '.{101}' out
	exits 0 andweorc-analyze --format text one.aw >out 2>err
	tail -n 1 out >last
	echo 'terms    andweorc-analyze --explain' | same - last
}
check '--explain' explains

# Without UTF-8 there is none, neither in pictures nor in names.
plain_ascii() {
	sed 's/function=work/function=caf%C3%A9/' runs.aw >cafe.aw
	for locale in C POSIX; do
		exits 0 env LC_ALL=$locale andweorc-analyze --format text cafe.aw >out 2>err
		LC_ALL=C lacks '[^ -~]' out
		has 'caf\\u00e9' out
		has ' -o- .* [_.:=+*#-]{5} high$' out
	done
	exits 0 env LC_ALL= LC_CTYPE= LANG=xx_XX.UTF-8 andweorc-analyze --format text cafe.aw >out 2>err
	has 'café .*●' out
}
check 'ASCII where the locale is not UTF-8' plain_ascii

# on_terminal COMMAND: its output to a terminal, in `out`
on_terminal() {
	script -qec "$1" /dev/null </dev/null | tr -d '\r' >out
}

fits_the_terminal() {
	for columns in 60 80 100 120 160; do
		on_terminal "COLUMNS=$columns andweorc-analyze long.aw 2>/dev/null"
		lacks ".{$((columns + 1))}" out
		has '^ *1 +compress ' out
	done
	has ' not a bottleneck$' out
	on_terminal 'stty columns 80; andweorc-analyze long.aw 2>/dev/null'
	lacks '.{81}' out
	has '.{70}' out
	# not where the output is a file
	exits 0 env COLUMNS=60 andweorc-analyze --format text runs.aw >got 2>err
	same "$data/analyze/runs.txt" got
}

# The first sentence, and nothing else.
is_bold_on_a_terminal() {
	esc=$(printf '\033')
	on_terminal 'TERM=xterm andweorc-analyze runs.aw 2>/dev/null'
	sed "s/$esc\[1m//; s/$esc\[0m//" out >got
	same "$data/analyze/runs.txt" got
	test "$(grep -c "$esc" out)" -eq 2
	has "^$esc\[1mWork on" out
	has "30 %\.$esc\[0m\$" out
	for how in NO_COLOR=1 TERM=dumb; do
		on_terminal "TERM=xterm $how andweorc-analyze runs.aw 2>/dev/null"
		same "$data/analyze/runs.txt" out
	done
}

if script --version >/dev/null 2>&1; then
	check 'the report is as wide as the terminal' fits_the_terminal
	check 'the first sentence is bold on a terminal' is_bold_on_a_terminal
else
	skip 'the report is as wide as the terminal' 'no script(1)'
	skip 'the first sentence is bold on a terminal' 'no script(1)'
fi

done_testing
