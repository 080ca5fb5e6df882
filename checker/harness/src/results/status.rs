//! The exit status of results. If several apply: 2, then 1, then 3.

use turnstile_search::judgement::Verdict;

use crate::results::fault::FaultReport;
use crate::results::result::ResultReport;

/// The exit status of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Every property holds, checked exhaustively.
    #[default]
    Holds,
    /// A search was truncated, and nothing failed in the part searched.
    Incomplete,
    /// A property fails, or a file has an error.
    Fails,
    /// Bad usage, or unreadable input.
    Usage,
}

impl Status {
    /// The process's exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Fails => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
        }
    }

    /// The one of two that takes precedence.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let rank = |status| match status {
            Self::Holds => 0,
            Self::Incomplete => 1,
            Self::Fails => 2,
            Self::Usage => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The status of one result. A finding of a table as written is no error.
    #[must_use]
    pub fn of(result: &ResultReport) -> Self {
        let is_faulty = result.faults.iter().any(FaultReport::is_error);
        let faults = if is_faulty { Self::Fails } else { Self::Holds };
        let end = if result.complete { Self::Holds } else { Self::Incomplete };
        let verdicts = result.properties.iter().map(|property| property.verdict.into());
        verdicts.fold(faults.and(end), Self::and)
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Holds | Verdict::HoldsUnderFairness => Self::Holds,
            Verdict::Fails | Verdict::Vacuous => Self::Fails,
            Verdict::Incomplete => Self::Incomplete,
        }
    }
}
