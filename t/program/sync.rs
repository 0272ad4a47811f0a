//! The ways of Rust's standard library to wait and to wake, each run again and again
//! for SYNC_MS milliseconds (default 1: once); it must say the same each time.  Beside
//! them a thread works in iterators, which are inlined into `hot`, on its lines.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, RwLock};
use std::thread;
use std::time::{Duration, Instant};

#[inline(never)]
fn hot(v: &[u64]) -> u64 {
    v.iter() // hot
        .map(|x| (x ^ x >> 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) // hot
        .filter(|x| x & 4 != 0) // hot
        .sum() // hot
}

const ROUNDS: usize = 50;

fn channels() -> String {
    let (to, from) = mpsc::channel::<usize>();
    let (back, answers) = mpsc::channel();
    let (rendezvous, meet) = mpsc::sync_channel(0);
    let server = thread::spawn(move || {
        for n in from {
            back.send(n * n).unwrap();
            rendezvous.send(n).unwrap();
        }
    });
    let mut sum = 0;
    for n in 0..ROUNDS {
        to.send(n).unwrap();
        sum += answers.recv().unwrap() + meet.recv().unwrap();
    }
    let late = answers.recv_timeout(Duration::from_micros(200)) == Err(RecvTimeoutError::Timeout);
    drop(to);
    server.join().unwrap();
    format!("channels {sum} {late} {}", answers.recv().is_err())
}

fn locks() -> String {
    let both = Arc::new((Mutex::new(0), Condvar::new()));
    let other = both.clone();
    let t = thread::spawn(move || {
        for _ in 0..ROUNDS {
            let mut turn = other.1.wait_while(other.0.lock().unwrap(), |turn| *turn % 2 == 0).unwrap();
            *turn += 1;
            other.1.notify_one();
        }
    });
    for _ in 0..ROUNDS {
        let mut turn = both.1.wait_while(both.0.lock().unwrap(), |turn| *turn % 2 == 1).unwrap();
        *turn += 1;
        both.1.notify_one();
    }
    t.join().unwrap();
    let turn = both.0.lock().unwrap();
    let (turn, waited) = both.1.wait_timeout(turn, Duration::from_micros(200)).unwrap();
    format!("locks {} {}", *turn, waited.timed_out())
}

fn readers() -> String {
    let shared = RwLock::new(vec![0usize; 4]);
    let barrier = Barrier::new(4);
    let leaders = AtomicUsize::new(0);
    thread::scope(|s| {
        for i in 0..4 {
            let (shared, barrier, leaders) = (&shared, &barrier, &leaders);
            s.spawn(move || {
                for _ in 0..20 {
                    shared.write().unwrap()[i] += 1;
                    assert!(shared.read().unwrap().iter().sum::<usize>() > 0);
                    if barrier.wait().is_leader() {
                        leaders.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    format!("readers {:?} {}", shared.into_inner().unwrap(), leaders.into_inner())
}

fn parked() -> String {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let t = thread::spawn(move || {
        while !seen.load(Ordering::Acquire) {
            thread::park();
        }
        7
    });
    thread::sleep(Duration::from_micros(300));
    flag.store(true, Ordering::Release);
    t.thread().unpark();
    let before = Instant::now();
    thread::park_timeout(Duration::from_micros(200));
    let late = before.elapsed() >= Duration::from_micros(200);
    format!("parked {} {late}", t.join().unwrap())
}

fn once() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let once = Once::new();
    COUNT.store(0, Ordering::Relaxed);
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                once.call_once(|| {
                    thread::sleep(Duration::from_micros(200));
                    COUNT.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(COUNT.load(Ordering::Relaxed), 1);
            });
        }
    });
    format!("once {} {}", COUNT.load(Ordering::Relaxed), once.is_completed())
}

fn fails() -> String {
    thread_local!(static LEFT: Cell<u32> = const { Cell::new(0) });
    let poisoned = Arc::new(Mutex::new(1));
    let other = poisoned.clone();
    let t = thread::Builder::new().name("doomed".into()).stack_size(64 << 10).spawn(move || {
        let _hold = other.lock();
        LEFT.with(|left| left.set(3));
        if cfg!(panic = "unwind") {
            std::panic::resume_unwind(Box::new(LEFT.with(Cell::get)));
        }
    });
    format!("fails {} {}", t.unwrap().join().is_err(), poisoned.lock().is_err())
}

fn main() {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let ms = std::env::var("SYNC_MS").ok().and_then(|ms| ms.parse().ok()).unwrap_or(1);
    let end = Instant::now() + Duration::from_millis(ms);
    let finished = AtomicBool::new(false);
    let numbers: Vec<u64> = (0..4096).collect();
    thread::scope(|s| {
        s.spawn(|| {
            for n in 0.. {
                let sum = hot(&numbers[n % 64..]);
                LAST.store(sum, Ordering::Relaxed);
                andweorc::progress!("sum");
                if finished.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let ways: [fn() -> String; 6] = [channels, locks, readers, parked, once, fails];
        let first: Vec<String> = ways.iter().map(|way| way()).collect();
        while Instant::now() < end {
            for (way, said) in ways.iter().zip(&first) {
                assert_eq!(&way(), said);
            }
        }
        println!("{}", first.join("\n"));
        finished.store(true, Ordering::Relaxed);
    });
}
