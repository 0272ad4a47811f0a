//! The same numbers are sorted by insertion and by the standard library, one after the other.
//!
//!     ANDWEORC_ENABLED=1 ANDWEORC_OPTIONS='-m function' cargo run --release --example sorting_comparison
//!
//! Expected: one thread does all, so that impacts are shares of its time, which the program
//! measures itself: run without the profiler, it prints them.  Insertion has nearly all.

use andweorc::progress;
use std::time::{Duration, Instant};

const ROUNDS: u64 = 2000;
const NUMBERS: usize = 2500;

fn numbers(seed: u64) -> Vec<u64> {
    let next = |x: &u64| Some(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));

    std::iter::successors(Some(seed), next).take(NUMBERS).map(|x| x >> 33).collect()
}

#[inline(never)]
fn by_insertion(mut v: Vec<u64>) -> Vec<u64> {
    for i in 1..v.len() {
        let x = v[i];
        let mut k = i;
        while k > 0 && v[k - 1] > x {
            v[k] = v[k - 1];
            k -= 1;
        }
        v[k] = x;
    }
    v
}

#[inline(never)]
fn by_library(mut v: Vec<u64>) -> Vec<u64> {
    v.sort();
    v
}

fn main() {
    andweorc::init().expect("Failed to initialize profiler");

    let (mut insertion, mut library) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        let v = numbers(round);
        let began = Instant::now();
        let a = by_insertion(v.clone());
        let between = Instant::now();
        let b = by_library(v);
        insertion += between - began;
        library += between.elapsed();
        assert!(a == b);
        progress!("round");
    }
    let share = insertion.as_secs_f64() / (insertion + library).as_secs_f64();
    println!("by_insertion takes {:.0} % of the time, by_library {:.0} %", 100.0 * share, 100.0 * (1.0 - share));
    andweorc::run_experiments("round");
}
