//! What an operation does to a part of a World, and what it asks of others.

use turnstile_search::parts::{Done, Fairness, Place};

use crate::World;
use crate::budget::{BudgetId, Left};
use crate::link::{LinkKind, LinkOp};
use crate::link_part::{Contents, LinkPart};
use crate::node::{CUTS_MAX, Event, NodePart, cuts};
use crate::parts::{DoneOf, Later, Mark, Op, Part, TimeConstraint, place};
use crate::turn::Turn;
use crate::wiring::NodeId;

impl World {
    /// The place of a node.
    pub(crate) fn place_of_node(&self, node: NodeId) -> Place {
        place(node)
    }

    pub(super) fn place_of_link(&self, link: usize) -> Place {
        place(self.nodes.len() + link)
    }

    pub(super) fn place_of_monitor(&self) -> Place {
        place(self.nodes.len() + self.links.len())
    }

    pub(super) fn place_of_left(&self) -> Place {
        place(self.nodes.len() + self.links.len() + 1)
    }

    /// Puts what is in flight in order again after its numbers or its names were replaced, where
    /// the link itself keeps no order.
    pub(super) fn sort(&self, at: Place, part: &mut LinkPart) {
        let link = &self.links[at.index() - self.nodes.len()];
        match (&mut part.contents, link.kind) {
            (Contents::Calls(slots), _) => slots.sort_unstable(),
            (Contents::Messages(messages), LinkKind::Messages(mail)) if !mail.is_ordered => {
                messages.sort_unstable();
            }
            (Contents::Messages(_), _) => {}
        }
    }

    pub(super) fn spend(&self, budget: Option<BudgetId>) -> Option<(Place, Op)> {
        budget.map(|budget| (self.place_of_left(), Op::Spend(budget)))
    }

    /// What a node's step asks of the monitor and of links.
    pub(super) fn turned(
        &self,
        (turn, relieves): (Turn, Vec<Fairness>),
        late: bool,
        mut then: Vec<(Place, Op)>,
    ) -> Vec<DoneOf> {
        then.push((self.place_of_monitor(), Op::Observe(turn.stepped.seen)));
        let Some(rest) = self.operations(turn.ops, late) else { return Vec::new() };
        then.extend(rest);
        let marks = turn.stepped.taken.into_iter().map(Mark::Taken).collect();
        vec![Done { part: Part::Node(turn.stepped.node), then, marks, relieves }]
    }

    /// What is still to be done to links; at the end a late answer is paid for. `None`: it cannot.
    pub(super) fn operations(
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

    pub(super) fn apply_to_node(&self, node: NodeId, part: &NodePart, op: &Op) -> Vec<DoneOf> {
        let stays = || vec![Done::plain(Part::Node(part.clone()))];
        let bound =
            |later: &Later| self.is_bound((node, part), (later.node, &later.part), &later.event);
        match op {
            Op::Happens { event, budget, wait } => {
                let mut then = self.waits(node, part, event.step(), *wait);
                then.extend(self.spend(*budget));
                self.steps(node, part, event, false, then)
            }
            Op::Comes(event, late) if part.is_up() => {
                self.steps(node, part, event, *late, Vec::new())
            }
            Op::AllowFire(later) if !bound(later) => stays(),
            Op::Overtakes(later) if bound(later) => stays(),
            Op::IsUp(is_up) if part.is_up() == *is_up => stays(),
            Op::Comes(..) | Op::AllowFire(_) | Op::Overtakes(_) | Op::IsUp(_) => Vec::new(),
            Op::IsQuiet
            | Op::IsBusy
            | Op::Moves { .. }
            | Op::Operate(..)
            | Op::Observe(_)
            | Op::Spend(_) => {
                unreachable!("not done to a node: {op:?}")
            }
        }
    }

    /// What a node's step does; nothing where it cannot be torn there. `late`, `then`: as of
    /// [`World::turned`].
    fn steps(
        &self,
        node: NodeId,
        part: &NodePart,
        event: &Event,
        late: bool,
        mut then: Vec<(Place, Op)>,
    ) -> Vec<DoneOf> {
        if let Event::Torn { step, done, .. } = event {
            let effects = part.step((node, self.system.node(node)), step).effects;
            if cuts(&effects).all(|cut| cut != usize::from(*done)) {
                return Vec::new();
            }
            let costs = self.faults.torn(node).into_iter().flatten();
            then.extend(costs.filter_map(|budget| self.spend(Some(budget))));
        }
        let turn = self.step(node, part, event);
        let is_long = self.faults.torn(node).is_some()
            && cuts(&turn.stepped.effects).any(|cut| cut > usize::from(CUTS_MAX));
        let relieves = self.relieved(node, part, &turn.stepped);
        let mut done = self.turned((turn, relieves), late, then);
        if is_long {
            done.iter_mut().for_each(|done| done.marks.push(Mark::Long { node }));
        }
        done
    }

    /// What other nodes and the budgets are asked before a timer fires.
    pub(super) fn waits(
        &self,
        node: NodeId,
        part: &NodePart,
        event: &Event,
        wait: TimeConstraint,
    ) -> Vec<(Place, Op)> {
        let later = || Box::new(Later { node, part: part.clone(), event: event.clone() });
        let nodes = |others: u64| {
            let others = (0..self.nodes.len()).filter(move |other| others >> other & 1 == 1);
            others.map(|other| (self.place_of_node(other), Op::AllowFire(later())))
        };
        match wait {
            TimeConstraint::Free => Vec::new(),
            TimeConstraint::For(others) => nodes(others).collect(),
            TimeConstraint::Passes(other) => {
                let passed = (self.place_of_node(other), Op::Overtakes(later()));
                [passed].into_iter().chain(self.spend(self.faults.drift)).collect()
            }
            TimeConstraint::ForMessages(others) => {
                let links = 0..self.links.len();
                let quiet = links.map(|link| (self.place_of_link(link), Op::IsQuiet));
                nodes(others).chain(quiet).collect()
            }
            TimeConstraint::BeforeMessages(link) => {
                let busy = (self.place_of_link(link), Op::IsBusy);
                [busy].into_iter().chain(self.spend(self.faults.drift)).collect()
            }
        }
    }

    pub(super) fn apply_to_link(&self, link: usize, part: &LinkPart, op: &Op) -> Vec<DoneOf> {
        let operate = |op| part.operate(&*self.system, &self.links[link], op);
        let receiver = |is_up| (self.place_of_node(self.links[link].to), Op::IsUp(is_up));
        let is_idle = part.is_idle(&*self.system);
        let (next, then) = match op {
            Op::IsQuiet if is_idle => (part.clone(), Vec::new()),
            Op::IsQuiet => (part.clone(), vec![receiver(false)]),
            Op::IsBusy if is_idle => return Vec::new(),
            Op::IsBusy => (part.clone(), vec![receiver(true)]),
            Op::Moves { op, delivers, budget } => {
                let (next, late) = operate(op);
                let mut then: Vec<_> = self.spend(*budget).into_iter().collect();
                match delivers {
                    Some((node, event)) => {
                        then.push((self.place_of_node(*node), Op::Comes(event.clone(), late)));
                    }
                    None => {
                        then.push((self.place_of_monitor(), Op::Observe(Vec::new())));
                        let Some(rest) = self.operations(Vec::new(), late) else { return vec![] };
                        then.extend(rest);
                    }
                }
                (next, then)
            }
            Op::Operate(ops, late) => {
                let (next, made_late) = operate(&ops[0].1);
                let Some(rest) = self.operations(ops[1..].to_vec(), *late || made_late) else {
                    return Vec::new();
                };
                (next, rest.into_iter().collect())
            }
            Op::Happens { .. }
            | Op::Comes(..)
            | Op::AllowFire(_)
            | Op::Overtakes(_)
            | Op::IsUp(_)
            | Op::Observe(_)
            | Op::Spend(_) => unreachable!("not done to a link: {op:?}"),
        };
        let overflows = next.overflowed && !part.overflowed;
        let marks = overflows.then_some(Mark::Overflowed { link }).into_iter().collect();
        vec![Done { then, marks, ..Done::plain(Part::Link(next)) }]
    }

    pub(super) fn apply_to_left(&self, left: Left, op: &Op) -> Vec<DoneOf> {
        let Op::Spend(budget) = op else { unreachable!("not done to budgets: {op:?}") };
        let name = &self.budgets[usize::from(budget.0)].name;
        let done = left.spend(*budget).map(|left| Done {
            marks: vec![Mark::Spent(name.clone())],
            ..Done::plain(Part::Left(left))
        });
        done.into_iter().collect()
    }
}
