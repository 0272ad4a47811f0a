#!/bin/sh
# Names as people write them: -r produce is mpsc::produce; a name that is nowhere ends the recording before it begins.
# A compiler that rustup has installed is the user's.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export RUSTUP_HOME
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cat >names.cc <<'END_OF_CXX'
#include <andweorc.h>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

static volatile unsigned sink;
static int turns = 1000;

static void spin(int n)
{
	for (int i = 0; i < n * turns; i++)
		sink += i;
}

__attribute__((noinline)) void right(int n) { spin(n); spin(1); }
__attribute__((noinline)) void right(unsigned long n) { spin((int)n); }

namespace a {
__attribute__((noinline)) void produce() { spin(3); }
}
namespace b {
__attribute__((noinline)) void produce() { spin(2); sink++; }
namespace { __attribute__((noinline)) void hidden() { spin(2); } }
}

template <class T> struct Queue {
	std::vector<T> v;
	__attribute__((noinline)) void push(T t) { spin(2); v.push_back(t); if (v.size() > 50) v.clear(); }
};

struct Call { __attribute__((noinline)) void operator()(int n) { spin(n); sink--; } };

int main(int argc, char **argv)
{
	Queue<int> ints;
	Queue<long> longs;
	Call call;

	const char *until = getenv("LIFE_UNTIL");

	printf("began\n");
	fflush(stdout);
	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0 && (n % 64 || !until || access(until, F_OK) != 0); n--) {
		right(2);
		right(3ul);
		a::produce();
		b::produce();
		b::hidden();
		ints.push(n);
		longs.push(n);
		call(2);
		ANDWEORC_PROGRESS("unit");
		if (argc > 2)
			usleep(1000);
	}
	// No such statement:
	return 0;
}
END_OF_CXX
# What is refused is searched for in less of libstdc++.
g++ -O2 -g -I"$top/lib" -c names.cc && g++ -o names names.o -pthread &&
	g++ -static-libstdc++ -static-libgcc -o less names.o -pthread && strip -g -o nodebug names || exit 1

# named: the log has as many regions as are wanted, and an experiment
named() {
	test "$(grep -c '^region	' "$log")" -ge "$wanted" && grep -q '^experiment	' "$log"
}

# mean SYMBOL... -r NAME...: the names mean these functions, and no others.  Names in one recording have no function in common,
# for that would hide that one of them is not known.
mean() {
	: >want
	while test "$1" != -r; do
		echo "$1" >>want
		shift
	done
	wanted=$(wc -l <want)
	recording_until named log "$@" --window 1 -s 50 -- ./names 100000000
	values symbol region | sort >got
	sort want | same - got
}

one_of_cxx() {
	mean _ZN1b7produceEv _ZN1b12_GLOBAL__N_16hiddenEv _Z5rightm _ZN5QueueIiE4pushEi _ZN4CallclEi _ZN5QueueIlE4pushEl \
		-r b::produce -r hidden -r 'right(unsigned long)' -r 'Queue<int>::push' -r 'operator()' -r 'push(long)'
	empty err
	mean _ZN1b12_GLOBAL__N_16hiddenEv -r 'b::hidden'
	empty err
}
check 'C++: unqualified, partly qualified, with parameters, with template arguments' one_of_cxx

several_of_cxx() {
	mean _ZN1a7produceEv _ZN1b7produceEv _Z5righti _Z5rightm _ZN5QueueIiE4pushEi _ZN5QueueIlE4pushEl \
		-r produce -r right -r Queue::push
	has "^andweorc-record: warning: '-r produce' is 2 functions: a::produce\\(\\), b::produce\\(\\): each is a region of its own\$" err
	has "^andweorc-record: warning: '-r right' is 2 functions: right\\(" err
	has "'-r Queue::push' is 2 functions: Queue<int>::push\\(int\\), Queue<long>::push\\(long\\)" err
	test "$(wc -l <err)" -eq 3
	mean _ZN1a7produceEv _ZN1b7produceEv -r 'prod*'
	empty err
}
check 'C++: several functions are regions of their own, and listed' several_of_cxx

points_of_cxx() {
	recording log -P produce -r right --window 1 -- ./names 100
	has "'-P produce' is 2 functions: a::produce\\(\\), b::produce\\(\\): a call of any is a visit" err
	test "$(field point produce visits)" -eq 200
	recording log -P '*r*' --window 1 -- ./names 100
	has "no progress point at '\\*r\\*': .*breakpoints" err
}
given_in_cxx() {
	recording_until 'tried 0' log --given b::produce=30 -r right --window 1 -- ./names 100000000
	has '^region	.*	symbol=_ZN1b7produceEv' log
	recording_until 'tried 0' log --given produce=30 -r right --window 1 -- ./names 100000000
	has "'--given produce' is 2 functions: .*: each is made faster" err
}
if has_breakpoints; then
	check 'C++: -P' points_of_cxx
else
	skip 'C++: -P' 'no breakpoints here'
fi
check 'C++: --given' given_in_cxx

cat >names.rs <<'END_OF_RUST'
mod mpsc {
	pub struct Queue<T> {
		pub v: Vec<T>,
	}
	impl<T> Queue<T> {
		#[inline(never)]
		pub fn push(&mut self, t: T) {
			spin(2);
			self.v.push(t);
			if self.v.len() > 50 {
				self.v.clear()
			}
		}
	}
	pub trait Sink {
		fn take(&self, n: u32);
	}
	pub struct Null;
	impl Sink for Null {
		#[inline(never)]
		fn take(&self, n: u32) {
			spin(n);
		}
	}
	#[inline(always)]
	fn spin(n: u32) {
		for i in 0..n * 1000 {
			std::hint::black_box(i);
		}
	}
	#[inline(never)]
	pub fn produce(q: &mut Queue<u32>) {
		spin(3);
		q.push(1);
	}
}
use mpsc::Sink;
fn main() {
	let mut q = mpsc::Queue { v: vec![] };
	println!("began");
	let until = std::env::var("LIFE_UNTIL").unwrap_or_default();
	for n in 0..std::env::args().nth(1).unwrap().parse().unwrap() {
		if n % 64 == 0 && std::path::Path::new(&until).exists() {
			break;
		}
		mpsc::produce(&mut q);
		mpsc::Null.take(2);
		andweorc::progress!("unit");
	}
}
END_OF_RUST
# The last component of a mangled name is the same in the legacy mangling and in v0, but for its suffix.
mean_rust() {
	wanted=3
	recording_until named log -r "$1" -r "$2" -r "$3" --window 1 -s 50 -- ./rusty 100000000
	empty err
	values symbol region >got
	test "$(wc -l <got)" -eq 3
	for symbol in 7produce 4push 4take; do
		test "$(grep -c $symbol got)" -eq 1
	done
}
rust() {
	for mangling in '' '-C symbol-mangling-version=v0'; do
		for g in -g ''; do
			# One of both for each mangling.
			is_long || test "${g:+there}" = "${mangling:+there}" || continue
			# shellcheck disable=SC2086 # words, or nothing
			rustc --edition 2021 $g -O $mangling --extern andweorc="$O/t/workload/libandweorc.rlib" -o rusty names.rs
			mean_rust mpsc::produce Queue::push Null::take
		done
		mean_rust produce push Sink::take
		refused -r prodcue -- ./rusty 10000000
		has "called 'prodcue'; did you mean 'names::mpsc::produce'\\?\$" err
	done
}

# ---- names that nothing has -----------------------------------------------------------------

# refused ARG...: the recording ends before it begins, with one error
refused() {
	exits 125 andweorc-record -q -o log "$@" >out 2>err
	test "$(wc -l <err)" -eq 1
	lacks 'warning' err
	has '^end	run=1	' log
	lacks '^end	run=2	' log
	lacks '^experiment' log
	test "$(grep -c '^warning	' log)" -eq 1
}

if rustc --version >/dev/null 2>&1; then
	check 'Rust: both manglings, with and without -g' rust
else
	skip 'Rust: both manglings, with and without -g' 'rustc is not there'
fi

# The longest wait comes first, and what follows is beside it.
at_once=3

cp "$O/t/workload/plugin" "$O/t/workload/plugin.so" . || exit 1
is_said() {
	grep -q ': so far: ' all && grep -q '^experiment' log
}

says_so_in_time() {
	endless_until is_said log -r plugin_wrok -r program_work -m function --window 20 -- ./plugin --seconds 1000
	has "^andweorc-record: warning: so far: no code of the program or its libraries is called 'plugin_wrok'; did you mean 'plugin_work'\\?\$" err
	has "^andweorc-record: warning: no code of the program or its libraries is called 'plugin_wrok'" err
	test "$(wc -l <err)" -eq 2
	has '^experiment' log
	test "$(grep -c '^warning	.*what=no-such-region' log)" -eq 1
}
beside 'what nothing has loaded is missed after three seconds' says_so_in_time

has_plugin() {
	grep -q '^region	.*	symbol=plugin_work' log
}

waits_for_plugins() {
	endless_until has_plugin log -r plugin_work -r program_work -m function --window 20 -- ./plugin --seconds 1000
	lacks 'called' err
	has '^region	.*	symbol=plugin_work' log
}
beside 'what a program loads is waited for' waits_for_plugins

ends_at_once() {
	refused -d 5 -r prodcue -- ./less 1000000 slowly
	echo "andweorc-record: no code of the program or its libraries is called 'prodcue'; did you mean 'a::produce' or 'b::produce'?" >want
	same want err
	has '^warning	run=1	what=no-such-region	' log
	refused -n 3 -r 'right(int)' -r b::produc -- ./less 1000000 slowly
	has "called 'b::produc'; did you mean 'b::produce' or 'a::produce'\\?\$" err
	refused --given produc=30 -r a::produce -- ./less 1000000 slowly
	refused -r memcyp -- ./less 1000000 slowly
	has "did you mean .*'memcpy'" err
	refused -r :oi -- ./less 1000000 slowly
	has "called ':oi'; did you mean ':io'\\?\$" err
	refused -r no_such_thing_at_all -- ./less 1000000 slowly
	has "is called 'no_such_thing_at_all'\$" err
	refused -P no_such_thing -- ./less 1000000 slowly
	empty out # points are there before the program is, or nothing is
	has "^andweorc-record: no progress point at 'no_such_thing': no code of the program or its libraries is called so\$" err
	has '^warning	run=1	what=no-such-point	' log
}
beside 'a name that nothing has ends the recording before it begins' ends_at_once

# line PATTERN: its number in names.cc
line() {
	grep -n "$1" names.cc | cut -d: -f1
}

lines() {
	refused -r "names.cc:$(line 'No such statement')" -- ./less 1000000 slowly
	has "; the (next|last) line with code is [0-9]+\$" err
	refused -r names.cc:1 -- ./less 1000000 slowly
	has "called 'names.cc:1'; the next line with code is $(line 'for (int i = 0')\$" err
	refused -r names.cc:1000 -- ./less 1000000 slowly
	has "; the last line with code is $(line '^}$' | tail -n 1)\$" err
	refused -r nomes.cc:9 -- ./less 1000000 slowly
	has 'called .nomes.cc:9.: nothing that was compiled with -g comes from a file of that name$' err
	refused -r names.cc:9 -- ./nodebug 1000000 slowly
	has 'called .names.cc:9.: lines are not known without debug information, so compile with -g$' err
}
beside 'lines: the nearest one with code, and -g' lines

controls() {
	refused -r "$(printf 'a\033[2Jb')" -- ./less 1000000 slowly
	has "called 'a\\\\x1b\\[2Jb'\$" err
}
beside 'control characters are masked' controls

# A shell, a plugin: the name may come yet.
waits_for_programs() {
	for command in './names 100000000' './names 100000000; exit 0' 'sleep 0.2; exec ./names 100000000'; do
		recording_until all_tried log -r b::produce --window 1 -- sh -c "$command"
		empty err
		has '^region	.*	symbol=_ZN1b7produceEv' log
	done
	# The program after the exec cannot load more code.
	refused -r prodcue -- env ./less 1000000 slowly
	has 'did you mean' err
}
beside 'what a command starts is waited for' waits_for_programs

done_testing
