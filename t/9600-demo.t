#!/bin/sh
# The demo: its program compresses and refuses bad input, its words follow
# from the analysis, and a short form of the whole leaves the promised files.
# Runs alone: with other tests beside it, most experiments are disturbed.
. "$(dirname "$0")/lib.sh"

share=$top/share/andweorc
pzip=$O/examples/pzip

# 1.5 MB: several blocks, the last one short; text and what does not compress.
{
	cat "$share"/examples/*.c
	head -c 700000 /dev/urandom
	head -c 700000 /dev/zero
	cat "$top"/lib/*/*.c
} >plain

comes_back() {
	exits 0 "$pzip" "$@" -o packed plain
	exits 0 "$pzip" -t packed
	exits 0 "$pzip" -d -o back packed
	cmp plain back
}

small_files_come_back() {
	for size in 0 1; do
		head -c $size plain >small
		exits 0 "$pzip" -o packed small
		exits 0 "$pzip" -d -o back packed
		cmp small back
	done
}

passes_give_the_same() {
	exits 0 "$pzip" -o once plain
	exits 0 "$pzip" -r 0.3 -v -o again plain 2>err
	cmp once again
	has '^pzip: CPU time per second: reader [0-9.]+, workers [0-9.]+, writer [0-9.]+$' err
}

# refuses MESSAGE ARG...
refuses() {
	message=$1
	shift
	exits 1 "$pzip" "$@" 2>err
	has "^pzip: $message" err
}

damage_is_found() {
	exits 0 "$pzip" -o packed plain
	refuses "'plain' is not a pzip file" -t plain
	head -c 1000 packed >part
	refuses "'part' is cut short" -t part
	head -c 5 packed >part
	refuses "'part' is cut short" -d -o back part
	for at in 16 5000 -3; do # CRC-32 of the first block, inside its frame, the hash of the file
		test $at -gt 0 || at=$(($(wc -c <packed) + at))
		cp packed bad
		byte=$(od -An -tu1 -j $at -N 1 packed)
		# shellcheck disable=SC2059
		printf "\\$(printf %o $((byte ^ 1)))" | dd of=bad bs=1 seek=$at conv=notrunc 2>/dev/null
		refuses "'bad' is damaged: " -t bad
	done
	{ head -c 8 packed; printf '\377\377\377\377\1\0\0\0\0\0\0\0'; } >bad
	refuses "'bad' is damaged: no block is that large" -t bad
}

trouble_is_told() {
	refuses "cannot open 'nowhere': No such file" -t nowhere
	refuses "cannot create 'no/where': No such file" -o no/where plain
	refuses "cannot read '.': Is a directory" -o packed .
	refuses "cannot write '/dev/full': No space" -o /dev/full plain
	refuses "'0' is not a number from 1 to 64" -j 0 -o packed plain
	exits 2 "$pzip" plain 2>err
	has '^usage: pzip' err
	exits 0 "$pzip" -h >out
	has '^usage: pzip' out
}

check 'what pzip packs comes back' comes_back
check 'with 1 worker' comes_back -j 1
check 'with 8 workers and level 5' comes_back -j 8 -l 5
check 'an empty file and one of one byte come back' small_files_come_back
check 'repeated passes leave the same file' passes_give_the_same
check 'damage is found' damage_is_found
check 'trouble is told' trouble_is_told

# says ANALYSIS: puts the demo's text about it into `said`
says() {
	awk -F '\t' -v source="$share/examples/pzip.c" -f "$share/demo.awk" "$1" >said
}

# impact REGION SHARE SLOPE LOW HIGH VERDICT [KEY=VALUE]
impact() {
	printf 'impact\tpoint=block\tregion=%s\tline=%s\tshare_pct=%s\tslope=%s\tslope_lo=%s\tslope_hi=%s\tverdict=%s%s\n' \
		"$1" "${1##*:}" "$2" "$3" "$4" "$5" "$6" "${7:+	$7}"
}

hottest_gains_nothing() {
	{
		impact x.c:7 40.6 -0.002 -0.04 0.04 none
		impact x.c:9 33.3 0.48 0.41 0.55 moderate max_useful_pct=40
		impact x.c:8 10 0.2 0.1 0.3 moderate
		printf 'why\tregion=x.c:7\twho=others\twait_pct=70\tat=c\tuntil=d\n'
		printf 'why\tregion=x.c:7\twho=own\twait_pct=41.6\tat=x.c:1%%20(a)\tuntil=x.c:2%%20(b)\n'
	} >analysis
	says analysis
	same - said <<-END

	The hottest line is x.c:7, with 41 % of the samples:
	    10 % off its time takes 0.0 % off the time for a block (95 % interval -0.4 to 0.4).
	    A profiler that counts samples would send you here: for next to nothing.
	    Why: the threads that run it wait for 42 % of their time at x.c:1 (a),
	    until x.c:2 (b).

	The most useful line is x.c:9, with 33 % of the samples:
	    10 % off its time takes 4.8 % off the time for a block (95 % interval 4.1 to 5.5).
	    That holds until it is 40 % faster; beyond, something else is in the way.
	END
}

hottest_is_best() {
	{
		impact x.c:9 33.3 0.2 0.1 0.3 moderate
		impact x.c:7 40.6 0.6 0.5 0.7 high
	} >analysis
	says analysis
	has '^    Here the hottest line is also the most useful one' said
	lacks 'most useful line is' said
}

hottest_may_be_best() {
	{
		impact x.c:7 40.6 0.26 0.13 0.4 moderate
		impact x.c:8 10 0.05 0.04 0.06 low
		impact x.c:9 15.2 0.17 0.11 0.23 moderate
	} >analysis
	says analysis
	has '^    A profiler that counts samples would promise 4.1 %' said
	has '^    Here the hottest line has the greatest effect, but x.c:9, with 15 % of the samples, may gain as much' said
}

hottest_pays_less() {
	{
		impact x.c:7 40.6 0.2 0.1 0.3 moderate
		impact x.c:9 33.3 0.6 0.5 0.7 high
	} >analysis
	says analysis
	has '^    It pays, though' said
	has '^The most useful line is x.c:9,' said
}

hottest_may_pay_as_much() {
	{
		impact x.c:7 44.9 0.190 0.05 0.34 moderate
		impact x.c:9 15.5 0.194 0.07 0.32 moderate
	} >analysis
	says analysis
	has '^    It may gain as much as x.c:9, with 16 % of the samples' said
	has '^The line with the greatest effect is x.c:9,' said
	lacks 'pays most|most useful' said
}

doubt_stays_doubt() {
	{
		impact x.c:7 40.6 0.3 -0.5 0.9 not-enough-data
		impact x.c:9 33.3 0.5 0.1 0.9 not-enough-data
	} >analysis
	says analysis
	has '^    What making it faster would gain cannot be told' said
	has '^No line surely gains anything' said
	lacks 'next to nothing|arrives|most useful' said
}

less_than_its_samples() {
	{
		impact x.c:7 40.6 0.1 -0.04 0.25 not-enough-data
		impact x.c:9 33.3 0.5 0.1 0.9 moderate
	} >analysis
	says analysis
	has '^    10 % off its time takes 1.0 % off .* -0.4 to 2.5' said
	has '^    A profiler that counts samples would promise 4.1 %' said
	lacks 'cannot be told|next to nothing' said
}

nothing_is_nothing() {
	printf 'andweorc\tversion=1\ttool=analyze\n' >analysis
	says analysis
	has '^Nothing: ' said
}

check 'words: the hottest line gains nothing' hottest_gains_nothing
check 'words: the hottest line is the best' hottest_is_best
check 'words: the hottest line may be the best, or another' hottest_may_be_best
check 'words: another line is the best, or the hottest' hottest_may_pay_as_much
check 'words: the hottest line pays, another pays more' hottest_pays_less
check 'words: doubt stays doubt' doubt_stays_doubt
check 'words: no verdict, but surely less than the samples promise' less_than_its_samples
check 'words: nothing measured' nothing_is_nothing

# A build directory of its own: what a user's demo left behind stays.
whole_demo() {
	mkdir build
	ln -s "$O"/* build/
	rm -rf build/demo
	exits 0 env DEMO_SECONDS=3 "$share/demo" build >out 2>err
	packing=$(grep -n 'ZSTD_compressCCtx' "$share/examples/pzip.c" | cut -d: -f1)
	hashing=$(grep -n '\* HASH_PRIME' "$share/examples/pzip.c" | cut -d: -f1)
	has "^ *[0-9]+ +pzip\.c:$packing worker  *[0-9<]" out
	has "^ *[0-9]+ +pzip\.c:$hashing hash_bytes  *[0-9<]" out
	has '^terms    andweorc-analyze --explain$' out
	has '^The hottest line is pzip.c:[0-9]+, with [0-9]+ % of the samples:' out
	has 'x: virtual speedup of the region' out
	has '^pzip: CPU time per second' err
	for file in pzip.aw pzip.resolved pzip.analysis pzip.svg; do
		test -s "build/demo/$file"
		has " $PWD/build/demo/$file\$" out
	done
	has '^end	.*run=1' build/demo/pzip.aw
	has '^experiment	' build/demo/pzip.aw
	has "^impact	.*line=$hashing	" build/demo/pzip.analysis
	has "^curve	.*region=pzip\.c:$packing	" build/demo/pzip.analysis
	# gnuplot ends it with an empty line
	sed -n '1p; /./h; ${g; p;}' build/demo/pzip.svg >ends
	same - ends <<-END
	$(head -n 1 build/demo/pzip.svg | grep '^<?xml')
	</svg>
	END
}

refuses_without_build() {
	mkdir none
	exits 2 "$share/demo" none 2>err
	has "^demo: no '.*/none/andweorc-record': run make first" err
	exits 2 "$share/demo" 2>err
	has '^demo: usage: ' err
}

check 'the short form of the demo leaves log, analysis and curves, and names both lines' whole_demo
check 'without a build it says so' refuses_without_build

done_testing
