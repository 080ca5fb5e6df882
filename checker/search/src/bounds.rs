//! Where a search stops, what it leaves out, and how it says how far it is.
//!
//! A search looks at [`Progress::is_stopped`] often, and ends with the verdicts so far when it says
//! so or when a bound of [`Limits`] is reached.

use std::time::Instant;

/// The reductions a search may apply where they are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Leave out messages that no reachable node state reacts to.
    pub dead: bool,
    /// Sort the nodes of symmetric roles.
    pub symmetry: bool,
    /// Leave out loss where a message may stay in flight for ever anyway.
    pub loss: bool,
}

impl Reductions {
    /// None at all.
    pub const NONE: Self = Self { dead: false, symmetry: false, loss: false };
    /// Each where it is sound.
    pub const ALL: Self = Self { dead: true, symmetry: true, loss: true };
}

/// Where a search stops although there is more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Unique states.
    pub max_states: Option<u64>,
    /// Bytes allocated by the search.
    pub max_memory: Option<u64>,
    /// When every search must have ended.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The unique states of a document as it is written, which may lead to ever more messages.
    pub const AS_WRITTEN: u64 = 1_000_000;

    /// These, and [`Self::AS_WRITTEN`] where they bound neither states nor memory nor time.
    #[must_use]
    pub fn as_written(self) -> Self {
        if self == Self::default() {
            Self { max_states: Some(Self::AS_WRITTEN), ..self }
        } else {
            self
        }
    }
}

/// What a search of a system need only find. The reference engine goes to the end all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// Everything.
    #[default]
    End,
    /// That some `always` is broken; by what run is not asked.
    Failure,
    /// A run that breaks the `always` of this name.
    FailureOf(String),
}

impl Until {
    /// Whether a search may end where the `always` of this name is broken.
    #[must_use]
    pub fn ends_with(&self, property: &str) -> bool {
        match self {
            Self::End => false,
            Self::Failure => true,
            Self::FailureOf(name) => name == property,
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Unique states so far.
    pub states: u64,
    /// Levels of the breadth-first search finished.
    pub level: u64,
    /// States found and not yet expanded, where the search knows.
    pub frontier: Option<u64>,
    /// The size of the last finished level over that of the one before it: below 1 it shrinks.
    /// 0 where the search does not know.
    pub growth: f64,
    /// Bytes allocated.
    pub memory: u64,
}

/// Who listens to a search and may stop it. Called from any of its threads.
pub trait Progress: Sync {
    /// A result of this title begins: `claim/loss`.
    fn begin(&self, title: &str);
    /// How far it is. Cheap; call it as often as is convenient, at least at every level.
    fn stand(&self, standing: Standing);
    /// The result is there.
    fn end(&self);
    /// Many small searches go on; how far they are, in a few words.
    fn say(&self, _words: &str) {}
    /// Whether the search should end with the verdicts so far.
    fn is_stopped(&self) -> bool;
    /// Bytes allocated by the process since [`Progress::begin`]; 0 where nobody counts.
    fn allocated(&self) -> u64;
    /// The peak of [`Progress::allocated`] since [`Progress::begin`]; 0 where nobody counts.
    fn peak(&self) -> u64;
}

/// Nobody listens and nobody stops: for tests and benchmarks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _title: &str) {}
    fn stand(&self, _standing: Standing) {}
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
    fn a_document_is_bounded_where_nobody_bounds_it() {
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
