#![doc = include_str!("../README.md")]
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait; this one hands on")]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};

/// Bytes a thread may be ahead of the common count, so that threads do not wait for each other.
const GRAIN: i64 = 16 * 1024;

/// Hands on to an allocator and counts. The counts of a program without it are zero.
#[derive(Debug)]
pub struct Counting<A>(pub A);

static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);
static BASE: AtomicI64 = AtomicI64::new(0);

thread_local! {
    static AHEAD: Cell<i64> = const { Cell::new(0) };
}

/// Counts from here.
pub fn reset() {
    settle(0);
    let held = HELD.load(Ordering::Relaxed);
    BASE.store(held, Ordering::Relaxed);
    PEAK.store(held, Ordering::Relaxed);
}

/// Bytes allocated since [`reset`] and not given back.
#[must_use]
pub fn held() -> u64 {
    settle(0);
    since_reset(HELD.load(Ordering::Relaxed))
}

/// The peak of [`held`] since [`reset`].
#[must_use]
pub fn peak() -> u64 {
    settle(0);
    since_reset(PEAK.load(Ordering::Relaxed))
}

fn since_reset(bytes: i64) -> u64 {
    u64::try_from(bytes - BASE.load(Ordering::Relaxed)).unwrap_or(0)
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

fn count(bytes: i64) {
    // A thread that is ending has no cell any more; what it frees then is counted at once.
    let ahead = AHEAD.try_with(|ahead| {
        let sum = ahead.get() + bytes;
        ahead.set(if sum.abs() < GRAIN { sum } else { 0 });
        sum
    });
    match ahead {
        Ok(sum) if sum.abs() < GRAIN => {}
        Ok(sum) => publish(sum),
        Err(_) => publish(bytes),
    }
}

/// Adds this thread's count to the total.
fn settle(bytes: i64) {
    let ahead = AHEAD.try_with(|ahead| ahead.replace(0)).unwrap_or(0);
    publish(ahead + bytes);
}

fn publish(bytes: i64) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if held > PEAK.load(Ordering::Relaxed) {
        PEAK.fetch_max(held, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed on unchanged to an allocator, which keeps the contract; counting
// touches no memory that the caller knows of, and neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is handed on.
        let place = unsafe { self.0.alloc(layout) };
        if !place.is_null() {
            count(size(layout));
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise about `place` and `layout` is handed on.
        unsafe { self.0.dealloc(place, layout) };
        count(-size(layout));
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is handed on.
        let place = unsafe { self.0.alloc_zeroed(layout) };
        if !place.is_null() {
            count(size(layout));
        }
        place
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promises are handed on.
        let moved = unsafe { self.0.realloc(place, layout, bytes) };
        if !moved.is_null() {
            count(i64::try_from(bytes).unwrap_or(i64::MAX) - size(layout));
        }
        moved
    }
}
