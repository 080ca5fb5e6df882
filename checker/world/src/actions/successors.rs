//! The actions of a state of a World and what they lead to: for counterexamples, Explorer and
//! stateright's searches.

use std::rc::Rc;

use turnstile_search::transition_system::{
    Fairness, Place, ReachedState, TransitionSystem as _, cascade,
};

use crate::budget::RemainingBudgets;
use crate::parts::{Op, Part, Tag, place};
use crate::property::{Next, PossibleAction, View};
use crate::state::{Action, State};
use crate::world::World;

impl World {
    /// The actions that a part of a state enables, in a fixed order: nodes by number, each with its
    /// timers, commands and faults, then links by number. Another part may refuse some of them.
    #[must_use]
    pub fn actions_of(&self, state: &State) -> Vec<Action> {
        self.fair_actions_of(state).into_iter().map(|(action, _)| action).collect()
    }

    /// The same, each with its fairness.
    #[must_use]
    pub fn fair_actions_of(&self, state: &State) -> Vec<(Action, Fairness)> {
        let left = state.budgets();
        let mut actions = Vec::new();
        for (at, part) in (0..).map(Place).zip(&state.0) {
            actions.extend(self.enabled(at, part).into_iter().filter_map(|enabled| {
                let (Op::NodeEvent { budget: cost, .. } | Op::LinkEvent { budget: cost, .. }) =
                    &enabled.op
                else {
                    return Some((Action { at, op: enabled.op }, enabled.fairness));
                };
                let is_left = cost.is_none_or(|budget| left.of(budget) != Some(0));
                is_left.then_some((Action { at, op: enabled.op }, enabled.fairness))
            }));
        }
        actions
    }

    /// The state after an action, with its coverage; `None` if a part refuses the action.
    #[must_use]
    pub fn reached(&self, state: &State, action: &Action) -> Option<ReachedState<Part, Tag>> {
        let mut ends = cascade(self, &state.0, action.at, &action.op);
        assert!(ends.len() <= 1, "which row is taken is part of the event");
        ends.pop()
    }

    /// The state after an action; `None` if it changes nothing or a part refuses it.
    #[must_use]
    pub fn after(&self, state: &State, action: &Action) -> Option<State> {
        let next = State(self.reached(state, action)?.state);
        (next != *state).then_some(next)
    }

    /// Calls a function with the view of a state.
    pub fn view<'p, R>(
        &self,
        parts: impl IntoIterator<Item = &'p Part>,
        look: impl FnOnce(&View<'_>) -> R,
    ) -> R {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut links = Vec::new();
        let (mut monitor, mut left) = (None, None);
        for part in parts {
            match part {
                Part::Node(part) => nodes.push(part),
                Part::Link(part) => links.push(part),
                Part::Monitor(part) => monitor = Some(part),
                Part::Budgets(part) => left = Some(*part),
            }
        }
        look(&View {
            nodes: &nodes,
            links: &links,
            monitor: monitor.expect("every state has a monitor"),
            remaining: left.expect("every state has budgets"),
            budgets: &self.budgets,
            next: self,
        })
    }
}

/// What can happen, whatever is left of the budgets: the search takes of it what they still allow.
impl Next for World {
    /// The actions, in the order of [`World::actions_of`].
    fn possible<'a>(&'a self, view: &View<'a>) -> Box<dyn Iterator<Item = PossibleAction> + 'a> {
        let nodes = view.nodes.iter().map(|&part| Part::Node(part.clone()));
        let links = view.links.iter().map(|&part| Part::Link(part.clone()));
        let rest =
            [Part::Monitor(view.monitor.clone()), Part::Budgets(RemainingBudgets::UNBOUNDED)];
        let state: Rc<[Part]> = nodes.chain(links).chain(rest).collect();
        Box::new((0..state.len()).map(place).flat_map(move |at| {
            let state = Rc::clone(&state);
            let enabled = self.enabled(at, &state[at.index()]);
            enabled.into_iter().filter_map(move |enabled| {
                let reached = cascade(self, &state, at, &enabled.op).pop()?;
                let spent = |tag| if let Tag::Spent(name) = tag { Some(name) } else { None };
                let spends = reached.tags.into_iter().filter_map(spent).collect();
                let (op, is_loss) = (enabled.op, enabled.is_loss);
                Some(PossibleAction { action: Action { at, op }, spends, is_loss })
            })
        }))
    }
}
