//! Causal profiling: if this code ran faster, how much faster would the program be?
//!
//! A program marks where a unit of its work is done, and where something begins
//! and ends whose length matters:
//!
//! ```
//! use andweorc::progress;
//!
//! fn handle(request: &str) -> usize {
//!     let _span = andweorc::span!("request"); // ends with the scope
//!     let answer = request.len();
//!     progress!("answered"); // one more
//!     answer
//! }
//!
//! fn main() {
//!     andweorc::init().expect("Failed to initialize profiler");
//!     for _ in 0..100 {
//!         handle("hello");
//!     }
//!     andweorc::run_experiments("answered");
//! }
//! ```
//!
//! Started as usual, such a program runs as if the crate were not there: a visit is
//! one load and one predictable branch.  With `ANDWEORC_ENABLED=1`, [`init`] starts the
//! program once more, under the tool `andweorc-record`, which conducts experiments
//! from outside, and waits for it; then the results are printed, and the process ends
//! with the status of that other one.  Under `andweorc-record` or `cargo andweorc run`
//! the marks count as well, and whoever records makes the report.
//!
//! # Environment
//!
//! | variable | meaning |
//! |---|---|
//! | `ANDWEORC_ENABLED` | `1`: profile |
//! | `ANDWEORC_DURATION` | seconds of experiments; a program that ends sooner is run again, one that runs longer is ended (SIGTERM); `0`: one run, to its own end |
//! | `ANDWEORC_ROUND_DURATION_MS`, `ANDWEORC_BASELINE_ROUNDS` | the same as a product; see [`runner::RunnerConfig`] |
//! | `ANDWEORC_OPTIONS` | more options of andweorc-record(1), with blanks between: `-m function -n 5` |
//! | `ANDWEORC_LOG` | a file that the log is kept in |
//! | `ANDWEORC_RECORD` | path of andweorc-record; without it, `PATH` is searched.  The other tools are beside it, or in `PATH` |
//!
//! Needs Linux and Rust 1.63, and no other crate.  SPDX-License-Identifier: 0BSD

#![warn(missing_docs)]

#[cfg(not(target_os = "linux"))]
compile_error!("andweorc is for Linux: depend on it in [target.'cfg(target_os = \"linux\")'.dependencies]");

mod error;
mod facts;
mod place;
mod runtime;
mod session;
mod tools;
mod wait;

pub mod results;
pub mod runner;

pub use error::Error;
pub use place::{Place, Span};
pub use results::Results;
pub use runtime::{catch_up, post_block, pre_block};

/// Makes the program profiled, if `ANDWEORC_ENABLED=1` says so.  To be called first in `main`.
///
/// With `ANDWEORC_ENABLED=1` it does not return in the process that calls it: it
/// starts the program again under `andweorc-record`, with the same arguments, prints the
/// results of that, and ends the process.  (It does return after a recording that a
/// [`runner::Runner`] has asked for.)  In the program that is recorded, and without the
/// variable, it does nothing.
///
/// An error: a tool of andweorc is missing or fails, or a variable is wrong.
pub fn init() -> Result<(), Error> {
    session::start()
}

/// The same as [`init`], for programs that call it alone.
///
/// Threads need not call it: all are profiled from their start on.  It may be called by any.
pub fn start_profiling() -> Result<(), Error> {
    session::start()
}

/// Lets the experiments on the point go on, and has their results printed when they are over.
///
/// While other threads of the program visit points, it waits, until the time for
/// experiments is used up.  It returns at once when no other thread is there, and two seconds
/// after the last visit of any point.  When the program then ends, and there is time
/// left, it is run again.  Results are printed by the process that was started
/// first, when there is no time left; see [`init`].
///
/// When the program is not profiled, it returns at once.
pub fn run_experiments(point: &str) {
    session::run_experiments(point);
}

/// One unit of work is done: a visit of the progress point with this name.
///
/// The name is a constant; without one it is the place in the source.  Any thread may
/// visit a point.  Not for signal handlers.
#[macro_export]
macro_rules! progress {
    () => {
        $crate::progress!(concat!(file!(), ":", line!()))
    };
    ($name:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::point($name);
        PLACE.visit();
    }};
}

/// A span of the latency point with this name begins.
///
/// `end!` with the same name ends the last one that the same thread has begun.  With a
/// number, `begin!("request", id)` and `end!("request", id)`, any thread of the process may
/// end it; no other open span of the point has that number.
#[macro_export]
macro_rules! begin {
    ($name:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::span($name);
        PLACE.begin();
    }};
    ($name:expr, $id:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::span($name);
        PLACE.begin_id($id as ::std::os::raw::c_ulong);
    }};
}

/// A span of the latency point ends; see [`begin!`].
#[macro_export]
macro_rules! end {
    ($name:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::span($name);
        PLACE.end();
    }};
    ($name:expr, $id:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::span($name);
        PLACE.end_id($id as ::std::os::raw::c_ulong);
    }};
}

/// A span of the latency point with this name, from here until the value is dropped: `let _span = span!("request");`
#[macro_export]
macro_rules! span {
    ($name:expr $(,)?) => {{
        static PLACE: $crate::Place = $crate::Place::span($name);
        $crate::Span::new(&PLACE)
    }};
}
