//! What the properties of `commit.yaml` ask of a state.

use turnstile_world::property::View;

use crate::participant::{At, State};

turnstile_machine::system!("spec/commit.yaml");

use commit::Properties;

/// Whether it is so.
pub(crate) fn ask(predicate: commit::Predicate, view: &View<'_>) -> bool {
    Participants.ask(predicate, view)
}

/// The participants are all nodes but the first.
struct Participants;

fn states<'v>(view: &View<'v>) -> impl Iterator<Item = At> + use<'v> {
    let nodes: Vec<_> = view.nodes[1..].iter().map(|node| node.state.of::<State>().at).collect();
    nodes.into_iter()
}

impl Properties for Participants {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &View<'_>) -> bool {
        view.violation().is_none()
    }

    fn one_outcome(&self, view: &View<'_>) -> bool {
        !self.a_participant_has_committed(view) || states(view).all(|at| at != At::Aborted)
    }

    fn all_have_promised(&self, view: &View<'_>) -> bool {
        !self.a_participant_has_committed(view)
            || states(view).all(|at| matches!(at, At::Prepared | At::Committed))
    }

    fn a_prepared_participant_hears_the_decision(&self, view: &View<'_>) -> bool {
        states(view).all(|at| at != At::Prepared)
    }

    fn all_commit(&self, view: &View<'_>) -> bool {
        states(view).all(|at| at == At::Committed)
    }

    fn a_participant_is_prepared(&self, view: &View<'_>) -> bool {
        states(view).any(|at| at == At::Prepared)
    }

    fn a_participant_has_committed(&self, view: &View<'_>) -> bool {
        states(view).any(|at| at == At::Committed)
    }
}
