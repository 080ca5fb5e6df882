//! What a recording and a variant need of an expander beside the search.

use super::Expander;
use crate::interned::decision_tree::GrowthNotes;
use crate::interned::predicates::PredicateCache;

impl Expander<'_> {
    /// The growth of its tree, noted from the first call on.
    pub(crate) fn growth(&mut self) -> &mut GrowthNotes {
        self.tree.notes()
    }

    /// The tags of all operations that were part of an action so far.
    pub(crate) fn tags(&self) -> impl Iterator<Item = u32> {
        self.tree.tags()
    }

    /// Whether an operation with a tag was part of an action so far.
    pub(crate) fn has_tag(&self, tag: u32) -> bool {
        self.tree.has_tag(tag)
    }

    /// Evaluates other propositions than the space's.
    pub(crate) fn evaluate_by(&mut self, predicates: &mut PredicateCache, vector: &[u32]) -> u64 {
        predicates.evaluate(&mut self.cache, &mut *self.evaluator, vector)
    }
}
