//! Whether a system of tables can take another step, apart from faults.

use turnstile_machine::Dynamic;
use turnstile_plain::{Command, State};
use turnstile_world::link::LinkOp;
use turnstile_world::node::{Event, NodePart, NodeStatus};
use turnstile_world::property::View;
use turnstile_world::system::Input;
use turnstile_world::{LinkPart, NodeId};

use super::system::TableSystem;

/// Whether some event is enabled. That a crashed node starts again is a fault's other half, which
/// need not come.
pub(super) fn can_go_on(system: &TableSystem, view: &View<'_>) -> bool {
    let mut nodes = view.nodes.iter().enumerate();
    nodes.any(|(node, part)| goes_on(system, view, (node, part)))
        || system.links.iter().zip(view.links).any(|(link, part)| {
            let enabled = part.enabled(system, link).into_iter().filter(|op| op.fault.is_none());
            let mut messages = enabled.filter_map(|op| op.delivers);
            messages.any(|(from, to, message)| {
                is_taken(system, view, (to, view.nodes[to]), Input::Message { from, message })
            })
        })
}

/// Whether a message waits for a node that is up and cannot take it, now or ever, if no event is
/// enabled.
pub(super) fn has_stuck_message(system: &TableSystem, view: &View<'_>) -> bool {
    system.links.iter().zip(view.links).any(|(link, part)| {
        part.messages((link.from, link.to)).any(|((_, to), _)| view.nodes[to].is_up())
    })
}

/// Whether a node can take a step without a message: a timer fires, or its user gives a command or
/// its environment an answer that it does not ignore.
fn goes_on(system: &TableSystem, view: &View<'_>, (node, part): (NodeId, &NodePart)) -> bool {
    match part.status {
        NodeStatus::Paused => return true,
        NodeStatus::Down => return false,
        NodeStatus::Up => {}
    }
    let of = system.table(node);
    let state = part.state.of::<State<Dynamic>>();
    let ignores = |input: &Input| match input {
        Input::Command(command) => {
            system.is_never_given(command) || of.ignores(state, command.of::<Command<Dynamic>>())
        }
        Input::Fired(_) | Input::Message { .. } | Input::Restart(_) => false,
    };
    let timers = part.timers.iter().chain(&part.due).map(|timer| Input::Fired(timer.clone()));
    let commands = system.node_core(node).commands(&part.state).into_iter().map(Input::Command);
    let mut inputs = timers.chain(commands).filter(|input| !ignores(input));
    inputs.any(|input| is_taken(system, view, (node, part), input))
}

/// Whether a node that is up can take an input: no message of the step has to wait for room.
fn is_taken(
    system: &TableSystem,
    view: &View<'_>,
    (node, part): (NodeId, &NodePart),
    input: Input,
) -> bool {
    if part.status != NodeStatus::Up {
        return part.status == NodeStatus::Paused;
    }
    if !system.may_block {
        return true;
    }
    let core = system.node_core(node);
    let choices = core.choices_of(&part.state, &input);
    let mut events = (0..choices).map(|choice| Event::Takes(input.clone(), choice));
    events.any(|event| {
        let mut links: Vec<LinkPart> = view.links.iter().map(|part| (*part).clone()).collect();
        part.step((node, core), &event).sends.into_iter().all(|(to, message)| {
            let between = system.links.iter().position(|link| link.from == node && link.to == to);
            let Some(place) = between else { return true };
            let link = &system.links[place];
            let waits = links[place].blocks(system, link, &message);
            links[place] = links[place].operate(system, link, &LinkOp::Push(message)).0;
            !waits
        })
    })
}
