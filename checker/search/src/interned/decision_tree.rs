//! A decision tree of memoised transitions, one tree for each enabled operation: an inner node
//! tests the part at one place, a leaf is the [`Delta`] of the action.
//!
//! An action whose cascade reads the same parts as before costs one look-up for each part it reads,
//! whatever it does to them; a place that had one part so far is not looked up. A missing branch is
//! computed operation by operation, in the order of [`crate::transition_system::cascade`], which
//! defines the semantics. The tree is a cache of one thread: it is pruned to nothing when it
//! exceeds [`NODES_MAX`], and forgotten when a place that it leaves out has a second part.

use std::collections::{BTreeSet, VecDeque};

use crate::interned::decisions::Decisions;
use crate::interned::node_ref::{NodeKind, NodeRef};
use crate::interned::thread_cache::ThreadCache;
use crate::storage::state_vector::PartUpdate;
use crate::transition_system::CASCADE_MAX;

/// Decision nodes and deltas above which the tree is pruned.
const NODES_MAX: usize = 1 << 19;

/// What an action changes in a state vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delta {
    /// What is added to the state's hash sum: the terms of the new parts less those of the old.
    pub(super) hash_term: u64,
    /// Its first update in [`DecisionTree::updates`].
    begin: u32,
    count: u16,
    /// The fairness label of the transition.
    pub(super) label: u16,
}

/// The tree of one thread.
#[derive(Debug, Default)]
pub(super) struct DecisionTree {
    decisions: Decisions,
    deltas: Vec<Delta>,
    /// Of each delta: whether it discharges a condition beside its own action's.
    does_discharge: Vec<bool>,
    updates: Vec<PartUpdate>,
    /// Of each choice node: the range of its children in `alternatives`.
    choices: Vec<(u32, u32)>,
    alternatives: Vec<NodeRef>,
    /// By tag: whether an operation with it was part of an action.
    tags: Vec<bool>,
    /// The room of the path that was grown last.
    scratch: Prefix,
    /// Whether a reduction may replace any successor.
    is_reduced: bool,
    /// What is noted while the tree grows, if anybody asks.
    notes: Option<GrowthNotes>,
}

/// What a recording needs to know of the growth of a tree.
#[derive(Debug, Default)]
pub(crate) struct GrowthNotes {
    /// The tags of the leaves grown since they were taken last.
    pub(crate) tags: Vec<u32>,
    /// The operations applied to a part that the same action had changed before: place, part and
    /// operation.
    pub(crate) reapplied: BTreeSet<(u16, u32, u32)>,
}

/// The path to a node: the operations of a cascade applied so far.
#[derive(Clone, Debug, Default)]
struct Prefix {
    /// The parts read: place, value before the action, value now.
    read: Vec<(u16, u32, u32)>,
    /// Operations still to be applied: place and operation.
    queue: VecDeque<(u16, u32)>,
    /// Outcomes of the operations applied, as indices into [`ThreadCache::outcomes`].
    applied: Vec<u32>,
    fairness: u16,
}

impl Prefix {
    fn clear(&mut self) {
        self.read.clear();
        self.queue.clear();
        self.applied.clear();
    }

    fn part(&self, at: u16) -> Option<u32> {
        self.read.iter().find(|(place, ..)| *place == at).map(|&(.., now)| now)
    }

    fn has_changed(&self, at: u16) -> bool {
        self.read.iter().any(|(place, was, now)| *place == at && was != now)
    }

    /// Applies one outcome.
    fn apply(&mut self, cache: &ThreadCache<'_>, at: u16, index: u32) {
        let outcome = cache.outcomes[index as usize];
        for (place, _, now) in &mut self.read {
            if *place == at {
                *now = outcome.to;
            }
        }
        let end = outcome.triggered_first + u32::from(outcome.triggered_count);
        self.queue.extend(&cache.triggered[outcome.triggered_first as usize..end as usize]);
        self.applied.push(index);
        assert!(self.applied.len() <= CASCADE_MAX, "an endless action");
    }
}

impl DecisionTree {
    /// An empty tree. `is_reduced`: a reduction may replace any successor.
    pub(super) fn new(is_reduced: bool) -> Self {
        Self { is_reduced, ..Self::default() }
    }

    /// The child of a decision node for the part in this vector.
    #[inline(always)]
    pub(super) fn descend(&mut self, decision: u32, vector: &[u32]) -> NodeRef {
        self.decisions.child(decision, vector)
    }

    /// The range of the alternatives of a choice node.
    pub(super) fn alternatives(&self, index: u32) -> (u32, u32) {
        self.choices[index as usize]
    }

    /// The child of a choice node for one alternative.
    pub(super) fn alternative(&self, index: u32) -> NodeRef {
        self.alternatives[index as usize]
    }

    /// A delta.
    #[inline(always)]
    pub(super) fn delta(&self, delta: u32) -> Delta {
        self.deltas[delta as usize]
    }

    /// Whether a delta discharges a condition beside its own action's.
    pub(super) fn does_discharge(&self, delta: u32) -> bool {
        self.does_discharge[delta as usize]
    }

    /// Applies a delta.
    #[inline]
    pub(super) fn apply(&self, delta: u32, vector: &mut [u32]) {
        let Delta { begin, count, .. } = self.deltas[delta as usize];
        let updates = &self.updates[begin as usize..begin as usize + usize::from(count)];
        updates.iter().for_each(|update| update.apply(vector));
    }

    /// Whether the tree is to be pruned.
    pub(super) fn is_large(&self) -> bool {
        self.decisions.len() + self.deltas.len() > NODES_MAX
    }

    /// Removes all nodes. Every reference given out is invalid from now on.
    pub(super) fn prune(&mut self) {
        let (tags, notes) = (std::mem::take(&mut self.tags), self.notes.take());
        *self = Self { tags, notes, ..Self::new(self.is_reduced) };
    }

    /// What is noted while the tree grows, from the first call on.
    pub(super) fn notes(&mut self) -> &mut GrowthNotes {
        self.notes.get_or_insert_default()
    }

    /// Adds the nodes missing for an action in this state, from the node where the action starts;
    /// returns that node.
    pub(super) fn grow(
        &mut self,
        cache: &mut ThreadCache<'_>,
        vector: &[u32],
        (at, op, fairness): (u16, u32, u16),
        node: NodeRef,
    ) -> NodeRef {
        let part = vector[usize::from(at)];
        let mut prefix = std::mem::take(&mut self.scratch);
        prefix.read.push((at, part, part));
        prefix.queue.push_back((at, op));
        prefix.fairness = fairness;
        let node = self.grow_prefix(cache, vector, &mut prefix, node);
        prefix.clear();
        self.scratch = prefix;
        node
    }

    fn grow_prefix(
        &mut self,
        cache: &mut ThreadCache<'_>,
        vector: &[u32],
        prefix: &mut Prefix,
        node: NodeRef,
    ) -> NodeRef {
        while let Some(&(at, op)) = prefix.queue.front() {
            let Some(part) = prefix.part(at) else {
                return self.grow_decision(cache, vector, prefix, node, at);
            };
            prefix.queue.pop_front();
            if let Some(notes) = self.notes.as_mut().filter(|_| prefix.has_changed(at)) {
                notes.reapplied.insert((at, part, op));
            }
            let outcomes = cache.outcomes(usize::from(at), part, op);
            match outcomes.count {
                0 => return NodeRef::NO_SUCCESSOR,
                1 => prefix.apply(cache, at, outcomes.first),
                count => {
                    let first = if let NodeKind::Choice(index) = node.kind() {
                        self.alternatives(index).0
                    } else {
                        self.reserve_alternatives(count)
                    };
                    for alternative in 0..count {
                        let mut branch = prefix.clone();
                        branch.apply(cache, at, outcomes.first + alternative);
                        let index = (first + alternative) as usize;
                        self.alternatives[index] =
                            self.grow_prefix(cache, vector, &mut branch, self.alternatives[index]);
                    }
                    let is_new = node.kind() == NodeKind::Unexplored;
                    if is_new {
                        self.choices.push((first, first + count));
                    }
                    return if is_new { NodeRef::choice(self.choices.len() - 1) } else { node };
                }
            }
        }
        if node == NodeRef::UNEXPLORED { self.grow_leaf(cache, prefix) } else { node }
    }

    fn reserve_alternatives(&mut self, count: u32) -> u32 {
        let first = self.alternatives.len();
        self.alternatives.resize(first + count as usize, NodeRef::UNEXPLORED);
        u32::try_from(first).expect("the tree is pruned before")
    }

    /// Adds a decision node, or a child of one, where the action reads a part for the first time.
    fn grow_decision(
        &mut self,
        cache: &mut ThreadCache<'_>,
        vector: &[u32],
        prefix: &mut Prefix,
        node: NodeRef,
        at: u16,
    ) -> NodeRef {
        let part = vector[usize::from(at)];
        prefix.read.push((at, part, part));
        if cache.is_constant(usize::from(at)) {
            return self.grow_prefix(cache, vector, prefix, node);
        }
        let (decision, before) = if let NodeKind::Decision(decision) = node.kind() {
            (decision, self.descend(decision, vector))
        } else {
            (self.decisions.add(at), NodeRef::UNEXPLORED)
        };
        let child = self.grow_prefix(cache, vector, prefix, before);
        if before == NodeRef::UNEXPLORED {
            self.decisions.insert(decision, part, child);
        }
        NodeRef::decision(decision as usize)
    }

    /// Adds the leaf for a cascade that has ended.
    fn grow_leaf(&mut self, cache: &mut ThreadCache<'_>, prefix: &Prefix) -> NodeRef {
        for tag in prefix.applied.iter().flat_map(|&index| cache.tags(index)) {
            let tag = *tag as usize;
            if tag >= self.tags.len() {
                self.tags.resize(tag + 1, false);
            }
            self.tags[tag] = true;
            if let Some(notes) = &mut self.notes {
                notes.tags.push(u32::try_from(tag).expect("tags are few"));
            }
        }
        let changed = prefix.read.iter().filter(|(_, was, now)| was != now);
        let (mut hash_term, mut is_reducible) = (0u64, self.is_reduced);
        let begin = self.updates.len();
        for &(at, was, now) in changed {
            let place = usize::from(at);
            self.updates.push(PartUpdate::new(place, now));
            hash_term = hash_term
                .wrapping_add(cache.hash_term(place, now))
                .wrapping_sub(cache.hash_term(place, was));
            // With the same ids in the same order, canonical ids stay canonical.
            is_reducible |= cache.ids(place, now) != cache.ids(place, was);
        }
        let count = self.updates.len() - begin;
        let (label, does_discharge) = cache.label(prefix.fairness, &prefix.applied);
        if count == 0 {
            return if does_discharge { NodeRef::self_loop(label) } else { NodeRef::NO_SUCCESSOR };
        }
        self.deltas.push(Delta {
            hash_term,
            begin: u32::try_from(begin).expect("the tree is pruned before"),
            count: u16::try_from(count).expect("at most PLACES_MAX"),
            label,
        });
        self.does_discharge.push(does_discharge);
        let delta = self.deltas.len() - 1;
        if is_reducible { NodeRef::reducible_delta(delta) } else { NodeRef::delta(delta) }
    }

    /// The tags of all operations that were part of an action.
    pub(super) fn tags(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.tags).filter(|(_, is_used)| **is_used).map(|(tag, _)| tag)
    }

    /// Whether an operation with a tag was part of an action.
    pub(super) fn has_tag(&self, tag: u32) -> bool {
        self.tags.get(tag as usize).is_some_and(|is_used| *is_used)
    }

    /// Bytes allocated, about.
    pub(super) fn bytes(&self) -> usize {
        self.decisions.bytes()
            + self.deltas.capacity() * (size_of::<Delta>() + 1)
            + self.updates.capacity() * size_of::<PartUpdate>()
            + self.alternatives.capacity() * size_of::<NodeRef>()
    }
}
