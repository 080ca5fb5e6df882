//! The outcomes of an operation on a part of a World, and the operations that it triggers.

use turnstile_search::transition_system::{Fairness, Outcome, Place};

use crate::actions::discharge::discharged;
use crate::actions::time_relations::{constraints, is_bound};
use crate::budget::RemainingBudgets;
use crate::links::link::LinkOp;
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::nodes::node::{CUTS_MAX, Event, NodePart, cuts};
use crate::nodes::node_step::{self, NodeStep};
use crate::parts::{Op, Part, PartOutcome, PendingTimer, Tag};
use crate::world::World;

/// The outcome of a node's step: it triggers operations on the monitor and on links.
fn step_outcome(
    world: &World,
    (turn, discharges): (NodeStep, Vec<Fairness>),
    late: bool,
    mut triggers: Vec<(Place, Op)>,
) -> Vec<PartOutcome> {
    triggers.push((world.place_of_monitor(), Op::Observe(turn.stepped.observations)));
    let Some(rest) = operations(world, turn.ops, late) else { return Vec::new() };
    triggers.extend(rest);
    let tags = turn.stepped.rows.into_iter().map(Tag::Row).collect();
    vec![Outcome { part: Part::Node(turn.stepped.node), triggers, tags, discharges }]
}

/// The next operation on a link, or at the end the payment for a late reply. `None`: there is
/// no budget for it.
fn operations(world: &World, ops: Vec<(usize, LinkOp)>, late: bool) -> Option<Option<(Place, Op)>> {
    match ops.first() {
        Some(&(link, _)) => Some(Some((world.place_of_link(link), Op::Operate(ops, late)))),
        None if late => world.faults.late_answer().map(|budget| world.spend(Some(budget))),
        None => Some(None),
    }
}

pub(crate) fn on_node(world: &World, node: NodeId, part: &NodePart, op: &Op) -> Vec<PartOutcome> {
    let stays = || vec![Outcome::plain(Part::Node(part.clone()))];
    let bound = |later: &PendingTimer| {
        is_bound(world, (node, part), (later.node, &later.part), &later.event)
    };
    match op {
        Op::NodeEvent { event, budget, constraint } => {
            let mut triggers = constraints(world, node, part, event.step(), *constraint);
            triggers.extend(world.spend(*budget));
            steps(world, node, part, event, false, triggers)
        }
        Op::Deliver(event, _) if !part.has_choice(world.system.node(node), event) => Vec::new(),
        Op::Deliver(event, late) if part.is_up() => {
            steps(world, node, part, event, *late, Vec::new())
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
/// [`step_outcome`].
fn steps(
    world: &World,
    node: NodeId,
    part: &NodePart,
    event: &Event,
    late: bool,
    mut triggers: Vec<(Place, Op)>,
) -> Vec<PartOutcome> {
    if let Event::Torn { step, done, end } = event {
        let effects = part.step(node, world.system.node(node), step).effects;
        if cuts(&effects).all(|cut| cut != usize::from(*done)) {
            return Vec::new();
        }
        let costs = world.faults.torn(node, end).into_iter().flatten();
        triggers.extend(costs.filter_map(|budget| world.spend(Some(budget))));
    }
    let turn = node_step::step(world, node, part, event);
    let is_long = world.faults.may_tear(node)
        && cuts(&turn.stepped.effects).any(|cut| cut > usize::from(CUTS_MAX));
    let discharges = discharged(world, node, part, &turn.stepped);
    let mut done = step_outcome(world, (turn, discharges), late, triggers);
    if is_long {
        done.iter_mut().for_each(|done| done.tags.push(Tag::CutsExceeded { node }));
    }
    done
}

pub(crate) fn on_link(world: &World, link: usize, part: &LinkPart, op: &Op) -> Vec<PartOutcome> {
    let operate = |op| part.operate(&*world.system, &world.links[link], op);
    let ends = (world.links[link].from, world.links[link].to);
    let awaits = || part.receivers(&*world.system, ends).into_iter();
    let is_up = |node, is_up| (world.place_of_node(node), Op::RequireUp(is_up));
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
            let mut triggers: Vec<_> = world.spend(*budget).into_iter().collect();
            match delivers {
                Some((node, event)) => {
                    triggers.push((world.place_of_node(*node), Op::Deliver(event.clone(), late)));
                }
                None => {
                    triggers.push((world.place_of_monitor(), Op::Observe(Vec::new())));
                    let Some(rest) = operations(world, Vec::new(), late) else { return vec![] };
                    triggers.extend(rest);
                }
            }
            (next, triggers)
        }
        Op::Operate(ops, _) if blocks(world, link, part, &ops[0].1) => return Vec::new(),
        Op::Operate(ops, late) => {
            let (next, made_late) = operate(&ops[0].1);
            let Some(rest) = operations(world, ops[1..].to_vec(), *late || made_late) else {
                return Vec::new();
            };
            let unasked = part.unasked(&*world.system, &ops[0].1).map(|answer| {
                (world.place_of_monitor(), Op::Violate(node_step::no_request(world, link, answer)))
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
fn blocks(world: &World, link: usize, part: &LinkPart, op: &LinkOp) -> bool {
    let LinkOp::Push(message) = op else { return false };
    part.blocks(&*world.system, &world.links[link], message)
}

pub(crate) fn on_budgets(world: &World, left: RemainingBudgets, op: &Op) -> Vec<PartOutcome> {
    let Op::Spend(budget) = op else { unreachable!("not done to budgets: {op:?}") };
    let name = &world.budgets[usize::from(budget.0)].name;
    let done = left.spend(*budget).map(|left| Outcome {
        tags: vec![Tag::Spent(name.clone())],
        ..Outcome::plain(Part::Budgets(left))
    });
    done.into_iter().collect()
}
