//! From a system file to the messages of its nodes: the checker and a service wire them alike.

use alloc::vec;
use alloc::vec::Vec;

use turnstile_spec::system::composition::{self, Send};

use crate::plain::{Outgoing, Receivers, SentValue};
use crate::types::Peer;

/// The message of each action of a node that sends one, by the action's position.
///
/// `actions`: the number of actions of its table; `sends`: what its role sends; `own`: the node;
/// `role_of`: the role of each node, by its position.
///
/// # Panics
///
/// A system of more than 65,536 nodes.
#[must_use]
pub fn outgoing(
    actions: usize,
    sends: &[Send],
    own: usize,
    role_of: &[usize],
) -> Vec<Option<Outgoing>> {
    let mut outgoing = vec![None; actions];
    for send in sends {
        let to = match send.to {
            composition::Receivers::Sender => Receivers::Sender,
            composition::Receivers::Every(role) => {
                let nodes =
                    (0..role_of.len()).filter(|node| role_of[*node] == role && *node != own);
                Receivers::Nodes(nodes.map(peer).collect())
            }
        };
        let payload = match &send.payload {
            composition::SentValue::Nothing => SentValue::Nothing,
            composition::SentValue::Value(value) => SentValue::Value(value.as_str().into()),
            composition::SentValue::Variable(id) => SentValue::Variable(id.index()),
            composition::SentValue::Payload => SentValue::Payload,
        };
        let event = send.event.as_str().into();
        outgoing[send.action.index()] = Some(Outgoing { event, payload, to });
    }
    outgoing
}

fn peer(node: usize) -> Peer {
    Peer(u16::try_from(node).expect("a system has at most 65,536 nodes"))
}
