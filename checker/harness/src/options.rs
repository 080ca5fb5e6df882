//! The options of a check; the same for both levels.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use turnstile_search::bounds::{Limits, Progress, Reductions, StopCondition};
use turnstile_search::engine::Walks;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_spec::{Diagnostics, Source};

use crate::results::fault::FaultReport;

/// The options of a search.
#[derive(Clone)]
pub struct Options<'a> {
    /// Run the tables as written.
    pub as_written: bool,
    /// The reductions to apply where sound.
    pub reduce: Reductions,
    /// The number of threads, at least 1.
    pub threads: usize,
    /// The bounds.
    pub limits: Limits,
    /// Random walks in place of a search of each world; tables are searched.
    pub simulate: Option<Walks>,
    /// When to stop before the search is exhaustive.
    pub until: StopCondition,
    /// `--set`, in order: the last of a key wins.
    pub set: Vec<(String, String)>,
    /// The tables that run in place of the compiled ones: as written, edited on disk, or mutated. A
    /// machine that is not listed runs its compiled table.
    pub tables: Vec<Replacement>,
    /// The listener, which may stop the search.
    pub progress: &'a dyn Progress,
}

/// A table that runs through the shipped core in place of the compiled one.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// Its names; [`Vocabulary::machine`] says which machine it replaces.
    pub vocabulary: Arc<Vocabulary>,
    /// Its rows, as written or as amended.
    pub table: Arc<Table>,
    /// The file, for diagnostics.
    pub source: Arc<Source>,
    /// Whether an event that several rows match is one choice: the outcomes are computed in turn.
    pub merges_choices: bool,
}

impl Replacement {
    /// A table whose rows that match one event are choices of their own.
    #[must_use]
    pub fn new(
        vocabulary: impl Into<Arc<Vocabulary>>,
        table: impl Into<Arc<Table>>,
        source: impl Into<Arc<Source>>,
    ) -> Self {
        Self {
            vocabulary: vocabulary.into(),
            table: table.into(),
            source: source.into(),
            merges_choices: false,
        }
    }
}

impl<'a> Options<'a> {
    /// The default search: amended tables, every sound reduction, one thread, no bound.
    #[must_use]
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self {
            as_written: false,
            reduce: Reductions::ALL,
            threads: 1,
            limits: Limits::default(),
            simulate: None,
            until: StopCondition::Exhausted,
            set: Vec::new(),
            tables: Vec::new(),
            progress,
        }
    }
}

impl Options<'_> {
    /// Whether a search with this number of unique states has reached its bound.
    #[must_use]
    pub fn is_full(&self, states: u64) -> bool {
        self.limits.max_states.is_some_and(|most| states >= most)
    }

    /// The bound that a search with so many unique states has reached, in the words of
    /// [`crate::results::result::Notes::cut`]. Every engine asks this, at the latest after each
    /// level and every few thousand states.
    #[must_use]
    pub fn bound(&self, states: u64) -> Option<String> {
        let Limits { max_states, max_memory, deadline } = self.limits;
        if self.progress.is_stopped() {
            return Some("interrupted".to_owned());
        }
        if let Some(most) = max_states.filter(|most| states > *most) {
            return Some(format!("--max-states {most} reached"));
        }
        if let Some(most) = max_memory.filter(|most| self.progress.allocated() > *most) {
            return Some(format!("--max-memory {most} reached"));
        }
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_over.then(|| "--timeout reached".to_owned())
    }
}

/// The reason why a search did not run.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Bad usage: an unknown `--set` key, an unknown world.
    Usage(String),
    /// Incompatible files: a replaced table uses a name that the core does not know.
    Faults(Vec<FaultReport>),
}

impl Refusal {
    /// That of files with these errors.
    pub(crate) fn of_files(faults: &Diagnostics) -> Self {
        Self::Faults(FaultReport::errors(faults))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => f.write_str(text),
            Self::Faults(faults) => {
                faults.iter().try_for_each(|fault| writeln!(f, "{}", fault.rendered))
            }
        }
    }
}

impl std::error::Error for Refusal {}
