//! Timers that may not be put off for ever, and what relieves them.
//!
//! A timer that is armed and can fire again and again fires in the end, or its clock is started
//! anew or stopped again and again. What blocks it now and then, a pause or a time relation, makes
//! it late and does not stop its clock; that a step starts the clock anew is seen in its effects,
//! since the timer is armed before and after.

use turnstile_search::parts::Fairness;

use crate::World;
use crate::node::{NodePart, Stepped};
use crate::system::{Effect, Input};
use crate::value::Ordered;
use crate::wiring::NodeId;

impl World {
    /// How long the firing of a timer may be put off, if it is not rationed.
    pub(super) fn fires(&self, node: NodeId, timer: &Ordered) -> Fairness {
        let words = self.system.node(node).input_words(&Input::Fired(timer.clone()));
        Fairness::Strong(format!("{}: {words}", self.nodes[node].name))
    }

    /// The same of a timer that was disarmed too late.
    pub(super) fn fires_late(&self, node: NodeId, timer: &Ordered) -> Fairness {
        let words = self.system.node(node).input_words(&Input::Fired(timer.clone()));
        Fairness::Strong(format!("{}: {words}, late", self.nodes[node].name))
    }

    /// The timers of a node that may be put off once more after its step: those that it stopped or
    /// started anew, one that fired among them, and those that a crash took away.
    pub(super) fn relieved(
        &self,
        node: NodeId,
        before: &NodePart,
        stepped: &Stepped,
    ) -> Vec<Fairness> {
        let NodePart { timers, due, .. } = &stepped.node;
        let is_touched = |timer: &&Ordered| {
            !timers.contains(timer)
                || stepped.effects.iter().any(|effect| match effect {
                    Effect::Arm(other) | Effect::Disarm(other) => other == *timer,
                    Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => false,
                })
        };
        let is_fair = |timer: &&Ordered| self.system.timer_budget(timer).is_none();
        let touched = before.timers.iter().filter(is_touched).filter(is_fair);
        let gone = before.due.iter().filter(|timer| !due.contains(timer));
        touched
            .map(|timer| self.fires(node, timer))
            .chain(gone.map(|timer| self.fires_late(node, timer)))
            .collect()
    }
}
