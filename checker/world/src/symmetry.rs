//! Symmetric roles of a World: their nodes are interchangeable, each with its links, if the system
//! can rename every node in a value and no property distinguishes them.

use turnstile_search::transition_system::{Place, SymmetricRole};

use crate::actions::calls::CallState;
use crate::links::link_part::{Contents, LinkPart};
use crate::links::network::NodeId;
use crate::nodes::node::NodePart;
use crate::parts::{Part, place};
use crate::system::Naming;
use crate::world::World;

/// The symmetric roles with two nodes or more, by name.
fn roles(world: &World) -> impl Iterator<Item = (&String, Vec<NodeId>)> {
    let is_distinguished = world.properties.iter().any(|one| world.system.names_a_node(&one.name));
    let may_permute = world.system.renames() && !is_distinguished;
    let all = world.symmetric.iter().filter(move |_| may_permute).map(|role| {
        let nodes = (0..world.nodes.len()).filter(|node| world.nodes[*node].role == *role);
        (role, nodes.collect::<Vec<NodeId>>())
    });
    all.filter(|(_, nodes)| nodes.len() > 1 && !are_linked(world, nodes))
}

/// Whether a link joins two of these nodes: it belongs to neither alone.
fn are_linked(world: &World, nodes: &[NodeId]) -> bool {
    world.links.iter().any(|link| nodes.contains(&link.from) && nodes.contains(&link.to))
}

/// The symmetric roles, each member a node with its links. The links of all members are in the
/// same order: that of the nodes at their other ends, which no permutation moves.
pub(crate) fn role_members(world: &World) -> Vec<SymmetricRole> {
    let member = |node: NodeId| {
        let mut links: Vec<_> = (0..world.links.len())
            .filter(|&link| world.links[link].from == node || world.links[link].to == node)
            .map(|link| {
                let ends = &world.links[link];
                let is_out = ends.from == node;
                (if is_out { ends.to } else { ends.from }, is_out, link)
            })
            .collect();
        links.sort_unstable();
        let links = links.into_iter().map(|(.., link)| world.place_of_link(link));
        [place(node)].into_iter().chain(links).collect()
    };
    let symmetric = |(role, nodes): (&String, Vec<NodeId>)| SymmetricRole {
        role: role.clone(),
        members: nodes.into_iter().map(member).collect(),
    };
    roles(world).map(symmetric).collect()
}

/// A part with the members of a role permuted, also those that it names.
pub(crate) fn permuted(world: &World, at: Place, part: &Part, role: usize, to: &[usize]) -> Part {
    let (_, members) = roles(world).nth(role).expect("a symmetric role of this world");
    let mut nodes: Vec<NodeId> = (0..world.nodes.len()).collect();
    for (member, &to) in members.iter().zip(to) {
        nodes[*member] = members[to];
    }
    let mut part = part.clone();
    match &mut part {
        Part::Node(part) => rename_node(world, part, &nodes),
        Part::Link(part) => {
            rename_link(world, part, &nodes);
            part.sort(&world.links[at.index() - world.nodes.len()]);
        }
        Part::Monitor(part) => {
            world.system.rename(Naming::Monitor(&mut part.system), &nodes);
            if let Some(violation) = &mut part.violation {
                violation.node = nodes[violation.node];
            }
        }
        Part::Budgets(_) => {}
    }
    part
}

fn rename_node(world: &World, part: &mut NodePart, to: &[NodeId]) {
    let NodePart { status: _, state, timers, due, saved } = part;
    world.system.rename(Naming::State(state), to);
    for timers in [timers, due] {
        timers.iter_mut().for_each(|timer| world.system.rename(Naming::Timer(timer), to));
        timers.sort_unstable();
    }
    saved.iter_mut().for_each(|saved| world.system.rename(Naming::Saved(saved), to));
}

fn rename_link(world: &World, part: &mut LinkPart, to: &[NodeId]) {
    match &mut part.contents {
        Contents::Calls(slots) => {
            let messages = slots.iter_mut().map(CallState::message_mut);
            messages.for_each(|message| world.system.rename(Naming::Message(message), to));
        }
        Contents::Messages(messages) => {
            messages.iter_mut().for_each(|one| world.system.rename(Naming::Message(one), to));
        }
    }
}
