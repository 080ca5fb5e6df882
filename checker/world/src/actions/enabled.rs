//! The operations enabled in a World, and the fairness of each.
//!
//! Strongly fair are the firing of timers, the delivery of messages and the commands that the
//! system says are fair; weakly fair is resuming from a pause. An event that takes from a budget is
//! a fault or rationed and has no fairness, a restart included.

use turnstile_search::transition_system::{EnabledOp, Fairness, InFlight};

use crate::actions::discharge::{fires, fires_late};
use crate::actions::time_relations::{earlier, is_bound, waits_for_messages};
use crate::budget::BudgetId;
use crate::links::link::LinkOp;
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::nodes::node::{CUTS_MAX, Event, NodePart, cuts, takes};
use crate::parts::{Op, TimeConstraint};
use crate::system::Input;
use crate::world::World;

/// A delivery or a fault on a link, and the budget it takes from.
struct LinkAction {
    op: LinkOp,
    delivers: Option<(NodeId, Event)>,
    budget: Option<BudgetId>,
}

pub(crate) fn on_node(world: &World, node: NodeId, part: &NodePart) -> Vec<EnabledOp<Op>> {
    let mut enabled = Vec::new();
    let events = part.events(world.system.node(node));
    let torn: Vec<_> =
        events.iter().flat_map(|event| torn_here(world, node, part, event)).collect();
    for event in events.into_iter().chain(torn) {
        let Some(budget) = world.faults.of_node(&*world.system, node, part, &event) else {
            continue;
        };
        let is_after_own = is_bound(world, (node, part), (node, part), &event);
        let others = earlier(world, node, &event);
        let for_messages = waits_for_messages(world, node, &event);
        let constraint = match (others, for_messages) {
            (0, false) => TimeConstraint::Free,
            (others, false) => TimeConstraint::After(others),
            (others, true) => TimeConstraint::AfterMessages(others),
        };
        let fairness = match budget {
            Some(budget) if world.budgets[usize::from(budget.0)].limit.is_some() => Fairness::None,
            Some(_) if !is_fair(world, &event) => Fairness::None,
            Some(_) | None => fairness(world, node, &event),
        };
        if !is_after_own {
            let op = Op::NodeEvent { event: event.clone(), budget, constraint };
            enabled.push(EnabledOp { op, fairness, is_loss: false });
        }
        if world.faults.drift.is_some() {
            let others = if is_after_own { 1 << node } else { others };
            let passed = (0..world.nodes.len()).filter(move |other| others >> other & 1 == 1);
            let links = 0..if for_messages && !is_after_own { world.links.len() } else { 0 };
            let waits =
                passed.map(TimeConstraint::Before).chain(links.map(TimeConstraint::BeforeMessages));
            enabled.extend(waits.map(|constraint| EnabledOp {
                op: Op::NodeEvent { event: event.clone(), budget, constraint },
                fairness: Fairness::None,
                is_loss: false,
            }));
        }
    }
    enabled
}

/// The torn variants of a step, one for each position that makes a difference.
fn torn_here(world: &World, node: NodeId, part: &NodePart, event: &Event) -> Vec<Event> {
    if !world.faults.may_tear(node) {
        return Vec::new();
    }
    let effects = part.step(node, world.system.node(node), event).effects;
    let cuts = cuts(&effects).filter_map(|cut| u8::try_from(cut).ok());
    torn(world, node, event, cuts.filter(|cut| *cut <= CUTS_MAX))
}

/// The torn variants of the delivery of a message; the node refuses those that make no
/// difference.
fn torn_on_its_way(world: &World, node: NodeId, event: &Event) -> Vec<Event> {
    torn(world, node, event, 1..=CUTS_MAX)
}

fn torn(world: &World, node: NodeId, event: &Event, cuts: impl Iterator<Item = u8>) -> Vec<Event> {
    let restarts = (0..world.system.node(node).choices()).map(Event::Restarts);
    let ends = [Event::Crashes].into_iter().chain(restarts);
    let ends: Vec<Event> = ends.filter(|end| world.faults.torn(node, end).is_some()).collect();
    let torn = |done| {
        let torn = move |end: &Event| {
            let (step, end) = (Box::new(event.clone()), Box::new(end.clone()));
            Event::Torn { step, done, end }
        };
        ends.iter().map(torn)
    };
    cuts.flat_map(torn).collect()
}

fn is_fair(world: &World, event: &Event) -> bool {
    matches!(event, Event::Takes(Input::Command(command), _) if world.system.is_fair(command))
}

fn fairness(world: &World, node: NodeId, event: &Event) -> Fairness {
    let name = &world.nodes[node].name;
    match event {
        Event::Takes(Input::Fired(timer), _) => fires(world, node, timer),
        Event::FiresLate(timer, _) => fires_late(world, node, timer),
        Event::Takes(input, _) if is_fair(world, event) => {
            Fairness::Strong(format!("{name}: {}", world.system.node(node).input_words(input)))
        }
        Event::Resumes => Fairness::Weak(format!("{name} goes on")),
        Event::Takes(Input::Command(_) | Input::Message { .. } | Input::Restart(_), _)
        | Event::Restarts(_)
        | Event::Crashes
        | Event::IsDue(_)
        | Event::Torn { .. }
        | Event::Pauses => Fairness::None,
    }
}

/// The deliveries and faults on a link, one for each row that may match.
fn link_actions(world: &World, link: usize, part: &LinkPart) -> Vec<LinkAction> {
    let mut actions = Vec::new();
    for enabled in part.enabled(&*world.system, &world.links[link]) {
        let budget = enabled.fault.and_then(|fault| world.faults.on_link(fault));
        if enabled.fault.is_some() && budget.is_none() {
            continue;
        }
        let op = enabled.op;
        match enabled.delivers {
            None => actions.push(LinkAction { op, delivers: None, budget }),
            Some((from, to, message)) => {
                let input = Input::Message { from, message };
                let events: Vec<_> = takes(world.system.node(to), input).collect();
                let torn = events.iter().flat_map(|event| torn_on_its_way(world, to, event));
                let torn: Vec<_> = torn.collect();
                actions.extend(events.into_iter().chain(torn).map(|event| LinkAction {
                    op: op.clone(),
                    delivers: Some((to, event)),
                    budget,
                }));
            }
        }
    }
    actions
}

pub(crate) fn on_link(world: &World, link: usize, part: &LinkPart) -> Vec<EnabledOp<Op>> {
    let enabled = link_actions(world, link, part).into_iter().map(|action| {
        let fairness = match (&action.delivers, action.budget) {
            (Some((to, Event::Takes(Input::Message { from, message }, _))), None) => {
                Fairness::Strong(format!(
                    "{} to {}: {}",
                    world.nodes[*from].name,
                    world.nodes[*to].name,
                    world.system.node(*from).message_words(message)
                ))
            }
            _ => Fairness::None,
        };
        let is_loss = action.delivers.is_none() && action.budget.is_none();
        let op = Op::LinkEvent { op: action.op, delivers: action.delivers, budget: action.budget };
        EnabledOp { op, fairness, is_loss }
    });
    enabled.collect()
}

/// The messages in flight on a link that can be discarded independently of each other, each
/// once for every row that may match.
pub(crate) fn in_flight(world: &World, link: usize, part: &LinkPart) -> Vec<InFlight<Op>> {
    let in_flight = link_actions(world, link, part).into_iter().filter_map(|action| {
        let (LinkOp::Take(place), Some((to, event))) = (action.op, action.delivers) else {
            return None;
        };
        // The step as a whole has an effect if it can be torn.
        if let Event::Torn { .. } = event {
            return None;
        }
        Some(InFlight {
            to: world.place_of_node(to),
            input: Op::Deliver(event, false),
            discard: Op::LinkEvent { op: LinkOp::Lose(place), delivers: None, budget: None },
        })
    });
    in_flight.collect()
}
