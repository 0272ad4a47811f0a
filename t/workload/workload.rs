//! workload: what the known-answer programs in Rust share.  Options, output and
//! work are those of workload.h.

use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A function of some work.  A program has it like this:
///
/// ```ignore
/// static NAME: Region = Region::new("program::name", file!(), line!() + 2, 1.0);
/// #[rustfmt::skip] #[inline(never)]
/// fn name() { keep((0..NAME.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }
/// ```
///
/// The loop is written out, and on one line, since code from a macro or another
/// function would bear the line where that stands.  It is an iterator: code of
/// the standard library, inlined, that is to be charged to this line.
pub struct Region {
    name: &'static str, // as andweorc-record -r finds it
    file: &'static str,
    line: u32,             // of the loop
    ms: f64,               // nominal work of one call
    iterations: AtomicU64, // of one call; set by Workload::start
}

pub const SEED: u64 = 88172645463325252;

impl Region {
    pub const fn new(name: &'static str, file: &'static str, line: u32, ms: f64) -> Region {
        Region { name, file, line, ms, iterations: AtomicU64::new(0) }
    }

    pub fn iterations(&self) -> u64 {
        self.iterations.load(Relaxed)
    }
}

/// The value is wanted, whatever the compiler thinks.
#[inline(always)]
pub fn keep(x: u64) {
    // SAFETY: it is a reference that is read.
    unsafe { std::ptr::read_volatile(&x) };
}

pub struct Workload {
    start: Instant,
    skip: u64,           // visits before the first one that counts
    limit: u64,          // visits after the first; 0 none
    max_ns: u64,         // 0 none
    first_ns: AtomicU64, // time of the first visit that counts, 0 before it
    count: AtomicU64,    // visits, all of them
    finished: AtomicBool,
}

fn die(what: &str, arg: &str) -> ! {
    eprintln!("workload: {} '{}'", what, arg);
    exit(2)
}

fn number(s: &str) -> f64 {
    match s.parse::<f64>() {
        Ok(x) if (0.0..=1e15).contains(&x) => x,
        _ => die("bad number", s),
    }
}

fn list(regions: &[&Region]) -> ! {
    for r in regions {
        println!("{}\t{}:{}", r.name, r.file.rsplit('/').next().unwrap_or(r.file), r.line);
    }
    exit(0)
}

/// What "REGION=PCT" leaves of a region: its number and a factor.
fn shrink(regions: &[&Region], arg: &str) -> (usize, f64) {
    let (name, pct) = match arg.rsplit_once('=') {
        Some((name, pct)) => (name, number(pct)),
        None => die("bad --shrink", arg),
    };

    if pct > 100.0 {
        die("bad --shrink", arg);
    }
    match regions.iter().position(|r| r.name == name) {
        Some(i) => (i, 1.0 - pct / 100.0),
        None => die("no such region", arg),
    }
}

impl Workload {
    /// Reads the command line and sets the regions' iterations.
    pub fn start(regions: &[&Region]) -> Workload {
        let (mut scale, mut unit, mut seconds, mut skip, mut limit) = (1.0, 800000.0, -1.0, 0, 0);
        let mut left = vec![1.0; regions.len()];
        let mut args = std::env::args().skip(1);

        while let Some(option) = args.next() {
            if option == "--regions" {
                list(regions);
            }
            let value = args.next().unwrap_or_else(|| die("no value for", &option));
            match option.as_str() {
                "--seconds" => seconds = number(&value),
                "--visits" => limit = number(&value) as u64,
                "--skip" => skip = number(&value) as u64,
                "--scale" => scale = number(&value),
                "--unit" => unit = number(&value),
                "--shrink" => {
                    let (i, factor) = shrink(regions, &value);
                    left[i] *= factor;
                }
                _ => die("unexpected argument", &option),
            }
        }
        if seconds < 0.0 && limit == 0 {
            seconds = 1.0;
        }
        for (r, left) in regions.iter().zip(left) {
            r.iterations.store((r.ms * left * scale * unit) as u64, Relaxed);
        }
        Workload {
            start: Instant::now(),
            skip,
            limit,
            max_ns: if seconds > 0.0 { (seconds * 1e9) as u64 } else { 0 },
            first_ns: AtomicU64::new(0),
            count: AtomicU64::new(0),
            finished: AtomicBool::new(false),
        }
    }

    /// One round is done.  Any thread; does not return from the last one.
    pub fn visit(&self) {
        andweorc::progress!("round");
        let now = self.start.elapsed().as_nanos() as u64;
        let n = self.count.fetch_add(1, Relaxed);

        if n < self.skip {
            return;
        }
        let n = n - self.skip;
        if n == 0 {
            self.first_ns.store(now, Relaxed);
        }
        let first = self.first_ns.load(Relaxed);
        if n == 0 || first == 0 {
            return;
        }
        if n == self.limit || (self.max_ns > 0 && now - first >= self.max_ns) {
            self.finish(n, now - first);
        }
    }

    fn finish(&self, visits: u64, elapsed: u64) {
        if !self.finished.swap(true, Relaxed) {
            println!("visits={}\telapsed_ns={}\tperiod_ns={:.1}", visits, elapsed, elapsed as f64 / visits as f64);
            exit(0); // whatever the other threads are at
        }
    }
}
