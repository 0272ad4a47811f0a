//! rustsync: two threads of Rust's standard library, whose waits are futexes that
//! no pthread function sees.  The main thread sends a request through a channel
//! and waits for the answer under a mutex, with a condition variable; what the
//! server has left to do after its answer is hidden behind the next request.
//!
//! Round: prepare 0.6, serve 0.9, and beside the next prepare tidy 0.2.  Shrunk by
//! half: prepare 20 %, serve 30 %, tidy 0.

mod workload;

use std::sync::{mpsc, Condvar, Mutex};
use std::thread;
use workload::{keep, Region, Workload, SEED};

static PREPARE: Region = Region::new("rustsync::prepare", file!(), line!() + 2, 0.6);
#[rustfmt::skip] #[inline(never)]
fn prepare() { keep((0..PREPARE.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }

static SERVE: Region = Region::new("rustsync::serve", file!(), line!() + 2, 0.9);
#[rustfmt::skip] #[inline(never)]
fn serve() { keep((0..SERVE.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }

static TIDY: Region = Region::new("rustsync::tidy", file!(), line!() + 2, 0.2);
#[rustfmt::skip] #[inline(never)]
fn tidy() { keep((0..TIDY.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }

struct Answers {
    last: Mutex<u64>,
    changed: Condvar,
}

fn run_server(requests: mpsc::Receiver<u64>, answers: &Answers) {
    for request in requests {
        serve();
        *answers.last.lock().unwrap() = request;
        answers.changed.notify_one();
        tidy();
    }
}

fn run_client(requests: mpsc::Sender<u64>, answers: &Answers, workload: &Workload) {
    for n in 1.. {
        prepare();
        requests.send(n).unwrap();
        drop(answers.changed.wait_while(answers.last.lock().unwrap(), |last| *last != n).unwrap());
        workload.visit();
    }
}

fn main() {
    let workload = Workload::start(&[&PREPARE, &SERVE, &TIDY]);
    let answers = Answers { last: Mutex::new(0), changed: Condvar::new() };
    let (sender, receiver) = mpsc::channel();

    thread::scope(|scope| {
        scope.spawn(|| run_server(receiver, &answers));
        run_client(sender, &answers, &workload);
    });
}
