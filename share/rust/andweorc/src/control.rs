//! Threads that say when they are worth profiling.

use crate::runtime;
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard};

/// Of the process.
struct Threads {
    started: usize, // threads that have started, and have not stopped
    stopped: bool,  // experiments were stopped by the last of them
}

static THREADS: Mutex<Threads> = Mutex::new(Threads { started: 0, stopped: false });

thread_local! {
    static STARTED: Cell<bool> = const { Cell::new(false) };
}

fn threads() -> MutexGuard<'static, Threads> {
    THREADS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The calling thread is one of those whose work is experimented with.  Experiments that were stopped go on.
pub(crate) fn start() {
    let mut threads = threads();

    threads.started += usize::from(!STARTED.with(|s| s.replace(true)));
    if threads.stopped {
        threads.stopped = false;
        runtime::experiments(true);
    }
}

/// It is none any more.  When there is no other, experiments stop.
pub(crate) fn stop() {
    let mut threads = threads();

    threads.started -= usize::from(STARTED.with(|s| s.replace(false)));
    if threads.started == 0 && !threads.stopped {
        threads.stopped = true;
        runtime::experiments(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (usize, bool) {
        let threads = threads();

        (threads.started, threads.stopped)
    }

    #[test]
    fn the_last_thread_stops() {
        start();
        start();
        std::thread::spawn(|| {
            start();
            stop();
            stop();
        })
        .join()
        .unwrap();
        assert_eq!(state(), (1, false));
        stop();
        assert_eq!(state(), (0, true));
        stop();
        start();
        assert_eq!(state(), (1, false));
    }
}
