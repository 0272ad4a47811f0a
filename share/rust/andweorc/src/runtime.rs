//! The profiler's runtime inside this process, if it is there.
//!
//! It is found as andweorc.h finds it: getauxval(3) answers 0 for a type that the
//! kernel does not know, and the preloaded runtime answers `AUXV` itself.  So nothing
//! is linked.

use std::mem::size_of;
use std::os::raw::{c_char, c_int, c_ulong};
use std::ptr::addr_of;
use std::sync::atomic::{AtomicI32, Ordering};

const AUXV: c_ulong = 0x616e_6477; // "andw"

extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
}

/// What the runtime offers, as in andweorc.h.  `size` is that of the runtime's struct: members are only ever added at
/// the end, and an older runtime has fewer.
#[repr(C)]
struct Api {
    size: c_ulong,
    point: unsafe extern "C" fn(name: *const c_char) -> c_int,
    visit: unsafe extern "C" fn(point: c_int),
    pre_block: unsafe extern "C" fn(),
    post_block: unsafe extern "C" fn(woken: c_int),
    catch_up: unsafe extern "C" fn(),
    span: unsafe extern "C" fn(name: *const c_char) -> c_int,
    begin: unsafe extern "C" fn(point: c_int),
    end: unsafe extern "C" fn(point: c_int),
    begin_id: unsafe extern "C" fn(point: c_int, id: c_ulong),
    end_id: unsafe extern "C" fn(point: c_int, id: c_ulong),
    experiments: unsafe extern "C" fn(on: c_int),
}

const WORD: usize = size_of::<c_ulong>();
const WITH_POINTS: usize = 3 * WORD;
const WITH_BLOCKS: usize = 6 * WORD;
const WITH_SPANS: usize = 11 * WORD;
const WITH_EXPERIMENTS: usize = size_of::<Api>();

fn api(least: usize) -> Option<*const Api> {
    // SAFETY: the answer is 0, or the address of a struct that lives as long as the process and begins with its size.
    unsafe {
        let api = getauxval(AUXV) as *const Api;
        (!api.is_null() && addr_of!((*api).size).read() as usize >= least).then_some(api)
    }
}

/// Whether the process runs under andweorc-record.
pub(crate) fn is_there() -> bool {
    api(WITH_POINTS).is_some()
}

/// Calls a member of the runtime's struct; nothing, or `$none`, when the runtime does not have it.
macro_rules! call {
    ($least:expr, $member:ident($($arg:expr),*)) => {
        call!($least, $member($($arg),*), ())
    };
    ($least:expr, $member:ident($($arg:expr),*), $none:expr) => {
        match api($least) {
            // SAFETY: the struct is long enough to have the member, and that is called as andweorc.h declares it.
            Some(api) => unsafe { addr_of!((*api).$member).read()($($arg),*) },
            None => $none,
        }
    };
}

/// The number of the throughput point, > 0, or -1.  The name lives as long as the process and ends with a NUL.
pub(crate) fn point(name: *const c_char) -> i32 {
    call!(WITH_POINTS, point(name), -1)
}

/// The same for a latency point.
pub(crate) fn span(name: *const c_char) -> i32 {
    call!(WITH_SPANS, span(name), -1)
}

pub(crate) fn visit(point: i32) {
    call!(WITH_POINTS, visit(point))
}

pub(crate) fn begin(point: i32) {
    call!(WITH_SPANS, begin(point))
}

pub(crate) fn end(point: i32) {
    call!(WITH_SPANS, end(point))
}

pub(crate) fn begin_id(point: i32, id: c_ulong) {
    call!(WITH_SPANS, begin_id(point, id))
}

pub(crate) fn end_id(point: i32, id: c_ulong) {
    call!(WITH_SPANS, end_id(point, id))
}

/// Experiments are to be made from now on, or not.
pub(crate) fn experiments(on: bool) {
    call!(WITH_EXPERIMENTS, experiments(c_int::from(on)))
}

/// Whether somebody wants to know of waits: 0 not asked yet, 1 yes, -1 no.
static BLOCKS: AtomicI32 = AtomicI32::new(0);

#[inline(always)]
fn tell(what: fn()) {
    if BLOCKS.load(Ordering::Relaxed) >= 0 {
        tell_runtime(what);
    }
}

#[cold]
#[inline(never)]
fn tell_runtime(what: fn()) {
    if BLOCKS.load(Ordering::Relaxed) == 0 {
        BLOCKS.store(if api(WITH_BLOCKS).is_some() { 1 } else { -1 }, Ordering::Relaxed);
    }
    what();
}

/// The calling thread is going to wait, in a loop of its own, for another thread.
///
/// Waits of the standard library are known; this is for locks that spin.  What the thread does until [`post_block`] is
/// no work.  Pairs nest: the outermost counts.
#[inline]
pub fn pre_block() {
    tell(|| call!(WITH_BLOCKS, pre_block()));
}

/// The wait is over.  `woken`: another thread let this one go on, after a [`catch_up`] of its own; else it gave up.
#[inline]
pub fn post_block(woken: bool) {
    if woken {
        tell(|| call!(WITH_BLOCKS, post_block(1)));
    } else {
        tell(|| call!(WITH_BLOCKS, post_block(0)));
    }
}

/// The calling thread is going to do what lets another one go on, with nothing in between.
#[inline]
pub fn catch_up() {
    tell(|| call!(WITH_BLOCKS, catch_up()));
}
