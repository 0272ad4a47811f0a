//! Tasks of tokio on two threads, in the way that the variable WAY says.  Options and
//! output are those of t/workload.
//!
//!     channel   one makes items (`short`, 0.6 ms), another works on them (`long`, 1 ms)
//!     moves     four of them, each `short`, and `long` in whichever thread is free then
//!     joins     each round is two that are spawned and awaited, `short` and `long`
//!     asks      one asks another (`short`), and awaits its answer (`long`)
//!
//! A task that another one makes ready goes on in the thread of that one, where it can
//! (tokio 1.24), so of `channel` and `asks` one thread does all the work.

#[path = "../workload/workload.rs"]
mod workload;

use std::sync::Arc;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use workload::{keep, Region, Workload, SEED};

static SHORT: Region = Region::new("tasks::short", file!(), line!() + 2, 0.6);
#[rustfmt::skip] #[inline(never)]
fn short() { keep((0..SHORT.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }

static LONG: Region = Region::new("tasks::long", file!(), line!() + 2, 1.0);
#[rustfmt::skip] #[inline(never)]
fn long() { keep((0..LONG.iterations()).fold(SEED, |x, _| { let y = x ^ x << 13; (y ^ y >> 7).wrapping_add(line!() as u64) })) }

async fn channel(workload: Arc<Workload>) {
    let (sender, mut receiver) = mpsc::channel(8);

    tokio::spawn(async move {
        loop {
            short();
            sender.send(()).await.unwrap();
        }
    });
    tokio::spawn(async move {
        while receiver.recv().await.is_some() {
            long();
            workload.visit();
        }
    })
    .await
    .unwrap();
}

async fn moves(workload: Arc<Workload>) {
    let task = || {
        let workload = workload.clone();
        tokio::spawn(async move {
            loop {
                short();
                tokio::task::yield_now().await;
                long();
                workload.visit();
                tokio::task::yield_now().await;
            }
        })
    };
    let tasks = [task(), task(), task(), task()];

    for one in tasks {
        one.await.unwrap();
    }
}

async fn joins(workload: Arc<Workload>) {
    loop {
        let (one, other) = (tokio::spawn(async { long() }), tokio::spawn(async { short() }));

        one.await.unwrap();
        other.await.unwrap();
        workload.visit();
    }
}

async fn asks(workload: Arc<Workload>) {
    let (questions, mut asked) = mpsc::channel::<oneshot::Sender<()>>(1);

    tokio::spawn(async move {
        while let Some(answer) = asked.recv().await {
            long();
            answer.send(()).unwrap();
        }
    });
    tokio::spawn(async move {
        loop {
            let (answer, answered) = oneshot::channel();

            short();
            questions.send(answer).await.unwrap();
            answered.await.unwrap();
            workload.visit();
        }
    })
    .await
    .unwrap();
}

fn main() {
    let workload = Arc::new(Workload::start(&[&SHORT, &LONG]));
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();

    runtime.block_on(async move {
        match std::env::var("WAY").as_deref() {
            Ok("channel") => channel(workload).await,
            Ok("moves") => moves(workload).await,
            Ok("joins") => joins(workload).await,
            Ok("asks") => asks(workload).await,
            _ => panic!("WAY is channel, moves, joins or asks"),
        }
    });
}
