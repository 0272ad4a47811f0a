#!/bin/sh
# Profiles of Coz: written by andweorc-analyze, read by andweorc-resolve.
. "$(dirname "$0")/lib.sh"

awk -v seed=12 -v blocks=8 -f "$data/random.awk" -f "$data/analyze/generate.awk" >one.aw

# slopes FILE: region and impact, by region
slopes() {
	awk -F'\t' "$awk_value"'
		$1 == "impact" { print value("point"), value("file") ":" value("line"), value("slope") }' "$1" | sort
}

# near FILE FILE: the same points and regions, impacts within 0.03
near() {
	paste -d' ' "$1" "$2" | awk '
		$1 != $4 || $2 != $5 { print "another:", $0; wrong++ }
		{ d = $3 - $6; if (d > 0.03 || d < -0.03) { print "far:", $0; wrong++ }; n++ }
		END { exit !(n > 1 && !wrong) }'
}

there_and_back() {
	exits 0 andweorc-analyze --format andweorc one.aw >want 2>err
	exits 0 andweorc-analyze --format coz one.aw >profile.coz 2>err
	exits 0 andweorc-resolve profile.coz >log 2>err
	exits 0 andweorc-analyze --format andweorc log >got 2>err
	slopes want >want.slopes
	slopes got >got.slopes
	near want.slopes got.slopes
}
check 'what is written is read again' there_and_back

# A file that can be read only once is not examined before.
through_a_pipe() {
	exits 0 andweorc-resolve one.aw >want 2>err
	mkfifo pipe
	cat one.aw >pipe &
	exits 0 andweorc-resolve pipe >got 2>err
	same want got
	cat one.aw | exits 0 andweorc-resolve /dev/stdin >got 2>err
	same want got
}
check 'a log in a pipe stays whole' through_a_pipe

# Each line as an object, numbers as numbers.
as_objects() {
	perl -ne 'chomp; ($type, @f) = split /\t/;
		print "{\"type\":\"$type\"", (map { ($k, $v) = split /=/, $_, 2; ",\"$k\":" . ($v =~ /^[0-9.]+$/ ? $v + 0 : "\"$v\"") } @f), "}\n"' profile.coz >profile.jsonl
	exits 0 andweorc-resolve profile.jsonl >objects 2>err
	sed 's/command=[^	]*/command=x/' log >want
	sed 's/command=[^	]*/command=x/' objects >got
	same want got
}
check 'the newest form is read, too' as_objects

# Two starts of the program, both forms of points, Little's law.
by_hand() {
	printf '%s\t%s\t%s\t%s\n' \
		startup time=100 '' '' \
		experiment selected=/src/a.c:12 speedup=0.00 duration=1000000 \
		progress-point name=done type=source delta=10 \
		latency-point name=request arrivals=20 difference=2.5 \
		experiment selected=/src/a.c:12 speedup=0.50 duration=1000000 \
		throughput-point name=done delta=15 '' \
		samples location=/src/a.c:12 count=30 '' \
		samples location=/src/b.c:1 count=10 '' \
		runtime time=5000000 '' '' \
		startup time=9 '' '' \
		experiment selected=work speedup=1.0 duration=77 \
		shutdown time=1 '' '' >hand.coz
	exits 0 andweorc-resolve hand.coz >got 2>err
	has '^experiment	id=1	run=1	region=-	speedup_pct=0	start_ns=0	wall_ns=1000000$' got
	has '^visits	experiment=1	point=done	kind=throughput	count=10	virtual_ns=1000000$' got
	has '^visits	experiment=1	point=request	kind=latency	count=20	virtual_ns=1000000	in_flight_ns=2500000$' got
	has '^experiment	id=2	run=1	region=1	speedup_pct=50	start_ns=1000000	wall_ns=1000000$' got
	has '^region	id=1	scope=line	module=1	file=/src/a.c	line=12$' got
	has '^region	id=2	scope=function	module=1	function=work$' got
	has '^share	run=1	region=1	samples=30	total=40$' got
	has '^experiment	id=3	run=2	region=2	speedup_pct=100	start_ns=0	wall_ns=77$' got
	test "$(grep -c '^end	' got)" -eq 2
	exits 0 andweorc-analyze --format andweorc got >analysis 2>err
	has '^impact	point=done	' analysis
}
check 'runs, points, spans and samples' by_hand

# bad LINE MESSAGE
bad() {
	printf 'startup\ttime=1\nexperiment\tselected=a.c:1\tspeedup=0.5\tduration=9\n%b\nthroughput-point\tname=p\tdelta=1\n' "$1" >bad.coz
	exits 2 andweorc-resolve bad.coz >got 2>err
	has "^andweorc-resolve: bad.coz:3: $2" err
	# Lines after it are still read.
	has '^visits	.*	point=p	' got
}
check 'a line that is not known' bad 'nonsense\tx=1' "unknown line 'nonsense'"
check 'a number that is none' bad 'samples\tlocation=a.c:1\tcount=x' "bad number 'x' for 'count'"
check 'a number that is negative' bad 'throughput-point\tname=p\tdelta=-1' "bad number '-1' for 'delta'"
check 'a field that is missing' bad 'latency-point\tname=p\tarrivals=1' "'latency-point' has no 'difference'"
check 'an object that is none' bad '{"type":' 'a line that is no object with a type'

takes_anything() {
	for i in $(seq 60); do
		perl -e 'srand shift; local $/; open F, "<", "hand.coz"; $t = <F>;
			substr($t, rand length $t, 1 + rand 9) = join "", map { chr rand 256 } 1 .. rand 9 for 1 .. 12; print "startup\t", $t' "$i" >mutant.coz
		run andweorc-resolve mutant.coz >got 2>err
		test "$status" -eq 0 || test "$status" -eq 2
		run andweorc-analyze --format andweorc got >/dev/null 2>err
		test "$status" -eq 0 || test "$status" -eq 2
	done
}
check 'whatever is in it' takes_anything

done_testing
