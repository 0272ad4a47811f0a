//! Places in a program that the profiler is told of.

use crate::{runtime, wait};
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_ulong};
use std::sync::atomic::{AtomicI32, Ordering};

/// What a point is called.
enum Name {
    Text(&'static str),
    Asked(fn() -> &'static str),
}

/// One place of a point; made by the macros.
pub struct Place {
    name: Name,
    number_of: fn(*const c_char) -> i32,
    number: AtomicI32, // 0: not asked yet; -1: not profiled
}

impl Place {
    /// Of a throughput point.
    pub const fn point(name: &'static str) -> Place {
        Place { name: Name::Text(name), number_of: runtime::point, number: AtomicI32::new(0) }
    }

    /// Of a latency point: a begin or an end of spans.
    pub const fn span(name: &'static str) -> Place {
        Place { name: Name::Text(name), number_of: runtime::span, number: AtomicI32::new(0) }
    }

    /// Of a latency point whose name is known as the program runs; it is asked for where the program is profiled.
    pub const fn span_called(name: fn() -> &'static str) -> Place {
        Place { name: Name::Asked(name), number_of: runtime::span, number: AtomicI32::new(0) }
    }

    /// A unit of work is done.
    #[inline(always)]
    pub fn visit(&self) {
        self.tell(runtime::visit);
    }

    /// A span begins.
    #[inline(always)]
    pub fn begin(&self) {
        self.tell(runtime::begin);
    }

    /// The last span of this thread ends.
    #[inline(always)]
    pub fn end(&self) {
        self.tell(runtime::end);
    }

    /// The span with this number begins.
    #[inline(always)]
    pub fn begin_id(&self, id: c_ulong) {
        self.tell(|point| runtime::begin_id(point, id));
    }

    /// The span with this number ends.
    #[inline(always)]
    pub fn end_id(&self, id: c_ulong) {
        self.tell(|point| runtime::end_id(point, id));
    }

    #[inline(always)]
    fn tell(&self, what: impl FnOnce(i32)) {
        // Relaxed: threads that ask at the same time get the same number.
        let number = self.number.load(Ordering::Relaxed);

        if number >= 0 {
            self.tell_runtime(number, what);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_runtime(&self, known: i32, what: impl FnOnce(i32)) {
        let number = if known == 0 { self.ask() } else { known };

        if number > 0 {
            wait::note_work();
            what(number);
        }
    }

    fn ask(&self) -> i32 {
        let name = || match self.name {
            Name::Text(name) => name,
            Name::Asked(name) => name(),
        };
        let number = match runtime::is_there().then(|| CString::new(name())) {
            // The runtime keeps the name, so it is never freed: once for each place, where the program is profiled.
            Some(Ok(name)) => (self.number_of)(name.into_raw()),
            _ => -1,
        };

        self.number.store(number, Ordering::Relaxed);
        number
    }
}

/// The path of the function that an item called `here` stands in; for [`profile!`](crate::profile!).
pub fn function_around<T>(_: T) -> &'static str {
    let path = std::any::type_name::<T>();

    path.strip_suffix("::here").unwrap_or(path)
}

/// A span that ends when this is dropped, in the thread that began it; made by [`span!`](crate::span!).
///
/// Spans of one point do not nest within a thread: the inner one takes the place of the outer one.
#[must_use = "the span ends when this is dropped"]
pub struct Span {
    place: &'static Place,
    of_this_thread: PhantomData<*const ()>,
}

impl Span {
    /// Begins it.
    #[inline(always)]
    pub fn new(place: &'static Place) -> Span {
        place.begin();
        Span { place, of_this_thread: PhantomData }
    }
}

impl Drop for Span {
    #[inline(always)]
    fn drop(&mut self) {
        self.place.end();
    }
}
