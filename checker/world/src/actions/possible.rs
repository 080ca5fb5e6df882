//! What can happen in a state, whatever is left of the budgets: the search takes of it what they
//! still allow.

use std::rc::Rc;

use turnstile_search::transition_system::{TransitionSystem as _, cascade};

use crate::budget::RemainingBudgets;
use crate::parts::{Part, Tag, place};
use crate::property::{Next, PossibleAction, View};
use crate::state::Action;
use crate::world::World;

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
