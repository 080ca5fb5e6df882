//! What happens in a simulation, counted by kind.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// Declares an enum of what is counted, and lists its variants in `ALL`.
#[macro_export]
macro_rules! counted {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$of:meta])* $event:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name { $($(#[$of])* $event,)* }

        impl $name {
            /// All of them.
            $vis const ALL: &[Self] = &[$(Self::$event,)*];
        }
    };
}

/// How often each event of a kind has happened.
#[derive(Clone, Debug)]
pub struct Counts<E>(BTreeMap<E, u64>);

impl<E> Default for Counts<E> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<E: Copy + Ord + Debug> Counts<E> {
    /// How often this one has happened.
    pub fn of(&self, event: E) -> u64 {
        self.0.get(&event).copied().unwrap_or(0)
    }

    /// It has happened so many times more.
    pub fn note(&mut self, event: E, times: u64) {
        *self.0.entry(event).or_default() += times;
    }

    /// Adds what has happened in another simulation.
    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(event, times)| self.note(*event, *times));
    }

    /// Each of these has happened, or the simulations have tested nothing.
    #[track_caller]
    pub fn assert_each(&self, events: &[E]) {
        for event in events {
            assert!(self.of(*event) > 0, "{event:?} has not happened: {self:?}");
        }
    }
}

/// The counts of a simulation that runs; clones share them.
#[derive(Clone, Debug)]
pub struct Tally<E>(Arc<Mutex<Counts<E>>>);

impl<E> Default for Tally<E> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<E: Copy + Ord + Debug> Tally<E> {
    /// It has happened.
    pub fn note(&self, event: E) {
        self.add(event, 1);
    }

    /// It has happened so many times.
    pub fn add(&self, event: E, times: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note(event, times);
    }

    /// The counts until now.
    pub fn counts(&self) -> Counts<E> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
