//! Where the threads of a search wait for each other.
//!
//! Unlike the standard library's barrier it lets everybody go when one of them panics: a core that
//! panics ends the search with its message and does not hang it.

use std::sync::{Condvar, Mutex, PoisonError};

/// A point that all threads reach before any goes on.
#[derive(Debug)]
pub(super) struct Rendezvous {
    threads: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    round: usize,
    is_broken: bool,
}

/// Another thread panicked.
#[derive(Debug)]
pub(super) struct Broken;

impl Rendezvous {
    /// For so many threads.
    #[must_use]
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for the others.
    pub(super) fn wait(&self) -> Result<(), Broken> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_broken {
            return Err(Broken);
        }
        state.arrived += 1;
        if state.arrived == self.threads {
            state.arrived = 0;
            state.round += 1;
            self.changed.notify_all();
            return Ok(());
        }
        let round = state.round;
        while state.round == round && !state.is_broken {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.round == round { Err(Broken) } else { Ok(()) }
    }

    /// Lets everybody go when it is dropped by a panic.
    #[must_use]
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

/// See [`Rendezvous::guard`].
#[derive(Debug)]
pub(super) struct Guard<'r>(&'r Rendezvous);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_broken = true;
            self.0.changed.notify_all();
        }
    }
}
