//! What a check finds: a verdict for each property, and the figures of the search.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::bounds::Reductions;
use crate::breadth_first::Truncation;
use crate::interned::Interned;
use crate::judgement::Judgement;
use crate::transition_system::TransitionSystem;

/// The outcome of a check.
#[derive(Debug)]
pub struct CheckOutcome<M> {
    /// Unique states.
    pub states: usize,
    /// Transitions, self-loops excluded.
    pub transitions: usize,
    /// The greatest distance of a state from an initial one, in steps.
    pub depth: usize,
    /// Why the search was truncated; `None`: it is exhaustive.
    pub truncation: Option<Truncation>,
    /// The peak of the bytes allocated, as the engine estimates it.
    pub peak_bytes: usize,
    /// Operations run; all others were memoised.
    pub runs: usize,
    /// The coverage.
    pub tags: BTreeSet<M>,
    /// The reductions made, each with the reason why it is sound.
    pub reductions: Vec<(&'static str, &'static str)>,
    /// What was requested and not done, with reasons: reductions, recording the graph.
    pub refused: Vec<String>,
    /// The reductions made, as flags.
    pub reduced: Reductions,
    /// By property, in order.
    pub judgements: Vec<Judgement>,
    /// The time of the search.
    pub explored: Duration,
    /// The time of the verdicts, liveness included.
    pub judging: Duration,
    /// An operation whose outcomes differed when it was run again: then no verdict is valid.
    pub impure: Option<String>,
}

impl CheckOutcome<u32> {
    /// The outcome with the tags of a system, which are indices so far.
    pub(super) fn of<W: TransitionSystem + ?Sized>(
        self,
        interned: &Interned<'_, W>,
    ) -> CheckOutcome<W::Tag> {
        CheckOutcome {
            tags: interned.tags(self.tags),
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            truncation: self.truncation,
            peak_bytes: self.peak_bytes,
            runs: self.runs,
            reductions: self.reductions,
            refused: self.refused,
            reduced: self.reduced,
            judgements: self.judgements,
            explored: self.explored,
            judging: self.judging,
            impure: self.impure,
        }
    }
}

impl<M: Ord> CheckOutcome<M> {
    /// Adds the outcome of another search of the same graph, for other properties.
    pub(super) fn add(&mut self, other: Self) {
        self.truncation = other.truncation;
        self.judgements.extend(other.judgements);
        self.tags.extend(other.tags);
        self.refused.extend(other.refused);
        self.impure = self.impure.take().or(other.impure);
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.runs += other.runs;
        self.explored += other.explored;
        self.judging += other.judging;
    }
}
