#!/bin/sh
# Programs of Rust and C++20, as their compilers make them for release: their ways
# to wait are seen, and inlined code is charged to the lines of the program's own source.
# A compiler that rustup has installed is the user's.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export PATH RUSTUP_HOME

. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0

# alike SAMPLER PROGRAM
alike() {
	exits 0 "./$2" >want
	SYNC_MS=150 exits 0 andweorc-record -q --sampler "$1" -o log -m line -s 50 --window 1 -- "./$2" >got 2>err
	same want got
	lacks 'was not profiled|no-sample' err
	has "sampler=$1|what=perf-refused" log
}

# waits: in the log of is_charged, for threads, which by futexes alone would not be seen, and for time to pass
waits() {
	awk -F '\t' '
		$1 == "sample" {
			class = ""
			for (i = 2; i <= NF; i++) {
				if (sub(/^class=/, "", $i))
					class = $i
				if (sub(/^count=/, "", $i))
					count = $i
			}
			n[class] += count
		}
		END {
			printf "%d samples of waits for threads, %d of sleeps\n", n["lock"], n["sleep"]
			exit n["lock"] < 50 || n["sleep"] < 5
		}' log
}

# Without timers the kernel is not sampled, whose time goes to the lines that wait and wake.
program sandbox

# charged SOURCE: prints, of the samples of lines that had an experiment, those of lines with the mark `// hot`, and all
charged() {
	grep -n '// hot' "$1" | cut -d : -f 1 >lines
	andweorc-resolve log >resolved
	awk -F '\t' -v source="/${1##*/}" '
		NR == FNR {
			hot[$1] = 1
			next
		}
		{
			delete f
			for (i = 2; i <= NF; i++) {
				at = index($i, "=")
				f[substr($i, 1, at - 1)] = substr($i, at + 1)
			}
		}
		# A sample in no line of the program makes a region of the function of a library that the thread began in.
		$1 == "region" && f["scope"] == "line" {
			is_line[f["id"]] = 1
			is_hot[f["id"]] = f["scope"] == "line" && substr(f["file"], length(f["file"]) - length(source) + 1) == source &&
				f["line"] in hot
		}
		$1 == "share" && f["region"] in is_line {
			all += f["samples"]
			if (is_hot[f["region"]])
				n += f["samples"]
		}
		END { printf "%d %d\n", n, all }' lines resolved
}

# is_charged PROGRAM SOURCE: the lines with processor time of their own are those with the mark `// hot`
is_charged() {
	# On a machine that others use it takes longer until there is anything to say; the first regions may be no lines.
	for seconds in 1 2 4 8; do
		SYNC_MS=1000000 exits 0 ./sandbox under errno timer_create -- andweorc-record -q -d $seconds -o log -m line -s 50 -- "./$1" >out
		charged "$2" >counts
		if awk '{ exit $2 < 20 }' counts && waits; then
			break
		fi
	done
	echo "$(cat counts): samples of the lines marked, and of all lines"
	awk '{ exit $1 < 0.9 * $2 || $1 < 20 }' counts
}

# about PROGRAM SOURCE WHAT
about() {
	for sampler in perf timer; do
		check "$3 says the same ($sampler)" alike $sampler "$1"
	done
	check "$3: inlined code is charged to the lines that people wrote" is_charged "$1" "$2"
	check "$3: waits are known" waits
}

# The hash map of Rust's library is not the program's own code, though its sources are at a place of their own.
hash_maps() {
	cat >maps.rs <<-'RS'
		use std::collections::HashMap;
		fn main() {
		    let mut map: HashMap<u64, u64> = HashMap::new();
		    loop {
		        for i in 0..5000 {
		            *map.entry(i).or_insert(0) += i;
		        }
		        andweorc::progress!("round");
		    }
		}
	RS
	exits 0 rustc --edition 2021 -O -g --extern andweorc="$crate" -o maps maps.rs
	endless_until all_tried log --window 20 -s 50 -- ./maps
	exits 0 andweorc-resolve log >resolved
	awk -F'\t' '$1 == "region" { for (i = 2; i <= NF; i++) if ($i ~ /^file=/) print $i }' resolved >files
	has 'maps\.rs$' files
	# The crate for marks is our own, in a folder of that name.
	grep -v '/share/rust/andweorc/' files >others
	lacks '/rust/' others
}

if rustc --version >/dev/null 2>&1; then
	crate=$O/t/workload/libandweorc.rlib # make has built it
	check 'rustc' program sync-rust
	about sync-rust "$programs/sync.rs" Rust
	check 'rustc, no unwinding' program sync-rust-abort
	check 'Rust without unwinding says the same' alike perf sync-rust-abort
	check "Rust: what the library's hash map does is charged to the caller" hash_maps
else
	skip 'Rust' 'no rustc'
fi
for compiler in g++ clang++; do
	echo 'int main() {}' >empty.cc
	if ! $compiler -std=c++20 -o empty empty.cc 2>/dev/null; then
		skip "C++20, $compiler" 'it is not there'
		continue
	fi
	check "$compiler" program sync-$compiler
	about sync-$compiler "$programs/sync.cc" "C++20 by $compiler"
done

done_testing
