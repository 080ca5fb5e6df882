//! A search beside others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use turnstile_search::bounds::{Progress, Standing};

use crate::terminal::Line;

/// How far a search is that is not the only one: whichever stands last is on the line. Nobody
/// counts what it allocates, so that its report has the search's own account.
pub(super) struct Beside<'a> {
    line: &'a Line,
    is_over: &'a AtomicBool,
    begun: Mutex<(String, Instant)>,
}

impl<'a> Beside<'a> {
    /// A search of which nothing is known yet; it ends where nobody wants to know more.
    pub(super) fn new(line: &'a Line, is_over: &'a AtomicBool) -> Self {
        Self { line, is_over, begun: Mutex::new((String::new(), Instant::now())) }
    }
}

impl Progress for Beside<'_> {
    fn begin(&self, title: &str) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        *begun = (title.to_owned(), Instant::now());
    }

    fn stand(&self, standing: Standing) {
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
