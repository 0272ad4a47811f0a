#!/bin/sh
# andweorc-resolve as a filter: its additions, warnings and errors, and that all else is kept.
. "$(dirname "$0")/lib.sh"

cp "$programs"/chain.[ch] "$data"/format/profile.aw . || exit 1
here=$(pwd -P)
gcc -O2 -g chain.c -o prog || exit 1
objcopy --strip-debug prog symbols
strip -o bare prog
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')

# address FILE SYMBOL
address() {
	nm "$1" | awk -v s="$2" '$3 == s { sub(/^0+/, "", $1); print "0x" $1 }'
}
first=$(address prog first)
second=$(address prog second)

# log MODULE [OFFSET...]: a header, module 1 and a sample at each offset
log() {
	printf 'andweorc\tversion=1\ttool=record\nmodule\trun=1\tid=1\tpath=%s\n' "$1"
	shift
	for offset in "$@"; do
		printf 'sample\trun=1\tmodule=1\toffset=%s\tcount=1\tstate=cpu\n' "$offset"
	done
}

# line TEXT: the line of chain.c that holds it
line() {
	grep -n -F "$1" chain.c | head -n 1 | cut -d: -f1
}

names_come_last() {
	at=$(nm prog | awk '$3 ~ /_0_0_/ { sub(/^0+/, "", $1); print "0x" $1, substr($3, 6) }' | sort | head -n 1)
	log "$here/prog" "${at% *}" >log
	exits 0 andweorc-resolve log >got 2>err
	empty err
	sed 's/function=[a-z]*/function=F/' got >scrubbed
	same - scrubbed <<-END
	andweorc	version=1	tool=record	resolved=1
	module	run=1	id=1	path=$here/prog
	sample	run=1	module=1	offset=${at% *}	count=1	state=cpu	function=F	file=$here/chain.c	line=$(echo "${at#* }" | cut -d_ -f1)
	END
}
check 'names are added behind what is there' names_come_last

reads_standard_input() {
	log "$here/prog" "$first" "$second" >log
	andweorc-resolve log >want
	exits 0 andweorc-resolve <log >got
	same want got
	exits 0 andweorc-resolve - <log >got
	same want got
	cat want want >twice
	exits 0 andweorc-resolve log - <log >got
	same twice got
}
check 'standard input, alone and among logs' reads_standard_input

keeps_what_is_there() {
	{
		log "$here/prog"
		printf 'sample\tmodule=1\toffset=%s\tfunction=mine\tcount=1\n' "$first"
		printf 'region\tid=1\tscope=line\tmodule=1\tranges=%s-0xffffff\tfunction=mine\tsymbol=its\n' "$first"
		printf 'region\tid=2\tscope=line\tmodule=1\tranges=%s-0xffffff\tfile=/other.c\n' "$first"
	} >log
	exits 0 andweorc-resolve log >got 2>err
	empty err
	tail -n 3 got >rest
	same - rest <<-END
	sample	module=1	offset=$first	function=mine	count=1
	region	id=1	scope=line	module=1	ranges=$first-0xffffff	function=mine	symbol=its
	region	id=2	scope=line	module=1	ranges=$first-0xffffff	file=/other.c	function=first	symbol=first
	END
}
check 'a key that is there stays as it is' keeps_what_is_there

# everything: a log with all kinds of modules
everything() {
	log "$here/prog" "$first" "$second" 0x1
	for module in symbols bare gone; do
		printf 'module\trun=1\tid=%s\tpath=%s/%s\n' "$module" "$here" "$module"
	done | sed 's/id=symbols/id=2/; s/id=bare/id=3/; s/id=gone/id=4/'
	printf 'module\trun=1\tid=5\tpath=[vdso]\n'
	for module in 2 3 4 5; do
		printf 'sample\trun=1\tmodule=%s\toffset=%s\tcount=2\tstate=cpu\n' $module "$first" $module "$second"
		printf 'region\tid=%s\tscope=line\tmodule=%s\tranges=%s-0xffffff\n' $module $module "$first"
	done
}

# A class of time has no code; before resolve it has no function either.
names_classes() {
	{
		log "$here/prog"
		printf 'region\tid=1\tscope=class\tsymbol=:io\nregion\tid=2\tscope=class\tsymbol=:n%%1Bew\tfunction=mine\n'
	} >log
	exits 0 andweorc-resolve log >got 2>err
	empty err
	tail -n 2 got >rest
	same - rest <<-END
	region	id=1	scope=class	symbol=:io	function=:io
	region	id=2	scope=class	symbol=:n%1Bew	function=mine
	END
	exits 0 andweorc-resolve got >again 2>err
	same got again
	{
		log "$here/prog"
		printf 'region\tid=1\tscope=class\n'
	} >log
	exits 2 andweorc-resolve log >got 2>err
	has "^andweorc-resolve: log:3: .*'symbol'" err
}
check 'classes are their own names' names_classes

twice_is_once() {
	everything >log
	exits 0 andweorc-resolve log >once 2>err
	exits 0 andweorc-resolve once >twice 2>err
	empty err
	same once twice
}
check 'twice is the same as once, without new warnings' twice_is_once

falls_back() {
	everything >log
	exits 0 andweorc-resolve log log >got 2>err
	same - err <<-END
	andweorc-resolve: warning: no debug information for '$here/symbols'; its functions come from symbols and the unwind table, without lines; to have lines, compile with -g, or get debug files: see andweorc-resolve(1)
	andweorc-resolve: warning: neither debug information nor symbols for '$here/bare'; its functions come from the unwind table, without names
	andweorc-resolve: warning: cannot use '$here/gone': No such file or directory; its code is shown as module+offset
	END
	grep "offset=$first	count=2\|^region" got | head -n 8 | sed 's/.*function=//' >names
	same - names <<-END
	first
	first	symbol=first
	bare+$first
	bare+$first
	gone+$first
	gone+$first
	[vdso]+$first
	[vdso]+$first
	END
}
check 'without debug information, without symbols, without file: one warning each' falls_back

other_build_id() {
	log "$here/prog" "$first" | sed "s/id=1	/id=1	build_id=0123456789abcdef	/" >log
	exits 0 andweorc-resolve log >got 2>err
	same - err <<-END
	andweorc-resolve: warning: cannot use '$here/prog': another build-id than was run; its code is shown as module+offset
	END
	has "function=prog\\+$first\$" got
	log "$here/prog" "$first" | sed "s/id=1	/id=1	build_id=$id	/" >log
	exits 0 andweorc-resolve log >got 2>err
	empty err
	has 'function=first' got
}
check 'another build-id' other_build_id

concatenates() {
	log "$here/prog" "$first" >a
	log "$here/symbols" "$second" >b
	andweorc-resolve a >want 2>/dev/null
	andweorc-resolve b >>want 2>/dev/null
	exits 0 andweorc-resolve a b >got 2>err
	same want got
	cat a b >ab
	exits 0 andweorc-resolve ab >got 2>err
	same want got
	has 'function=first	file=' got
	has 'function=second$' got
}
check 'cat a b: ids start again at each header' concatenates

permutes() {
	everything >log
	andweorc-resolve log 2>/dev/null | sort >want
	for seed in 1 2 3 4 5; do
		{ head -n 1 log; tail -n +2 log | awk -v s=$seed 'BEGIN { srand(s) } { print rand() "\t" $0 }' | sort | cut -f2-; } >mixed
		exits 0 andweorc-resolve mixed >got 2>err
		cut -f1-6 mixed | sed 1d >order
		sed 1d got | cut -f1-6 | awk -F'\t' -v OFS='\t' '{ sub(/\tfunction=.*/, ""); print }' >got-order
		same order got-order
		sort got >sorted
		same want sorted
	done
}
check 'records in any order after their header; the order is kept' permutes

bad_records() {
	{
		log "$here/prog" x1 "$first"
		printf 'sample\tmodule=7\toffset=0x1\n'
		printf 'sample\toffset=0x1\n'
		printf 'module\tid=1\tpath=/other\n'
		printf 'module\tid=x\tpath=/other\n'
		printf 'module\tid=8\n'
		for ranges in '' 0x1 0x1-0x1 0x2-0x1 '0x1-0x2,' '0x1-0x2,,0x3-0x4' 1-y; do
			printf 'region\tid=1\tscope=line\tmodule=1\tranges=%s\n' "$ranges"
		done
		printf 'region\tid=1\tscope=line\tmodule=1\n'
		printf 'sample\tmodule=1\toffset=%s\n' "$second"
	} >log
	exits 2 andweorc-resolve log >got 2>err
	# Records that wait for module 7 in vain are reported after the later modules.
	sort -t: -k3n err >sorted
	same - sorted <<-END
	andweorc-resolve: log:3: bad number 'x1' for 'offset'
	andweorc-resolve: log:5: no 'module' record with id 7
	andweorc-resolve: log:6: no 'module' in 'sample'
	andweorc-resolve: log:7: module 1 is '$here/prog' already
	andweorc-resolve: log:8: bad number 'x' for 'id'
	andweorc-resolve: log:9: no 'path' in 'module'
	andweorc-resolve: log:10: bad ranges ''
	andweorc-resolve: log:11: bad ranges '0x1'
	andweorc-resolve: log:12: bad ranges '0x1-0x1'
	andweorc-resolve: log:13: bad ranges '0x2-0x1'
	andweorc-resolve: log:15: bad ranges '0x1-0x2,,0x3-0x4'
	andweorc-resolve: log:16: bad ranges '1-y'
	andweorc-resolve: log:17: no 'ranges' in 'region'
	END
	test "$(wc -l <got)" -eq "$(wc -l <log)"
	cut -f1-4 log | sed 1d >want
	cut -f1-4 got | sed 1d | sed 's/	function=.*//' >kept
	same want kept
	has "offset=$second	function=second" got
}
check 'bad records: reported by line, passed on, the rest resolved' bad_records

hostile_paths() {
	mkfifo pipe
	{
		printf 'andweorc\tversion=1\n'
		i=0
		for path in "$here/pipe" /dev/zero / '' 'x%0A::error::%1B[2J' '/a%0Ab' '/%25s%25n' "$here/../../../../../../../etc/passwd"; do
			i=$((i + 1))
			printf 'module\tid=%d\tpath=%s\nsample\tmodule=%d\toffset=0x1\n' $i "$path" $i
		done
	} >log
	exits 0 timeout 20 andweorc-resolve log >got 2>err
	lacks '^::' err
	lacks '^::' got
	test "$(grep -c '^andweorc-resolve: warning: cannot use' err)" -eq "$(wc -l <err)"
	test "$(grep -c '^sample.*function=[^	]*+0x1$' got)" -eq 8
}
check 'paths that are no programs' hostile_paths

maps_paths() {
	mkdir -p root/opt
	cp prog root/opt/tool
	log /opt/tool "$first" >log
	exits 0 andweorc-resolve --path-map "/opt=$here/root/opt" log >got 2>err
	empty err
	has 'function=first' got
	has 'path=/opt/tool$' got
	exits 0 andweorc-resolve --path-map /op=/nowhere --path-map "/=$here/root/" --path-map /opt=/nowhere log >got 2>err
	has 'function=first' got
	exits 2 andweorc-resolve --path-map /opt log >got 2>err
	same - err <<-END
	andweorc-resolve: bad path map '/opt': it is OLD=NEW; see 'andweorc-resolve --help'
	END
	empty got
	exits 2 andweorc-resolve --path-map =/opt log >got 2>err
}
check '--path-map' maps_paths

# In both, --debug-dir comes before the system's directory; see 0300 for what is found there.
debug_dirs() {
	objcopy --only-keep-debug prog prog.debug
	mkdir -p "dir/.build-id/$(echo "$id" | cut -c1-2)"
	cp prog.debug "dir/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
	log "$here/bare" "$first" >log
	exits 0 andweorc-resolve --debug-dir "$here/none" --debug-dir=dir log >got 2>err
	empty err
	has "function=first	file=$here/chain.c" got
}
check '--debug-dir' debug_dirs

names_folded_functions() {
	cat >fold.cc <<-'END'
	template <class A, class B> struct pair {};
	int one(int n, pair<int, long>) __attribute__((noinline));
	int one(int n, pair<int, long>) { return n * 77; }
	extern "C" int two(int n) __attribute__((alias("_Z3onei4pairIilE")));
	int main(int c, char **) { return one(c, {}) + two(c); }
	END
	g++ -O2 -g -w fold.cc -o fold
	at=$(address fold two)
	printf 'andweorc\tversion=1\nmodule\tid=1\tpath=%s/fold\n' "$here" >log
	printf 'region\tid=1\tscope=function\tmodule=1\tsymbol=two\tranges=%s-0xffffff\n' "$at" >>log
	printf 'region\tid=2\tscope=function\tmodule=1\tranges=%s-0xffffff\n' "$at" >>log
	exits 0 andweorc-resolve log >got 2>err
	has 'id=1.*	function=two	file=.*/fold.cc	line=3	also=one\(int%252C%20pair<int%252C%20long>\)(	|$)' got
	has 'id=2.*	function=one\(int,%20pair<int,%20long>\)	symbol=_Z3onei4pairIilE	.*	also=two(	|$)' got
}
check 'folded functions: both names, commas told apart' names_folded_functions

names_regions() {
	# `mid` has only inlined copies; `second` is whole.
	mid=$(line 'leaf(&y, __LINE__')
	at=$(nm prog | awk -v l="$mid" '$3 ~ "^here_[0-9]+_" l "_" { sub(/^0+/, "", $1); print "0x" $1; exit }')
	test -n "$at"
	printf 'andweorc\tversion=1\nmodule\tid=1\tpath=%s/prog\n' "$here" >log
	printf 'region\tid=1\tscope=line\tmodule=1\tranges=%s-0xffffff\tfile=%s/chain.c\tline=%s\n' "$at" "$here" "$mid" >>log
	printf 'region\tid=2\tscope=function\tmodule=1\tranges=%s-0xffffff,%s-0xffffff\tsymbol=second\n' "$at" "$second" >>log
	printf 'region\tid=3\tscope=function\tmodule=1\tranges=%s-0xffffff\tsymbol=leaf\n' "$at" >>log
	printf 'region\tid=4\tscope=function\tmodule=1\tranges=%s-0xffffff\n' "$first" >>log
	exits 0 andweorc-resolve log >got 2>err
	empty err
	has "^region	id=1.*line=$mid	function=mid	symbol=mid	function_line=$(line 'INLINE void mid')	" got
	has "^region	id=2.*symbol=second	function=second	file=$here/chain.c	line=[23][0-9]	function_line=$(line 'int second(')	" got
	has "^region	id=3.*symbol=leaf	function=leaf	file=$here/chain.h	line=[0-9]+	function_line=$(grep -n 'void leaf(' chain.h | cut -d: -f1)	" got
	has "^region	id=4.*	function=first	symbol=first	file=$here/chain.c	line=[12][0-9]	function_line=$(line 'int first(')	" got
}
check 'regions: the frame that is the region, not the innermost' names_regions

rust() {
	cat >work.rs <<-'END'
	mod inner { pub trait Job { fn run(&self, n: u64) -> u64; } }
	struct Twice;
	impl inner::Job for Twice {
	    #[inline(never)]
	    fn run(&self, n: u64) -> u64 { std::hint::black_box(n) * 2 }
	}
	fn main() { use inner::Job; std::process::exit(Twice.run(3) as i32 - 6) }
	END
	for mangling in legacy v0; do
		case $mangling in
		legacy) rustc -g -O work.rs -o rusty 2>/dev/null ;;
		*) rustc -g -O -C symbol-mangling-version=v0 work.rs -o rusty 2>/dev/null ;;
		esac
		at=$(nm rusty | awk '$3 ~ /Twice/ && $3 ~ /run/ { sub(/^0+/, "", $1); print "0x" $1; exit }')
		log "$here/rusty" "$at" >log
		exits 0 andweorc-resolve log >got 2>err
		empty err
		# Code that is inlined into it belongs to the standard library.
		has "(function|inlined_by)=<work::Twice%20as%20work::inner::Job>::run(@|	file=)$here/work.rs(:|	line=)5\$" got
	done
}
# rustup looks for its toolchains in the home directory, which is not ours here.
RUSTUP_HOME=${RUSTUP_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.rustup}
export RUSTUP_HOME
echo 'fn main() {}' >empty.rs
if rustc empty.rs -o empty-rust 2>/dev/null; then
	check 'Rust names, both manglings' rust
else
	skip 'Rust names, both manglings' 'no rustc that works here'
fi

streams() {
	log "$here/prog" >log
	awk -v a="$first" -v b="$second" 'BEGIN {
		for (i = 0; i < 1500000; i++) print "sample\trun=1\tmodule=1\toffset=" (i % 2 ? a : b) "\tcount=1\tstate=cpu"
	}' >>log
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -v 60000 && exits 0 andweorc-resolve log >got 2>err)
	empty err
	test "$(wc -l <got)" -eq 1500002
}
if test -n "$(nm "$O/andweorc-resolve" 2>/dev/null | grep -m1 __asan_init)"; then
	skip 'memory does not grow with the log' 'built with a sanitizer'
else
	check 'memory does not grow with the log' streams
fi

# The literal blocks of EXAMPLES that start with a command.
manual=$top/share/man/man1/andweorc-resolve.1
sed -e 's/\\e/\\/g' -e 's/\\-/-/g' "$manual" | awk '
/^\.Sh EXAMPLES/ { on = 1 }
/^\.Bd/ && on { inside = 1; next }
/^\.Ed/ { inside = 0 }
!inside { next }
/^\$ / { n++; print substr($0, 3) >("example." n); next }
n && /^> / { print substr($0, 3) >("example." n); next }
n { print >("result." n) }'

example() {
	exits 0 sh -e "example.$1" >got 2>err
	same "result.$1" got
}

there_are_examples() {
	test "$(ls example.* | wc -l)" -eq 2
	test "$(ls result.* | wc -l)" -eq 2
}
check 'andweorc-resolve(1) has examples' there_are_examples
check 'andweorc-resolve(1): example 1' example 1
check 'andweorc-resolve(1): example 2' example 2

manual_is_clean() {
	mandoc -T lint -W warning "$manual" >lint
	empty lint
}
if command -v mandoc >/dev/null; then
	check 'andweorc-resolve(1): mandoc finds nothing wrong' manual_is_clean
else
	skip 'andweorc-resolve(1): mandoc finds nothing wrong' 'no mandoc here'
fi

done_testing
