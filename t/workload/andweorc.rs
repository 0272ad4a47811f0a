//! Progress points for the causal profiler andweorc, from Rust: what andweorc.h
//! is for C, and compatible with it.
//!
//! ```ignore
//! mod andweorc;
//! ...
//! andweorc::progress!("block"); // one more block is finished
//! ```
//!
//! Not profiled, a visit is one load and one predictable branch (the first visit
//! of each place asks once whether a profiler is there).  Nothing is linked: the
//! preloaded runtime answers getauxval(3) for a type of its own, the kernel knows
//! none such and the answer is 0.
//!
//! Needs Rust 1.63 and std on Linux.  This file may be copied into any program.
//! SPDX-License-Identifier: 0BSD

use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_ulong};
use std::sync::atomic::{AtomicI32, Ordering};

const AUXV: c_ulong = 0x616e6477; // "andw"

extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
}

/// What the runtime offers, as in andweorc.h.  `size` is that of the runtime's
/// struct: members are only ever added at the end.
#[repr(C)]
struct Api {
    size: c_ulong,
    point: unsafe extern "C" fn(name: *const c_char) -> c_int,
    visit: unsafe extern "C" fn(point: c_int),
}

fn api() -> Option<&'static Api> {
    // SAFETY: the answer is 0, or a struct that lives as long as the process.
    unsafe { (getauxval(AUXV) as *const Api).as_ref() }
}

/// One place where a unit of work is done; made by `progress!`.
pub struct Place {
    name: &'static str, // with a NUL at its end
    number: AtomicI32,  // 0: not asked yet; -1: not profiled
}

impl Place {
    /// `name` ends with its only NUL.
    pub const fn new(name: &'static str) -> Place {
        Place { name, number: AtomicI32::new(0) }
    }

    #[inline(always)]
    pub fn visit(&'static self) {
        // Relaxed: threads that ask at the same time get the same number.
        let number = self.number.load(Ordering::Relaxed);

        if number >= 0 {
            self.visit_profiled(number);
        }
    }

    #[cold]
    #[inline(never)]
    fn visit_profiled(&'static self, known: i32) {
        let number = if known == 0 { self.ask() } else { known };

        if let (true, Some(api)) = (number > 0, api()) {
            // SAFETY: the runtime gave the number.
            unsafe { (api.visit)(number) }
        }
    }

    fn ask(&'static self) -> i32 {
        let number = match (api(), CStr::from_bytes_with_nul(self.name.as_bytes())) {
            // SAFETY: the name is a string in the sense of C, and lives as long as the process.
            (Some(api), Ok(name)) => unsafe { (api.point)(name.as_ptr()) },
            _ => -1,
        };

        self.number.store(number, Ordering::Relaxed);
        number
    }
}

/// One unit of work is done: a visit of the throughput point called `$name`, a literal.
macro_rules! progress {
    ($name:literal) => {{
        static PLACE: $crate::andweorc::Place = $crate::andweorc::Place::new(concat!($name, "\0"));
        PLACE.visit();
    }};
}
pub(crate) use progress;
