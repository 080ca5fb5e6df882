//! What may happen in a whole state, and what the state is then: the semantics of a World, once,
//! for every form of its parts.
//!
//! Order is fixed: nodes by number, each with its timers, commands and faults, then links by
//! number. Two searches of one world meet the same candidates in the same order.

use crate::world::World;
use crate::world::budget::BudgetId;
use crate::world::parts::{LinkOffer, NodeOffer, Parts, Row};
use crate::world::system::{NodeId, System};

/// Something that may happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<E, O> {
    /// First, to a link.
    pub link: Option<(usize, O)>,
    /// Then, to a node.
    pub node: Option<(NodeId, E)>,
    /// The budget it takes from.
    pub budget: Option<BudgetId>,
    /// The budget for a clock that runs wild, where a time relation forbids it otherwise.
    pub drift: Option<BudgetId>,
}

/// The candidate type of a form.
pub type CandidateOf<P, S> = Candidate<<P as Parts<S>>::Event, <P as Parts<S>>::Op>;

/// Room for offers that is used again for every state.
pub struct Scratch<P: Parts<S>, S: System> {
    nodes: Vec<NodeOffer<P::Event>>,
    links: Vec<LinkOffer<P::Op, P::Event>>,
}

impl<P: Parts<S>, S: System> Default for Scratch<P, S> {
    fn default() -> Self {
        Self { nodes: Vec::new(), links: Vec::new() }
    }
}

impl<S: System> World<S> {
    /// Adds everything that may happen in a state, budgets allowing.
    pub fn candidates<P: Parts<S>>(
        &self,
        parts: &mut P,
        row: &P::Row,
        scratch: &mut Scratch<P, S>,
        candidates: &mut Vec<CandidateOf<P, S>>,
    ) {
        let is_left =
            |budget: Option<BudgetId>| budget.is_none_or(|budget| row.left().of(budget) != Some(0));
        for node in 0..self.nodes.len() {
            scratch.nodes.clear();
            parts.node_offers(self, node, row.node(node), &mut scratch.nodes);
            for offer in scratch.nodes.drain(..).filter(|offer| is_left(offer.budget)) {
                let must_wait = offer.is_timer && self.must_wait(parts, row, node, &offer.event);
                let drift = if must_wait { self.faults.drift } else { None };
                if must_wait && (drift.is_none() || !is_left(drift)) {
                    continue;
                }
                let node = Some((node, offer.event));
                candidates.push(Candidate { link: None, node, budget: offer.budget, drift });
            }
        }
        for link in 0..self.links.len() {
            scratch.links.clear();
            parts.link_offers(self, link, row.link(link), &mut scratch.links);
            for offer in scratch.links.drain(..).filter(|offer| is_left(offer.budget)) {
                if let Some((node, _)) = &offer.delivers
                    && !parts.is_up(row.node(*node))
                {
                    continue;
                }
                let (link, budget) = (Some((link, offer.op)), offer.budget);
                candidates.push(Candidate { link, node: offer.delivers, budget, drift: None });
            }
        }
    }

    /// Whether a time relation says that this timer does not fire yet.
    fn must_wait<P: Parts<S>>(
        &self,
        parts: &mut P,
        row: &P::Row,
        node: NodeId,
        event: &P::Event,
    ) -> bool {
        !self.relations.is_empty()
            && (0..self.nodes.len()).any(|other| {
                other != node
                    && parts.is_bound(self, (other, row.node(other)), (node, row.node(node)), event)
            })
    }

    /// The state after a candidate has happened; `None` where a budget does not allow it after
    /// all.
    pub fn apply<P: Parts<S>>(
        &self,
        parts: &mut P,
        row: &P::Row,
        candidate: &CandidateOf<P, S>,
    ) -> Option<P::Row> {
        let mut left = row.left();
        for budget in [candidate.budget, candidate.drift].into_iter().flatten() {
            left = left.spend(budget)?;
        }
        let mut next = row.clone();
        let mut late = false;
        if let Some((link, op)) = &candidate.link {
            let (part, made_late) = parts.operate(self, *link, next.link(*link), op);
            late |= made_late;
            next.put_link(*link, part);
        }
        let turn = candidate.node.as_ref().map(|(node, event)| {
            let turn = parts.step(self, *node, next.node(*node), event);
            next.put_node(*node, parts.turned(&turn));
            turn
        });
        if let Some(turn) = &turn {
            let mut number = 0;
            while let Some((link, op)) = parts.op(turn, number) {
                let (part, made_late) = parts.operate(self, link, next.link(link), &op);
                late |= made_late;
                next.put_link(link, part);
                number += 1;
            }
        }
        if late {
            left = left.spend(self.faults.late_answer()?)?;
        }
        next.put_left(left);
        let watch = parts.observe(self, next.watch(), turn.as_ref());
        next.put_watch(watch);
        parts.renumber(self, &mut next);
        Some(next)
    }
}
