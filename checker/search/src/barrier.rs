//! The barrier of the threads of a search.
//!
//! Unlike the standard library's barrier it is poisoned when a thread panics: a core that panics
//! ends the search with its message instead of a deadlock.

use std::sync::{Condvar, Mutex, PoisonError};

/// A barrier that all threads have to reach before any continues.
#[derive(Debug)]
pub(super) struct Barrier {
    threads: usize,
    state: Mutex<BarrierState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BarrierState {
    arrived: usize,
    round: usize,
    is_poisoned: bool,
}

/// The error of a barrier where another thread panicked.
#[derive(Debug)]
pub(super) struct Poisoned;

impl Barrier {
    /// A barrier for a number of threads.
    #[must_use]
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for the other threads.
    pub(super) fn wait(&self) -> Result<(), Poisoned> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_poisoned {
            return Err(Poisoned);
        }
        state.arrived += 1;
        if state.arrived == self.threads {
            state.arrived = 0;
            state.round += 1;
            self.changed.notify_all();
            return Ok(());
        }
        let round = state.round;
        while state.round == round && !state.is_poisoned {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.round == round { Err(Poisoned) } else { Ok(()) }
    }

    /// A guard that poisons the barrier when a panic drops it.
    #[must_use]
    pub(super) fn guard(&self) -> PoisonGuard<'_> {
        PoisonGuard(self)
    }
}

/// See [`Barrier::guard`].
#[derive(Debug)]
pub(super) struct PoisonGuard<'r>(&'r Barrier);

impl Drop for PoisonGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_poisoned = true;
            self.0.changed.notify_all();
        }
    }
}
