//! The time relations of a World: which timer has to fire before which, and before or after which
//! messages.

use turnstile_search::transition_system::Place;

use crate::links::network::NodeId;
use crate::nodes::node::{Event, NodePart};
use crate::parts::{Op, PendingTimer, TimeConstraint};
use crate::system::Input;
use crate::world::World;

/// Whether the time relations require a timer to expire after one of a node, which may be its
/// own.
pub(crate) fn is_bound(
    world: &World,
    earlier: (NodeId, &NodePart),
    later: (NodeId, &NodePart),
    event: &Event,
) -> bool {
    let Some(timer) = event.expires() else { return false };
    let later_name = world.system.node(later.0).timer_name(timer);
    earlier.1.is_up()
        && world.relations.iter().any(|relation| {
            let Some((role, name)) = &relation.earlier else { return false };
            *role == world.nodes[earlier.0].role
                && relation.later.0 == world.nodes[later.0].role
                && relation.later.1 == later_name
                && earlier.1.timers.iter().any(|armed| {
                    *name == world.system.node(earlier.0).timer_name(armed)
                        && world.system.are_related(
                            (earlier.0, &earlier.1.state, armed),
                            (later.0, &later.1.state, timer),
                        )
                })
        })
}

/// Whether the time relations require a timer to fire after all messages.
pub(crate) fn waits_for_messages(world: &World, node: NodeId, event: &Event) -> bool {
    // One that is late may be due while messages have arrived and wait at its node as it does.
    let Event::Takes(Input::Fired(timer), _) = event.step() else {
        return false;
    };
    let name = world.system.node(node).timer_name(timer);
    world.relations.iter().any(|relation| {
        relation.earlier.is_none()
            && relation.later.0 == world.nodes[node].role
            && relation.later.1 == name
    })
}

/// The other nodes that may have a timer that must fire before this one, as bits.
pub(crate) fn earlier(world: &World, node: NodeId, event: &Event) -> u64 {
    assert!(world.nodes.len() <= 64, "nodes are told apart by bits");
    let Some(timer) = event.expires() else { return 0 };
    let name = world.system.node(node).timer_name(timer);
    let is_earlier = |other: usize| {
        other != node
            && world.relations.iter().any(|relation| {
                let earlier = relation.earlier.as_ref();
                earlier.is_some_and(|(role, _)| *role == world.nodes[other].role)
                    && relation.later.0 == world.nodes[node].role
                    && relation.later.1 == name
            })
    };
    (0..world.nodes.len())
        .filter(|&other| is_earlier(other))
        .fold(0, |bits, other| bits | 1 << other)
}

/// The operations that check the time relations of an event.
pub(crate) fn constraints(
    world: &World,
    node: NodeId,
    part: &NodePart,
    event: &Event,
    constraint: TimeConstraint,
) -> Vec<(Place, Op)> {
    let later = || Box::new(PendingTimer { node, part: part.clone(), event: event.clone() });
    let nodes = |others: u64| {
        let others = (0..world.nodes.len()).filter(move |other| others >> other & 1 == 1);
        others.map(|other| (world.place_of_node(other), Op::AllowFire(later())))
    };
    match constraint {
        TimeConstraint::Free => Vec::new(),
        TimeConstraint::After(others) => nodes(others).collect(),
        TimeConstraint::Before(other) => {
            // Of its own timers it has been asked before it took the step.
            let passed =
                (other != node).then(|| (world.place_of_node(other), Op::Overtakes(later())));
            passed.into_iter().chain(world.spend(world.faults.drift)).collect()
        }
        TimeConstraint::AfterMessages(others) => {
            let links = 0..world.links.len();
            let quiet = links.map(|link| (world.place_of_link(link), Op::RequireQuiet));
            nodes(others).chain(quiet).collect()
        }
        TimeConstraint::BeforeMessages(link) => {
            let busy = (world.place_of_link(link), Op::RequireBusy);
            [busy].into_iter().chain(world.spend(world.faults.drift)).collect()
        }
    }
}
