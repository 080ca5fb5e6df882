//! The outcomes of an operation on a part of a World, and the operations that it triggers.

use turnstile_search::transition_system::{Fairness, Outcome, Place};

use crate::budget::{BudgetId, RemainingBudgets};
use crate::links::link::{LinkKind, LinkOp};
use crate::links::link_part::{Contents, LinkPart};
use crate::links::network::NodeId;
use crate::nodes::node::{CUTS_MAX, Event, NodePart, cuts};
use crate::nodes::node_step::NodeStep;
use crate::parts::{Op, Part, PartOutcome, PendingTimer, Tag, TimeConstraint, place};
use crate::world::World;

impl World {
    /// The place of a node.
    pub(crate) fn place_of_node(&self, node: NodeId) -> Place {
        place(node)
    }

    pub(crate) fn place_of_link(&self, link: usize) -> Place {
        place(self.nodes.len() + link)
    }

    pub(crate) fn place_of_monitor(&self) -> Place {
        place(self.nodes.len() + self.links.len())
    }

    pub(crate) fn place_of_budgets(&self) -> Place {
        place(self.nodes.len() + self.links.len() + 1)
    }

    /// Sorts the messages of an unordered link, after their ids or node names were replaced.
    pub(crate) fn sort(&self, at: Place, part: &mut LinkPart) {
        let link = &self.links[at.index() - self.nodes.len()];
        match (&mut part.contents, link.kind) {
            (Contents::Calls(slots), _) => slots.sort_unstable(),
            (Contents::Messages(messages), LinkKind::Messages(options)) if !options.is_ordered => {
                messages.sort_unstable();
            }
            (Contents::Messages(_), _) => {}
        }
    }

    pub(crate) fn spend(&self, budget: Option<BudgetId>) -> Option<(Place, Op)> {
        budget.map(|budget| (self.place_of_budgets(), Op::Spend(budget)))
    }

    /// The outcome of a node's step: it triggers operations on the monitor and on links.
    pub(crate) fn step_outcome(
        &self,
        (turn, discharges): (NodeStep, Vec<Fairness>),
        late: bool,
        mut triggers: Vec<(Place, Op)>,
    ) -> Vec<PartOutcome> {
        triggers.push((self.place_of_monitor(), Op::Observe(turn.stepped.observations)));
        let Some(rest) = self.operations(turn.ops, late) else { return Vec::new() };
        triggers.extend(rest);
        let tags = turn.stepped.rows.into_iter().map(Tag::Row).collect();
        vec![Outcome { part: Part::Node(turn.stepped.node), triggers, tags, discharges }]
    }

    /// The next operation on a link, or at the end the payment for a late reply. `None`: there is
    /// no budget for it.
    pub(crate) fn operations(
        &self,
        ops: Vec<(usize, LinkOp)>,
        late: bool,
    ) -> Option<Option<(Place, Op)>> {
        match ops.first() {
            Some(&(link, _)) => Some(Some((self.place_of_link(link), Op::Operate(ops, late)))),
            None if late => self.faults.late_answer().map(|budget| self.spend(Some(budget))),
            None => Some(None),
        }
    }

    pub(crate) fn apply_to_node(&self, node: NodeId, part: &NodePart, op: &Op) -> Vec<PartOutcome> {
        let stays = || vec![Outcome::plain(Part::Node(part.clone()))];
        let bound = |later: &PendingTimer| {
            self.is_bound((node, part), (later.node, &later.part), &later.event)
        };
        match op {
            Op::NodeEvent { event, budget, constraint } => {
                let mut triggers = self.time_constraints(node, part, event.step(), *constraint);
                triggers.extend(self.spend(*budget));
                self.steps(node, part, event, false, triggers)
            }
            Op::Deliver(event, _) if !part.has_choice(self.system.node(node), event) => Vec::new(),
            Op::Deliver(event, late) if part.is_up() => {
                self.steps(node, part, event, *late, Vec::new())
            }
            Op::AllowFire(later) if !bound(later) => stays(),
            Op::Overtakes(later) if bound(later) => stays(),
            Op::RequireUp(is_up) if part.is_up() == *is_up => stays(),
            Op::Deliver(..) | Op::AllowFire(_) | Op::Overtakes(_) | Op::RequireUp(_) => Vec::new(),
            Op::RequireQuiet
            | Op::RequireBusy
            | Op::LinkEvent { .. }
            | Op::Operate(..)
            | Op::Observe(_)
            | Op::Violate(_)
            | Op::Spend(_) => {
                unreachable!("not done to a node: {op:?}")
            }
        }
    }

    /// The outcomes of a node's step; none if it cannot be torn there. `late`, `triggers`: as of
    /// [`World::step_outcome`].
    fn steps(
        &self,
        node: NodeId,
        part: &NodePart,
        event: &Event,
        late: bool,
        mut triggers: Vec<(Place, Op)>,
    ) -> Vec<PartOutcome> {
        if let Event::Torn { step, done, end } = event {
            let effects = part.step((node, self.system.node(node)), step).effects;
            if cuts(&effects).all(|cut| cut != usize::from(*done)) {
                return Vec::new();
            }
            let costs = self.faults.torn(node, end).into_iter().flatten();
            triggers.extend(costs.filter_map(|budget| self.spend(Some(budget))));
        }
        let turn = self.step(node, part, event);
        let is_long = self.faults.may_tear(node)
            && cuts(&turn.stepped.effects).any(|cut| cut > usize::from(CUTS_MAX));
        let discharges = self.discharged(node, part, &turn.stepped);
        let mut done = self.step_outcome((turn, discharges), late, triggers);
        if is_long {
            done.iter_mut().for_each(|done| done.tags.push(Tag::CutsExceeded { node }));
        }
        done
    }

    /// The operations that check the time relations of an event.
    pub(crate) fn time_constraints(
        &self,
        node: NodeId,
        part: &NodePart,
        event: &Event,
        constraint: TimeConstraint,
    ) -> Vec<(Place, Op)> {
        let later = || Box::new(PendingTimer { node, part: part.clone(), event: event.clone() });
        let nodes = |others: u64| {
            let others = (0..self.nodes.len()).filter(move |other| others >> other & 1 == 1);
            others.map(|other| (self.place_of_node(other), Op::AllowFire(later())))
        };
        match constraint {
            TimeConstraint::Free => Vec::new(),
            TimeConstraint::After(others) => nodes(others).collect(),
            TimeConstraint::Before(other) => {
                // Of its own timers it has been asked before it took the step.
                let passed =
                    (other != node).then(|| (self.place_of_node(other), Op::Overtakes(later())));
                passed.into_iter().chain(self.spend(self.faults.drift)).collect()
            }
            TimeConstraint::AfterMessages(others) => {
                let links = 0..self.links.len();
                let quiet = links.map(|link| (self.place_of_link(link), Op::RequireQuiet));
                nodes(others).chain(quiet).collect()
            }
            TimeConstraint::BeforeMessages(link) => {
                let busy = (self.place_of_link(link), Op::RequireBusy);
                [busy].into_iter().chain(self.spend(self.faults.drift)).collect()
            }
        }
    }

    pub(crate) fn apply_to_link(&self, link: usize, part: &LinkPart, op: &Op) -> Vec<PartOutcome> {
        let operate = |op| part.operate(&*self.system, &self.links[link], op);
        let ends = (self.links[link].from, self.links[link].to);
        let awaits = || part.receivers(&*self.system, ends).into_iter();
        let is_up = |node, is_up| (self.place_of_node(node), Op::RequireUp(is_up));
        let (next, triggers) = match op {
            Op::RequireQuiet => (part.clone(), awaits().map(|node| is_up(node, false)).collect()),
            Op::RequireBusy => {
                // One outcome for the first receiver that is up.
                let first = |nth| awaits().take(nth).map(|node| is_up(node, false));
                let up = awaits()
                    .enumerate()
                    .map(|(nth, node)| first(nth).chain([is_up(node, true)]).collect::<Vec<_>>());
                let same = Outcome::plain(Part::Link(part.clone()));
                return up.map(|triggers| Outcome { triggers, ..same.clone() }).collect();
            }
            Op::LinkEvent { op, delivers, budget } => {
                let (next, late) = operate(op);
                let mut triggers: Vec<_> = self.spend(*budget).into_iter().collect();
                match delivers {
                    Some((node, event)) => {
                        triggers
                            .push((self.place_of_node(*node), Op::Deliver(event.clone(), late)));
                    }
                    None => {
                        triggers.push((self.place_of_monitor(), Op::Observe(Vec::new())));
                        let Some(rest) = self.operations(Vec::new(), late) else { return vec![] };
                        triggers.extend(rest);
                    }
                }
                (next, triggers)
            }
            Op::Operate(ops, _) if self.blocks(link, part, &ops[0].1) => return Vec::new(),
            Op::Operate(ops, late) => {
                let (next, made_late) = operate(&ops[0].1);
                let Some(rest) = self.operations(ops[1..].to_vec(), *late || made_late) else {
                    return Vec::new();
                };
                let unasked = part.unasked(&*self.system, &ops[0].1).map(|answer| {
                    (self.place_of_monitor(), Op::Violate(self.no_request(link, answer)))
                });
                (next, unasked.into_iter().chain(rest).collect())
            }
            Op::NodeEvent { .. }
            | Op::Deliver(..)
            | Op::AllowFire(_)
            | Op::Overtakes(_)
            | Op::RequireUp(_)
            | Op::Observe(_)
            | Op::Violate(_)
            | Op::Spend(_) => unreachable!("not done to a link: {op:?}"),
        };
        let overflows = next.overflowed && !part.overflowed;
        let tags = overflows.then_some(Tag::Overflowed { link }).into_iter().collect();
        vec![Outcome { triggers, tags, ..Outcome::plain(Part::Link(next)) }]
    }

    /// Whether an operation has to wait for room on a link.
    fn blocks(&self, link: usize, part: &LinkPart, op: &LinkOp) -> bool {
        let LinkOp::Push(message) = op else { return false };
        part.blocks(&*self.system, &self.links[link], message)
    }

    pub(crate) fn apply_to_budgets(&self, left: RemainingBudgets, op: &Op) -> Vec<PartOutcome> {
        let Op::Spend(budget) = op else { unreachable!("not done to budgets: {op:?}") };
        let name = &self.budgets[usize::from(budget.0)].name;
        let done = left.spend(*budget).map(|left| Outcome {
            tags: vec![Tag::Spent(name.clone())],
            ..Outcome::plain(Part::Budgets(left))
        });
        done.into_iter().collect()
    }
}
