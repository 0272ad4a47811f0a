#!/bin/sh
# Input that is large, or claims to be: time is linear in it, not quadratic, and memory grows with the output
# asked for.  The limits are several times the need, and a fraction of that of a quadratic algorithm.
. "$(dirname "$0")/lib.sh"

# With sanitizers, programs take several times as long, and more address space than there is memory.
slow=1
if grep -aq __asan_init "$O/andweorc-analyze"; then
	slow=5
fi

# in_time SECONDS COMMAND...: of processor time
in_time() {
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -t $((slow * $1))
	shift
	exits 0 "$@"
}

# in_space MEGABYTES COMMAND...
in_space() {
	# shellcheck disable=SC3045 # dash and bash have it
	test $slow -gt 1 || ulimit -v $(($1 * 1024))
	shift
	exits 0 "$@"
}

# ---- many regions -----------------------------------------------------------

# regions N ROOT: each in a file of its own, all of one name, with two windows
regions() {
	awk -v n="$1" -v root="$2" '
	function window(region, pct, block, time) {
		id++
		printf "experiment\tid=%d\trun=1\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=1000\n", id, block, region, pct, id * 1000
		printf "visits\texperiment=%d\tpoint=p\tkind=throughput\tcount=40\tvirtual_ns=%d\n", id, time
	}
	BEGIN {
		print "andweorc\tversion=1\ttool=record"
		print "run\tid=1\tcommand=sim\tperiod_ns=1000000\tstarted_ns=1"
		print "module\trun=1\tid=1\tpath=/b/sim"
		for (i = 1; i <= n; i++)
			printf "region\tid=%d\tscope=line\tmodule=1\tranges=0x%x-0x%x\tfile=%s/d%d/x.c\tline=%d\tfunction=f%d\n",
				i, 16 * i, 16 * i + 8, root, i, i, i
		for (block = 1; block <= 2; block++) {
			for (i = 0; i < 3; i++)
				window("-", 0, block, 100000 + i)
			for (i = 1; i <= n; i++)
				window(i, 25 * block, block, 100000 - i % 1000)
		}
		for (i = 1; i <= n; i++)
			printf "share\trun=1\tregion=%d\tsamples=10\ttotal=%d\n", i, 10 * n
		print "end\trun=1\tstatus=exit:0\twall_ns=1"
	}' </dev/null
}

# are_analyzed N SECONDS
are_analyzed() {
	regions "$1" /w >log
	(in_time "$2" andweorc-analyze log) >out 2>err
	test "$(grep -c '^impact' out)" -eq "$1"
	awk -F'\t' '$1 == "impact" { for (i = 2; i <= NF; i++) if (index($i, "region=") == 1) print substr($i, 8) }' out | sort -u >labels
	test "$(wc -l <labels)" -eq "$1"
	has '^d7/x\.c:7$' labels
}

# are_compared N SECONDS
are_compared() {
	regions "$1" /b >log
	andweorc-analyze log >base 2>err
	regions "$1" /h >log
	andweorc-analyze log >head 2>err
	(in_time "$2" andweorc-diff -f tsv base head) >out 2>err
	# Each region was matched: the trees differ in their files.
	test "$(grep -c '^region' out)" -eq "$1"
	lacks '	unmatched	' out
}

# The time of a quadratic algorithm is a quarter of that for twice as many, and so is the limit, about.
if is_long; then
	check '20000 regions are analyzed' are_analyzed 20000 10
	check '5000 regions are compared' are_compared 5000 8
else
	check '10000 regions are analyzed' are_analyzed 10000 3
	check '2500 regions are compared' are_compared 2500 2
fi

# ---- many samples -----------------------------------------------------------

# samples FIRST LAST STEP: a million addresses of the module's code; one in ten is in the region's ranges
samples() {
	awk -v first="$1" -v last="$2" -v step="$3" 'BEGIN {
		for (i = first; step > 0 ? i <= last : i >= last; i += step)
			printf "sample\trun=1\tmodule=1\toffset=0x%x\tcount=1\tstate=cpu\tfunction=g%d\tfile=/s/b.c\tline=%d\n", 4096 + 8 * i, i, i
	}' </dev/null
}

# around SAMPLES...: a log with these samples; its shares mean nothing
around() {
	printf 'andweorc\tversion=1\ttool=record\nrun\tid=1\tcommand=sim\tperiod_ns=1000000\tstarted_ns=1\nmodule\trun=1\tid=1\tpath=/b/sim\n'
	cat "$@"
	printf 'region\tid=1\tscope=function\tmodule=1\tranges=0x1000-0xc4500\tfunction=f\n'
	for i in 1 2 3 4 5 6 7 8; do
		printf 'experiment\tid=%d\trun=1\tblock=1\tregion=%s\tspeedup_pct=%s\tstart_ns=%d000\twall_ns=1000\n' $i \
			$((i % 2)) $((50 * (i % 2))) $i
		printf 'visits\texperiment=%d\tpoint=p\tcount=40\tvirtual_ns=1000\n' $i
	done
	printf 'share\trun=1\tregion=1\tsamples=1\ttotal=1000000\nend\trun=1\tstatus=exit:0\twall_ns=1\n'
}

many_addresses_take_no_memory() {
	samples 0 999999 1 >million
	around million >log
	(in_space 120 andweorc-analyze log) >out 2>err
	# to a thousandth, where neighbours share a sum
	has '^coverage	cpu_pct=(10|9\.9[0-9]*|10\.0[0-9]*)	at_least=1$' out
	lacks '^untried' out
}
check 'a million addresses take no memory' many_addresses_take_no_memory

order_of_addresses_does_not_matter() {
	tac million | around - >log
	exits 0 andweorc-analyze log >got 2>err
	same out got
	is_long || return 0
	{ samples 1 999999 2; samples 0 999998 2; } | around - >log
	exits 0 andweorc-analyze log >got 2>err
	same out got
}
check 'nor does their order matter' order_of_addresses_does_not_matter

# As many as a large program has are exact, and have names.
fewer_are_exact() {
	{ head -n 200000 million; printf 'sample\trun=1\tmodule=1\toffset=0x10000000\tcount=800000\tstate=cpu\tfunction=hot\n'; } | around - >log
	exits 0 andweorc-analyze log >got 2>err
	grep -E '^(coverage|untried)' got >lines
	printf 'coverage\tcpu_pct=10\tat_least=1\nuntried\tname=hot\tcpu_pct=80\n' | same - lines
}
check 'fewer of them are exact' fewer_are_exact

# ---- many events ------------------------------------------------------------

# events PATTERN LAST: a burst of one thread with 200,000 such events, and then another one
events() {
	awk -v pattern="$1" -v last="$2" 'BEGIN {
		print "andweorc\tversion=1\ttool=record"
		print "run\tid=1\tcommand=sim\tperiod_ns=1000000\tstarted_ns=1"
		print "point\trun=1\tid=1\tname=p\tkind=throughput"
		print "burst\trun=1\tid=1\tstart_ns=0\tlength_ns=1000000000\tcpus=2"
		printf "events\trun=1\tburst=1\tthread=1\tdata="
		for (i = 0; i < 200000; i++)
			printf "%s", pattern
		print last
		print "end\trun=1\tstatus=0\twall_ns=1000000000"
	}'
}

# A QUEUED belongs to a stretch before it, of which there are many, or is one of many before the next step.
queues_of_many_events() {
	events v511 q0zzzzzzG >in
	in_time 5 andweorc-analyze --format andweorc in >/dev/null
	events q15 v511 >in
	in_time 5 andweorc-analyze --format andweorc in >/dev/null
}
check '200000 events before or after a wait for a processor' queues_of_many_events

# ---- many warnings ----------------------------------------------------------

# The records are the same but for their numbers, and are merged.
many_warnings_take_no_memory() {
	seq -f 'warning	run=1	what=spin	text=something%%20is%%20%.0f%%20of%%20it,%%20and%%20more%%20of%%20it' 600000 | around - >log
	(in_space 60 andweorc-analyze log) >out 2>err
	grep '^warning	what=spin' out >got
	printf 'warning\twhat=spin\ttext=something%%20is%%20600000%%20of%%20it,%%20and%%20more%%20of%%20it\n' | same - got
}
check '600000 warnings of one kind take no memory' many_warnings_take_no_memory

# ---- files that claim to be large -------------------------------------------

# bomb KIND: an ELF file whose debug sections are all the same 55 kB, and 1.5 GB each without compression; or, zlib, 50 MB
bomb() {
	perl -MIO::Compress::Deflate -e '
		my $kind = shift;
		my @name = qw(.debug_info .debug_abbrev .debug_line .debug_str .debug_ranges .debug_loc .debug_aranges .debug_frame);
		my ($type, $size, $data);
		if ($kind eq "zstd") {
			my $blocks = 11500; # of 128 kB of one byte each
			($type, $size) = (2, $blocks * 131072);
			$data = pack("H*", "28b52ffd0038") . join "", map { substr(pack("V", 131072 << 3 | 1 << 1 | ($_ == $blocks)), 0, 3) . "\0" } 1 .. $blocks;
		} else {
			($type, $size) = (1, 50000000);
			my $zeros = "\0" x $size;
			IO::Compress::Deflate::deflate(\$zeros => \$data) or die;
		}
		$data = pack("V V Q< Q<", $type, 0, $size, 1) . $data;
		my $strings = join "\0", "", ".shstrtab", @name, "";
		my $at = 64 + length $data;
		my $headers = $at + length $strings;
		my @sections = (pack("V V Q<4 V V Q<2", (0) x 10), pack("V V Q<4 V V Q<2", 1, 3, 0, 0, $at, length $strings, 0, 0, 1, 0));
		for my $name (@name) {
			push @sections, pack("V V Q<4 V V Q<2", index($strings, "\0$name\0") + 1, 1, 0x800, 0, 64, length $data, 0, 0, 1, 0);
		}
		print pack("a4 C5 x7 v v V Q<3 V v6", "\x7fELF", 2, 1, 1, 0, 0, 3, 62, 1, 0, 0, $headers, 0, 64, 56, 0, 64, scalar @sections, 1),
			$data, $strings, @sections;' "$1"
}

bombs_do_not_go_off() {
	for kind in zstd zlib; do
		bomb $kind >$kind
		readelf -SW $kind >sections
		has '\.debug_frame +PROGBITS .* C ' sections
		test "$(wc -c <$kind)" -lt 100000
		printf 'andweorc\tversion=1\ttool=record\nmodule\trun=1\tid=1\tpath=%s\nsample\trun=1\tmodule=1\toffset=0x10\tcount=1\tstate=cpu\n' \
			"$PWD/$kind" >log
		(in_time 2 in_space 200 andweorc-resolve log) >got 2>err
		has "^andweorc-resolve: warning: neither debug information nor symbols for '.*/$kind'" err
		has "function=$kind\+0x10" got
	done
}
check 'sections that claim gigabytes' bombs_do_not_go_off

done_testing
