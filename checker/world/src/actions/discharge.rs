//! The fairness of timers, and the steps that discharge it.
//!
//! A timer is strongly fair: if it can fire infinitely often, it fires, is restarted or is disarmed
//! infinitely often. A pause or a time relation delays it and does not stop its clock. A restart is
//! recognised by the effects of a step, since the timer is armed before and after it.

use turnstile_search::transition_system::Fairness;

use crate::links::network::NodeId;
use crate::nodes::node::{NodePart, StepResult};
use crate::system::{Effect, Input};
use crate::value::Ordered;
use crate::world::World;

/// The fairness of the firing of a timer that is not rationed.
pub(crate) fn fires(world: &World, node: NodeId, timer: &Ordered) -> Fairness {
    let words = world.system.node(node).input_words(&Input::Fired(timer.clone()));
    Fairness::Strong(format!("{}: {words}", world.nodes[node].name))
}

/// The same for a timer that was disarmed too late.
pub(crate) fn fires_late(world: &World, node: NodeId, timer: &Ordered) -> Fairness {
    let words = world.system.node(node).input_words(&Input::Fired(timer.clone()));
    Fairness::Strong(format!("{}: {words}, late", world.nodes[node].name))
}

/// The fairness conditions of timers that a step discharges: of those that fired, were
/// restarted, disarmed or lost in a crash.
pub(crate) fn discharged(
    world: &World,
    node: NodeId,
    before: &NodePart,
    stepped: &StepResult,
) -> Vec<Fairness> {
    let NodePart { timers, due, .. } = &stepped.node;
    let is_touched = |timer: &&Ordered| {
        !timers.contains(timer)
            || stepped.effects.iter().any(|effect| match effect {
                Effect::Arm(other) | Effect::Disarm(other) => other == *timer,
                Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => false,
            })
    };
    let is_fair = |timer: &&Ordered| world.system.timer_budget(timer).is_none();
    let touched = before.timers.iter().filter(is_touched).filter(is_fair);
    let gone = before.due.iter().filter(|timer| !due.contains(timer));
    touched
        .map(|timer| fires(world, node, timer))
        .chain(gone.map(|timer| fires_late(world, node, timer)))
        .collect()
}
