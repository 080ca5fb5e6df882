//! The predicates of the properties in `commit.yaml`.

use turnstile_world::property::View;

use crate::participant::{At, State};

turnstile_machine::system!("spec/commit.yaml");

use commit::Properties;

/// The value of a predicate.
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

    fn no_mixed_outcome(&self, view: &View<'_>) -> bool {
        !self.a_participant_has_committed(view) || states(view).all(|at| at != At::Aborted)
    }

    fn commit_only_if_all_are_prepared(&self, view: &View<'_>) -> bool {
        !self.a_participant_has_committed(view)
            || states(view).all(|at| matches!(at, At::Prepared | At::Committed))
    }

    fn a_prepared_participant_eventually_decides(&self, view: &View<'_>) -> bool {
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
