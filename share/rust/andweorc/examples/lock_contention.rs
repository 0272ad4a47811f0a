//! Two threads that work under one lock for 4 parts of their time, and outside of it for 1.
//!
//!     ANDWEORC_ENABLED=1 cargo run --release --example lock_contention
//!
//! Expected: the impact of inside is by far the greater one.  Where the threads overlap as
//! well as they can, it is near 1, and that of outside near 0.  Two recordings, on a virtual
//! machine with two busy processors, said 0.79 and 0.20: the shares of one thread's time.
//! Whether its threads overlapped there was not measured.

use andweorc::progress;
use std::sync::Mutex;
use std::thread;

const ROUNDS: u64 = 1500;
const PART: u64 = 160_000; // steps of some 0.2 ms
const SEED: u64 = 88172645463325252;

#[rustfmt::skip] #[inline(never)]
fn inside(round: u64) -> u64 { (0..4 * PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ round }
#[rustfmt::skip] #[inline(never)]
fn outside(round: u64) -> u64 { (0..PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ round }

fn main() {
    andweorc::init().expect("Failed to initialize profiler");

    let shared = Mutex::new(0);
    let work = || {
        let mut sum = 0;
        for round in 0..ROUNDS {
            *shared.lock().unwrap() ^= inside(round);
            sum ^= outside(round);
            progress!("round");
        }
        sum
    };
    let sum = thread::scope(|scope| {
        let other = scope.spawn(work);
        work() ^ other.join().unwrap()
    });
    println!("{} rounds: {:x}", 2 * ROUNDS, sum ^ *shared.lock().unwrap());
    andweorc::run_experiments("round");
}
