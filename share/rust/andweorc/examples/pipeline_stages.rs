//! A pipeline of three threads: parse (1 part of work), transform (10), serialize (1).
//!
//!     ANDWEORC_ENABLED=1 cargo run --release --example pipeline_stages
//!
//! Expected: the impact of transform is near 1, as everybody waits for it; those of the
//! other stages are near 0, although they work as well.

use andweorc::progress;
use std::sync::mpsc::sync_channel;
use std::thread;

const ITEMS: u64 = 1000;
const PART: u64 = 240_000; // steps of some 0.3 ms
const SEED: u64 = 88172645463325252;

// Each stage is one line, so that it is one region; with its number in it, the compiler does not merge them.
#[rustfmt::skip] #[inline(never)]
fn parse(item: u64) -> u64 { (0..PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ item }
#[rustfmt::skip] #[inline(never)]
fn transform(item: u64) -> u64 { (0..10 * PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ item }
#[rustfmt::skip] #[inline(never)]
fn serialize(item: u64) -> u64 { (0..PART).fold(SEED, |x: u64, i| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(i ^ u64::from(line!())) }) ^ item }

fn main() {
    andweorc::init().expect("Failed to initialize profiler");

    let (to_transform, parsed) = sync_channel(4);
    let (to_serialize, transformed) = sync_channel(4);
    thread::spawn(move || (0..ITEMS).for_each(|item| to_transform.send(parse(item)).unwrap()));
    thread::spawn(move || parsed.iter().for_each(|item| to_serialize.send(transform(item)).unwrap()));
    let last = thread::spawn(move || {
        let mut sum = 0;
        for item in transformed {
            sum ^= serialize(item);
            progress!("item");
        }
        sum
    });

    println!("{} items: {:x}", ITEMS, last.join().unwrap());
    andweorc::run_experiments("item");
}
