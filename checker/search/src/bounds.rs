//! The limits of a search, its reductions, and its progress.
//!
//! A search polls [`Progress::is_stopped`], and is truncated when that returns true or a limit of
//! [`Limits`] is reached; it then returns the verdicts so far.

use std::time::Instant;

/// The reductions a search may apply where they are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Discard messages to which no reachable state of the receiver reacts.
    pub dead: bool,
    /// Explore one representative of states that differ by a permutation of symmetric nodes.
    pub symmetry: bool,
    /// Leave out losses where a message may stay in flight forever.
    pub loss: bool,
}

impl Reductions {
    /// No reduction.
    pub const NONE: Self = Self { dead: false, symmetry: false, loss: false };
    /// Every reduction that is sound.
    pub const ALL: Self = Self { dead: true, symmetry: true, loss: true };
}

/// The limits at which a search is truncated; `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most unique states.
    pub max_states: Option<u64>,
    /// The most bytes allocated by the search.
    pub max_memory: Option<u64>,
    /// The time at which every search ends.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The default of `max_states` for a table as written, whose state space may be infinite.
    pub const AS_WRITTEN: u64 = 1_000_000;

    /// These limits, or [`Self::AS_WRITTEN`] states if there is no limit at all.
    #[must_use]
    pub fn as_written(self) -> Self {
        if self == Self::default() {
            Self { max_states: Some(Self::AS_WRITTEN), ..self }
        } else {
            self
        }
    }
}

/// When a search may stop early. The reference engine is always exhaustive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StopCondition {
    /// Never: the search is exhaustive.
    #[default]
    Exhausted,
    /// When any `always` fails; no counterexample is needed.
    AnyFailure,
    /// When the `always` of this name fails.
    FailureOf(String),
}

impl StopCondition {
    /// Whether a search may stop when the `always` of this name fails.
    #[must_use]
    pub fn stops_at(&self, property: &str) -> bool {
        match self {
            Self::Exhausted => false,
            Self::AnyFailure => true,
            Self::FailureOf(name) => name == property,
        }
    }
}

/// The progress of a search at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProgressSnapshot {
    /// Unique states so far.
    pub states: u64,
    /// Finished levels of the breadth-first search.
    pub level: u64,
    /// States found and not yet expanded; `None`: not known.
    pub frontier: Option<u64>,
    /// The size of the current level divided by that of the one before it; 0: not known.
    pub growth: f64,
    /// Bytes allocated.
    pub memory: u64,
}

/// The observer of a search, which may stop it. Called from any of its threads.
pub trait Progress: Sync {
    /// The check with this title begins: `claim/loss`.
    fn begin(&self, title: &str);
    /// Reports progress. Cheap; called at least once a level.
    fn update(&self, snapshot: ProgressSnapshot);
    /// The check has ended.
    fn end(&self);
    /// Reports the progress of many small searches as a short text.
    fn message(&self, _text: &str) {}
    /// Whether the search should end with the verdicts so far.
    fn is_stopped(&self) -> bool;
    /// Bytes allocated by the process since [`Progress::begin`]; 0: not measured.
    fn allocated(&self) -> u64;
    /// The peak of [`Progress::allocated`] since [`Progress::begin`]; 0: not measured.
    fn peak(&self) -> u64;
}

/// An observer that does nothing, for tests and benchmarks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _title: &str) {}
    fn update(&self, _snapshot: ProgressSnapshot) {}
    fn end(&self) {}
    fn is_stopped(&self) -> bool {
        false
    }
    fn allocated(&self) -> u64 {
        0
    }
    fn peak(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::Limits;

    #[test]
    fn a_table_as_written_has_a_default_limit() {
        assert_eq!(Limits::default().as_written().max_states, Some(Limits::AS_WRITTEN));
        let bounds = [
            Limits { max_states: Some(5), ..Limits::default() },
            Limits { max_memory: Some(5), ..Limits::default() },
            Limits { deadline: Some(Instant::now()), ..Limits::default() },
        ];
        for limits in bounds {
            assert_eq!(limits.as_written(), limits);
        }
    }
}
