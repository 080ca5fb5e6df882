//! The group as most worlds find it: its first view has come to everybody, its coordinator has
//! collected everything, nothing is on its way. It is found by running the cores.

use std::collections::VecDeque;

use turnstile_world::system::Input;
use turnstile_world::{Event, NodePart};

use crate::seat_node::SeatNode;

/// More messages than any group of few needs to come to rest; a table that is wrong may not.
const STEPS_MAX: usize = 1_000;

/// The members at rest, after each has had this input.
pub(crate) fn founded(seats: &[SeatNode], first: &Input) -> Vec<NodePart> {
    let mut parts: Vec<_> = seats.iter().map(|seat| NodePart::start(seat)).collect();
    let mut inputs: VecDeque<_> = (0..seats.len()).map(|node| (node, first.clone())).collect();
    for _ in 0..STEPS_MAX {
        let Some((to, input)) = inputs.pop_front() else { break };
        let stepped = parts[to].step((to, &seats[to]), &Event::Takes(input, 0));
        let sent = stepped.sends.into_iter();
        inputs.extend(sent.map(|(other, message)| (other, Input::Message { from: to, message })));
        parts[to] = stepped.node;
    }
    parts
}
