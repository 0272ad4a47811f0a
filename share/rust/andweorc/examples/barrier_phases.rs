//! Two threads that do a light and a heavy phase, with a barrier after each.
//!
//!     ANDWEORC_ENABLED=1 cargo run --release --example barrier_phases
//!
//! Expected: of each round 1 part of 16 is the light phase, 15 parts are the heavy one, and
//! both threads are in the same one.  So the impact of heavy is near 0.94, that of light near 0.06.

use andweorc::progress;
use std::sync::Barrier;
use std::thread;

const ROUNDS: u64 = 1500;
const PART: u64 = 80_000; // steps of some 0.1 ms
const SEED: u64 = 88172645463325252;

#[rustfmt::skip] #[inline(never)]
fn light(round: u64) -> u64 { (0..PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ round }
#[rustfmt::skip] #[inline(never)]
fn heavy(round: u64) -> u64 { (0..15 * PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ round }

fn main() {
    andweorc::init().expect("Failed to initialize profiler");

    let barrier = Barrier::new(2);
    let work = || {
        let mut sum = 0;
        for round in 0..ROUNDS {
            sum ^= light(round);
            barrier.wait();
            sum ^= heavy(round);
            if barrier.wait().is_leader() {
                progress!("round");
            }
        }
        sum
    };
    let sum = thread::scope(|scope| {
        let other = scope.spawn(work);
        work() ^ other.join().unwrap()
    });
    println!("{} rounds: {:x}", ROUNDS, sum);
    andweorc::run_experiments("round");
}
