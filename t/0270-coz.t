#!/bin/sh
# Programs instrumented for Coz run under andweorc-record as they are.
# rustup keeps the compiler at home, which is elsewhere for tests.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
test -d "$RUSTUP_HOME" && export RUSTUP_HOME
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cc='gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE'
$cc -o coz "$programs/coz.c" -pthread || exit 1

unminded='ended before an experiment'
# record ARG...: a recording into `log`
record() {
	recording log -m function "$@"
}

# counts MODE N UNITS TRANSACTIONS: the program prints these counts, and the log has the same
counts() {
	echo "unit=$3 transaction=$4" >want
	exits 0 ./coz "$1" "$2" >out
	same want out
	record -r work --window 1 -- ./coz "$1" "$2"
	same want out
	empty err
	echo "unit=$(field point unit visits) transaction=$(field point transaction visits)" |
		sed 's/transaction=$/transaction=0/' >got
	same want got
	lacks '^warning.*what=no-progress-point' log
}
check 'throughput and latency points of one thread are counted' counts serial 300 300 300
check 'of several threads, in one counter' counts threads 150 300 300
check 'of a forked child, in that of its parent' counts forks 150 300 300
check 'of a program that counts all the time' counts hot 20000000 20000000 0
check 'with a lock that is announced' counts locks 100 200 0

names_kinds() {
	record -r work --window 1 -- ./coz serial 200
	test "$(field point unit kind)" = throughput
	test "$(field point transaction kind)" = latency
	test "$(field point transaction begins)" -eq 200
}
check 'the log says of which kind a point is' names_kinds

opens_windows() {
	record -r work --window 100 -s 50 -- ./coz serial 1500
	field visits unit kind | sort -u >got
	echo throughput >want
	same want got
	field visits transaction kind | sort -u >got
	echo latency >want
	same want got
	test "$(field visits unit count | wc -l)" -ge 4
	# The window's visits exclude its first one; ends and begins differ by the span that is open.
	field visits transaction count >ends
	field visits transaction begins >begins
	paste ends begins | awk '$1 < 1 || $1 - $2 > 1 || $2 - $1 > 1 { print "ends, begins: " $0 }' >bad
	empty bad
	# Each visit takes half a millisecond, or more on a busy machine; in virtual time, half of that.
	field visits unit count >count
	field visits unit virtual_ns >virtual
	paste count virtual | awk '$2 < $1 * 1e5 || $2 <= 0 { print "visits, ns: " $0 }' >bad
	empty bad
}
check 'windows open and close at counters' opens_windows

is_analysed() {
	record -d 3 -r work --window 50 -s 50 -- ./coz serial 100000
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^impact.*point=unit	.*function=work' analysis
}
check 'the rest of the pipeline takes such a log' is_analysed

has_no_room() {
	record --window 1 -- ./coz many 100
	# 64 points exist, and none for a type that coz.h does not have
	echo '64 points' >want
	same want out
}
check 'too many points do no harm' has_no_room

is_not_there() {
	echo '0 points' >want
	exits 0 ./coz many 100 >got
	same want got
	exits 0 env LD_PRELOAD="$O/libandweorc.so" ./coz many 100 >got
	same want got
}
check 'without the recorder nothing is counted' is_not_there

exports_them() {
	nm -D --defined-only "$O/libandweorc.so" | awk '{ print $3 }' >exports
	for name in get_counter add_delays pre_block post_block catch_up wake_other post_block_0 post_block_1; do
		has "^_coz_$name\$" exports
	done
}
check 'all functions that any coz.h asks for are there' exports_them

header=${COZ_H:-/usr/include/coz.h}
if test -e "$header"; then
	$cc -DCOZ_H_FILE="\"$header\"" -o coz "$programs/coz.c" -pthread || exit 1
	check 'coz.h: one thread' counts serial 300 300 300
	check 'coz.h: several threads' counts threads 150 300 300
	g++ -x c++ -fpermissive -w -O2 -D_GNU_SOURCE -DCOZ_H_FILE="\"$header\"" -o coz "$programs/coz.c" -pthread &&
		check 'coz.h: C++' counts forks 150 300 300
else
	skip 'coz.h itself' 'package coz-profiler is not there'
fi

# As in the crate: dlsym, a counter of two words, an atomic addition.
cat >program.rs <<'END_OF_RUST'
use std::ffi::{c_char, c_int, c_void, CString};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[repr(C)]
struct Counter {
    count: AtomicUsize,
    backoff: usize,
}

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn counter(kind: c_int, name: &str) -> Option<&'static Counter> {
    let symbol = CString::new("_coz_get_counter").unwrap();
    let name = CString::new(name).unwrap();
    unsafe {
        let found = dlsym(std::ptr::null_mut(), symbol.as_ptr());
        if found.is_null() {
            return None;
        }
        let get: unsafe extern "C" fn(c_int, *const c_char) -> *mut Counter = std::mem::transmute(found);
        get(kind, name.as_ptr()).as_ref()
    }
}

fn main() {
    let workers: Vec<_> = (0..2)
        .map(|_| {
            std::thread::spawn(|| {
                let unit = counter(1, "unit");
                for i in 0..1000u64 {
                    std::hint::black_box(i);
                    if let Some(c) = unit {
                        c.count.fetch_add(1, SeqCst);
                    }
                }
            })
        })
        .collect();
    for w in workers {
        w.join().unwrap();
    }
    println!("{}", counter(1, "unit").is_some());
}
END_OF_RUST
in_rust() {
	echo true >want
	record --window 1 -- ./program
	same want out
	test "$(field point unit visits)" -eq 2000
}
if command -v rustc >/dev/null && rustc --edition 2021 -O -g -o program program.rs 2>rustc.err; then
	check 'a Rust program' in_rust
else
	skip 'a Rust program' 'no rustc, or one that is too old'
fi

done_testing
