//! The verdict on a variant: the reachable states, and its properties on them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::affected::Affected;
use super::{End, Row, Variant};
use crate::liveness::{self, LabelledGraph};
use crate::property_batch::PropertyBatch;
use crate::storage::state_graph::StateGraph;
use crate::transition_system::PropertyKind;
use crate::variants::recording::number;

/// No number: the state is not reached.
const NOT_REACHED: u32 = u32::MAX;

/// The reachable states of a variant, with numbers of their own.
pub(super) struct Reached {
    /// By new number: the state.
    states: Vec<u32>,
    /// By state: its new number, or [`NOT_REACHED`].
    numbers: Vec<u32>,
}

impl Row {
    fn transitions(self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }

    fn self_loops(self) -> Range<usize> {
        self.self_loops_begin as usize..self.self_loops_end as usize
    }
}

impl Variant<'_, '_> {
    /// The reachable states. Those whose transitions are needed and not known are expanded.
    pub(super) fn reach(&mut self) -> Result<Reached, End> {
        if !self.has_lost {
            let states: Vec<u32> = (0..self.len()).collect();
            return Ok(Reached { numbers: states.clone(), states });
        }
        let recorded = self.recording.states();
        let mut states: Vec<u32> = (0..number(self.recording.recorded.initial)).collect();
        let mut numbers = states.clone();
        numbers.resize(self.len() as usize, NOT_REACHED);
        let mut next = 0;
        while let Some(&state) = states.get(next) {
            next += 1;
            let index = state as usize;
            if index < recorded && self.other_holding.is_some() && self.is_violated(index) {
                return Err(End::Fails);
            }
            let recording = self.recording;
            let to = if index < recorded && !self.is_changed(index) {
                recording.recorded.graph.transitions().successors(state)
            } else {
                if !self.rows.contains_key(&state) {
                    self.expand(state)?;
                    numbers.resize(self.len() as usize, NOT_REACHED);
                }
                &self.to[self.rows[&state].transitions()]
            };
            for &to in to {
                if numbers[to as usize] == NOT_REACHED {
                    numbers[to as usize] = number(states.len());
                    states.push(to);
                }
            }
        }
        Ok(Reached { states, numbers })
    }

    /// Expands reachable states until every wanted tag of the recording is known, or no reachable
    /// state has an operation with it.
    pub(super) fn find_tags(
        &mut self,
        reached: &Reached,
        is_wanted: &dyn Fn(u32) -> bool,
    ) -> Result<(), End> {
        let recording = self.recording;
        let known = self.tags(reached);
        for tag in recording.tags().filter(|tag| !known.contains(tag)) {
            if !is_wanted(tag) || self.expander.has_tag(tag) {
                continue;
            }
            let operations = self.tables.operations_with(tag);
            // Such an operation is on a part that is not one of the state.
            let is_anywhere = operations.iter().any(|id| recording.recorded.reapplied.contains(id));
            let having = Affected::by(recording, self.tables, &operations);
            for &state in &reached.states {
                let index = state as usize;
                let may_have = index < recording.states()
                    && (is_anywhere || having.includes(recording.vector(index)))
                    && !self.rows.contains_key(&state);
                if may_have {
                    self.expand(state)?;
                    if self.expander.has_tag(tag) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The tags of actions of reachable states, as far as they are known for sure.
    pub(super) fn tags(&self, reached: &Reached) -> BTreeSet<u32> {
        let is_as_recorded = |&state: &u32| {
            reached.numbers[state as usize] != NOT_REACHED && !self.is_changed(state as usize)
        };
        let witnesses = (0..).zip(&self.recording.recorded.witnesses);
        let recorded = witnesses.filter(|(_, states)| states.iter().any(is_as_recorded));
        recorded.map(|(tag, _)| tag).chain(self.expander.tags()).collect()
    }

    /// Whether every property holds.
    pub(super) fn does_hold(&self, reached: &Reached) -> bool {
        let batches = &self.recording.batches;
        let mut met = vec![0; batches.len()];
        for &state in &reached.states {
            let holding = self.holding(state as usize);
            met.iter_mut().zip(holding).for_each(|(met, holding)| *met |= holding);
        }
        let has_witnesses = |(batch, met): (&PropertyBatch, &u64)| {
            let is_met = |bit: Option<usize>| bit.is_none_or(|bit| met >> bit & 1 == 1);
            batch.antecedents.iter().all(|bit| is_met(*bit))
                && batch.properties.iter().zip(&batch.deciding_bits).all(|(property, bit)| {
                    !matches!(property.kind, PropertyKind::Sometimes(_)) || is_met(*bit)
                })
        };
        batches.iter().zip(&met).all(has_witnesses)
            && (0..batches.len()).all(|batch| self.are_goals_met(batch, reached))
    }

    /// Whether the properties of paths of a batch hold.
    fn are_goals_met(&self, batch: usize, reached: &Reached) -> bool {
        let PropertyBatch { properties, goals, .. } = &self.recording.batches[batch];
        if goals.iter().all(Option::is_none) {
            return true;
        }
        let graph = self.graph(batch, reached);
        let labels = self.space.labels();
        let graph = LabelledGraph::without_paths(graph, self.recording.recorded.initial, labels);
        properties.iter().zip(goals).all(|(property, goal)| match (property.kind, *goal) {
            (_, None) => true,
            (PropertyKind::CanReach(..), Some((Some(from), goal))) => {
                liveness::does_reach(&graph, from, goal)
            }
            (_, Some((from, goal))) => liveness::does_lead(&graph, from, goal),
        })
    }

    /// The graph of the reachable states, with the propositions of a batch.
    fn graph(&self, batch: usize, reached: &Reached) -> StateGraph {
        let recorded = self.recording.states();
        let mut graph = StateGraph::default();
        for &state in &reached.states {
            let holding = self.holding(state as usize)[batch];
            let renumbered = |(to, label): (u32, u16)| (reached.numbers[to as usize], label);
            let index = state as usize;
            if index < recorded && !self.is_changed(index) {
                let of = &self.recording.recorded.graph;
                let transitions = of.transitions().out(state).map(renumbered);
                graph.add_numbered_state(holding, transitions, of.self_loops(state));
            } else {
                let row = self.rows[&state];
                let to = self.to[row.transitions()].iter().copied();
                let labels = self.labels[row.transitions()].iter().copied();
                let self_loops = &self.self_loops[row.self_loops()];
                graph.add_numbered_state(holding, to.zip(labels).map(renumbered), self_loops);
            }
        }
        graph
    }
}
