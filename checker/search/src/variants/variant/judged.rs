//! What is asked of the judgement of a variant, and what it says.

use std::collections::BTreeSet;

use crate::bounds::Progress;
use crate::interned::store::Store;
use crate::transition_system::TransitionSystem;
use crate::variants::recording::Recording;

/// The limits of the judgement of a variant.
#[derive(Clone, Copy)]
pub struct VariantLimits<'a> {
    /// The most states that are not among the recorded ones.
    pub new_states: usize,
    /// The observer, which may stop it.
    pub progress: &'a dyn Progress,
}

/// What the tags of operations mean for the judgement of a variant.
#[derive(Clone, Copy)]
pub struct Tags<'a, T> {
    /// Whether an operation with a tag makes a search incomplete.
    pub is_incomplete: &'a dyn Fn(&T) -> bool,
    /// Whether the judgement is to say if an operation with a tag is part of an action.
    pub is_wanted: &'a dyn Fn(&T) -> bool,
}

/// The judgement of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantOutcome<T: Ord> {
    /// A property fails, or is vacuous.
    Fails,
    /// Every property holds, perhaps under fairness.
    Holds {
        /// Tags that operations of its actions have: all that are wanted, perhaps more.
        tags: BTreeSet<T>,
    },
    /// A limit was reached, or a tag says that the search is incomplete.
    Open,
}

/// A variant's judgement, with the operations that it needed.
#[derive(Debug)]
pub struct Judged<W: TransitionSystem + ?Sized> {
    /// The judgement.
    pub outcome: VariantOutcome<W::Tag>,
    store: Store<W>,
}

impl<W: TransitionSystem + ?Sized> Judged<W> {
    pub(super) fn new(outcome: VariantOutcome<W::Tag>, store: Store<W>) -> Self {
        Self { outcome, store }
    }

    /// Whether the judgement is that of another variant, too, that has equal changes and the same
    /// predicates: the operations that the recording does not have are the same.
    #[must_use]
    pub fn is_of(&self, recording: &Recording<W>, variant: &W) -> bool {
        self.store.adds_the_same(&recording.store, variant)
    }
}
