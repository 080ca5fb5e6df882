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

impl World {
    /// The symmetric roles with two nodes or more, by name.
    fn roles(&self) -> impl Iterator<Item = (&String, Vec<NodeId>)> {
        let is_distinguished =
            self.properties.iter().any(|one| self.system.names_a_node(&one.name));
        let may_permute = self.system.renames() && !is_distinguished;
        let all = self.symmetric.iter().filter(move |_| may_permute).map(|role| {
            let nodes = (0..self.nodes.len()).filter(|node| self.nodes[*node].role == *role);
            (role, nodes.collect::<Vec<NodeId>>())
        });
        all.filter(|(_, nodes)| nodes.len() > 1 && !self.are_linked(nodes))
    }

    /// Whether a link joins two of these nodes: it belongs to neither alone.
    fn are_linked(&self, nodes: &[NodeId]) -> bool {
        self.links.iter().any(|link| nodes.contains(&link.from) && nodes.contains(&link.to))
    }

    /// The symmetric roles, each member a node with its links. The links of all members are in the
    /// same order: that of the nodes at their other ends, which no permutation moves.
    pub(super) fn role_members(&self) -> Vec<SymmetricRole> {
        let member = |node: NodeId| {
            let mut links: Vec<_> = (0..self.links.len())
                .filter(|&link| self.links[link].from == node || self.links[link].to == node)
                .map(|link| {
                    let ends = &self.links[link];
                    let is_out = ends.from == node;
                    (if is_out { ends.to } else { ends.from }, is_out, link)
                })
                .collect();
            links.sort_unstable();
            let links = links.into_iter().map(|(.., link)| self.place_of_link(link));
            [place(node)].into_iter().chain(links).collect()
        };
        let symmetric = |(role, nodes): (&String, Vec<NodeId>)| SymmetricRole {
            role: role.clone(),
            members: nodes.into_iter().map(member).collect(),
        };
        self.roles().map(symmetric).collect()
    }

    /// A part with the members of a role permuted, also those that it names.
    pub(super) fn permuted_part(&self, at: Place, part: &Part, role: usize, to: &[usize]) -> Part {
        let (_, members) = self.roles().nth(role).expect("a symmetric role of this world");
        let mut nodes: Vec<NodeId> = (0..self.nodes.len()).collect();
        for (member, &to) in members.iter().zip(to) {
            nodes[*member] = members[to];
        }
        let mut part = part.clone();
        match &mut part {
            Part::Node(part) => self.rename_node(part, &nodes),
            Part::Link(part) => {
                self.rename_link(part, &nodes);
                self.sort(at, part);
            }
            Part::Monitor(part) => {
                self.system.rename(Naming::Monitor(&mut part.system), &nodes);
                if let Some(violation) = &mut part.violation {
                    violation.node = nodes[violation.node];
                }
            }
            Part::Budgets(_) => {}
        }
        part
    }

    fn rename_node(&self, part: &mut NodePart, to: &[NodeId]) {
        let NodePart { status: _, state, timers, due, saved } = part;
        self.system.rename(Naming::State(state), to);
        for timers in [timers, due] {
            timers.iter_mut().for_each(|timer| self.system.rename(Naming::Timer(timer), to));
            timers.sort_unstable();
        }
        saved.iter_mut().for_each(|saved| self.system.rename(Naming::Saved(saved), to));
    }

    fn rename_link(&self, part: &mut LinkPart, to: &[NodeId]) {
        match &mut part.contents {
            Contents::Calls(slots) => {
                let messages = slots.iter_mut().map(CallState::message_mut);
                messages.for_each(|message| self.system.rename(Naming::Message(message), to));
            }
            Contents::Messages(messages) => {
                messages.iter_mut().for_each(|one| self.system.rename(Naming::Message(one), to));
            }
        }
    }
}
