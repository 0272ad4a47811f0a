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

mod control;
mod error;
mod facts;
mod place;
mod runtime;
mod session;
mod tools;
mod wait;

pub mod json_output;
pub mod results;
pub mod runner;

use std::time::Duration;

pub use error::Error;
#[doc(hidden)]
pub use place::function_around;
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
    session::start(None)
}

/// The same as [`init`], for programs that call it alone.
///
/// Threads need not call it: all are profiled from their start on.  It may be called by any.
/// After [`stop_profiling`], experiments go on.
pub fn start_profiling() -> Result<(), Error> {
    session::start(None)?;
    control::start();
    Ok(())
}

/// The same, with samples that far apart.  The interval is that of the thread that starts the recording; later ones are
/// not looked at, and neither is it where another process records.
pub fn start_profiling_with_interval(interval: Duration) -> Result<(), Error> {
    session::start(Some(interval))?;
    control::start();
    Ok(())
}

/// The calling thread has done what was worth profiling.
///
/// When no other thread that has called [`start_profiling`] is left, experiments stop, until one starts again; the time
/// in which they are stopped is not counted as time for experiments.  Threads that go on are not slowed down any more.
pub fn stop_profiling() -> Result<(), Error> {
    control::stop();
    Ok(())
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

/// The calling thread is going to let another one go on, in a way that is not known: it waits here for as long as it owes.
///
/// The same as [`catch_up`].  What the standard library does is known; there, this is not needed.
#[macro_export]
macro_rules! delay_point {
    () => {
        $crate::catch_up()
    };
}

/// A function as a span, from here to the end of the scope: the latency point has the function's path as its name, or
/// the name that is given.
///
/// ```
/// fn parse(line: &str) -> usize {
///     andweorc::profile!();
///     line.len()
/// }
///
/// andweorc::profile! {
///     /// Around the function, it is an attribute without a crate for it.
///     pub fn render(width: usize) -> String {
///         " ".repeat(width)
///     }
/// }
/// # parse(&render(3));
/// ```
///
/// Around a function, parameters of types have no bounds there: use the first form for such.
/// Not for async functions, which go on in other threads: there, use `begin!("name", id)`.
#[macro_export]
macro_rules! profile {
    () => {
        let _span = {
            fn here() {}
            fn name() -> &'static str {
                $crate::function_around(here)
            }
            static PLACE: $crate::Place = $crate::Place::span_called(name);
            $crate::Span::new(&PLACE)
        };
    };
    (
        $(#[$attribute:meta])*
        $visible:vis fn $name:ident $(<$($generic:tt),+ $(,)?>)? ($($parameters:tt)*) $(-> $result:ty)? $body:block
    ) => {
        $(#[$attribute])*
        $visible fn $name $(<$($generic),+>)? ($($parameters)*) $(-> $result)? {
            let _span = $crate::span!(concat!(module_path!(), "::", stringify!($name)));
            $body
        }
    };
    ($name:expr $(,)?) => {
        let _span = $crate::span!($name);
    };
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
