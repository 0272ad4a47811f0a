//! Two workers map their halves of a batch; then one thread reduces what they found.
//!
//!     ANDWEORC_ENABLED=1 cargo run --release --example parallel_reduce
//!
//! Expected: a batch takes 4 parts of time for the halves, side by side, and 1 part for the
//! reduction.  So the impact of map is near 0.8, that of reduce near 0.2, while a profile of
//! processor time has 89 and 11 per cent.

use andweorc::progress;
use std::sync::mpsc::channel;
use std::thread;

const BATCHES: u64 = 1000;
const PART: u64 = 400_000; // steps of some 0.5 ms
const SEED: u64 = 88172645463325252;

#[rustfmt::skip] #[inline(never)]
fn map(batch: u64) -> u64 { (0..4 * PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ batch }
#[rustfmt::skip] #[inline(never)]
fn reduce(sum: u64) -> u64 { (0..PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ sum }

fn main() {
    andweorc::init().expect("Failed to initialize profiler");

    let (to_reduce, mapped) = channel();
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (to_worker, batches) = channel();
            let to_reduce = to_reduce.clone();
            thread::spawn(move || batches.iter().for_each(|batch| to_reduce.send(map(batch)).unwrap()));
            to_worker
        })
        .collect();

    let mut all = 0;
    for batch in 0..BATCHES {
        workers.iter().for_each(|worker| worker.send(batch).unwrap());
        let sum = workers.iter().map(|_| mapped.recv().unwrap()).fold(0, u64::wrapping_add);
        all ^= reduce(sum);
        progress!("batch");
    }
    println!("{} batches: {:x}", BATCHES, all);
    drop(workers);
    andweorc::run_experiments("batch");
}
