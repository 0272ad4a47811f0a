//! Waiting, in the program that is recorded, while its threads work.

use crate::runtime;
use std::os::raw::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A look at what the threads do.  At the end of the time, andweorc-record sends SIGTERM, and kills two seconds later.
const LOOK: Duration = Duration::from_millis(100);
/// Without a visit for so long, nobody works any more ...
const IDLE: Duration = Duration::from_secs(2);
/// ... or, as long as there has been none at all, for so long.
const START: Duration = Duration::from_secs(30);

static WORKED: AtomicBool = AtomicBool::new(false);
static TOLD_TO_END: AtomicBool = AtomicBool::new(false);

const SIGTERM: c_int = 15;
const SIG_DFL: usize = 0;

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
}

extern "C" fn end_waiting(_: c_int) {
    TOLD_TO_END.store(true, Ordering::Relaxed);
}

/// A point was visited.  All threads share the flag, so it is only written when that changes it.
#[inline]
pub(crate) fn note_work() {
    if !WORKED.load(Ordering::Relaxed) {
        WORKED.store(true, Ordering::Relaxed);
    }
}

fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").map_or(true, |tasks| tasks.count() < 2)
}

/// Sleeps, or until a signal comes.  The system call is made here and not by libc, where the profiler would take the
/// sleep for one that the program could shorten, and try what that does.
#[cfg(target_arch = "x86_64")]
fn doze(time: Duration) {
    const SYS_NANOSLEEP: i64 = 35;
    let time = [time.as_secs() as i64, i64::from(time.subsec_nanos())];

    // SAFETY: nanosleep(2) reads a timespec, which is two words, and is given no place for what is left.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") SYS_NANOSLEEP => _, in("rdi") time.as_ptr(), in("rsi") 0,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn doze(time: Duration) {
    std::thread::sleep(time);
}

/// Returns when the recorder wants the program to end, when the last visit is long ago, or when no other thread is
/// there.  A program that has a handler of SIGTERM keeps it, and ends as that says.
pub(crate) fn while_working() {
    // SAFETY: the handler only sets a flag; both values are those that signal(2) takes.
    let before = unsafe { signal(SIGTERM, end_waiting as extern "C" fn(c_int) as usize) };
    if before != SIG_DFL {
        // SAFETY: the value is that of the last call.
        unsafe { signal(SIGTERM, before) };
    }
    // To the profiler this is a wait for other threads.
    runtime::pre_block();
    watch();
    runtime::post_block(true);
    if before == SIG_DFL {
        // SAFETY: as above.
        unsafe { signal(SIGTERM, SIG_DFL) };
    }
}

fn watch() {
    let mut last = Instant::now();
    let mut limit = if WORKED.load(Ordering::Relaxed) { IDLE } else { START };

    while !TOLD_TO_END.load(Ordering::Relaxed) && !is_alone() && last.elapsed() < limit {
        WORKED.store(false, Ordering::Relaxed);
        doze(LOOK);
        if WORKED.load(Ordering::Relaxed) {
            last = Instant::now();
            limit = IDLE;
        }
    }
}
