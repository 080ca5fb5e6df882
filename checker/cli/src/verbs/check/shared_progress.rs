//! The progress of searches that run in parallel.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use turnstile_search::bounds::{Progress, ProgressSnapshot};

use crate::terminal::ProgressLine;

/// Progress of one of several parallel searches: the line shows the one that reported last. Its
/// memory is not counted here, so its report has the search's own figure.
pub(super) struct SharedProgress<'a> {
    line: &'a ProgressLine,
    is_over: &'a AtomicBool,
    begun: Mutex<(String, Instant)>,
}

impl<'a> SharedProgress<'a> {
    /// A search that has not reported yet; it stops once `is_over`.
    pub(super) fn new(line: &'a ProgressLine, is_over: &'a AtomicBool) -> Self {
        Self { line, is_over, begun: Mutex::new((String::new(), Instant::now())) }
    }
}

impl Progress for SharedProgress<'_> {
    fn begin(&self, title: &str) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        *begun = (title.to_owned(), Instant::now());
    }

    fn update(&self, standing: ProgressSnapshot) {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        self.line.show(&begun.0, begun.1, standing);
    }

    fn end(&self) {}

    fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.line.is_stopped()
    }

    fn allocated(&self) -> u64 {
        0
    }

    fn peak(&self) -> u64 {
        0
    }
}
