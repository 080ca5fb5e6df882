//! Steps as text, for counterexamples and Explorer: the node, the event, the rows, the effects.

use std::fmt::Write as _;

use turnstile_step::RowOutcome;

use crate::actions::transitions::observe;
use crate::links::link::LinkOp;
use crate::links::link_part::Contents;
use crate::links::network::NodeId;
use crate::nodes::node::{Event, NodePart, NodeStatus};
use crate::nodes::node_step::{self, NodeStep};
use crate::nodes::roles::Node;
use crate::parts::Op;
use crate::state::{Action, State};
use crate::system::{Effect, Input};
use crate::trace::{EffectReport, NETWORK, StepReport, TakenRow, counted};
use crate::world::World;

/// An event of a node's table that no row handles, with its payload: `response (503)`.
#[must_use]
pub fn unhandled_words(world: &World, node: NodeId, event: &str, number: u16) -> String {
    world.system.node(node).unhandled_words(event, number)
}

/// In which state each node begins that may begin in several, as the first steps of a trace.
#[must_use]
pub fn starting_words(world: &World, initial: &State) -> Vec<StepReport> {
    let begins = |(node, named): (usize, &Node)| {
        let core = world.system.node(node);
        if core.start_count() < 2 {
            return None;
        }
        let state = core.state_words(&initial.node(node).state);
        Some(StepReport {
            node: named.name.clone(),
            event: format!("begins in {}", state.clone().unwrap_or_default()),
            row: String::new(),
            rows: Vec::new(),
            from: None,
            effects: Vec::new(),
            state,
        })
    };
    world.nodes.iter().enumerate().filter_map(begins).collect()
}

/// The text of a step, replayed on the shipped core.
#[must_use]
pub fn step_words(world: &World, state: &State, action: &Action) -> StepReport {
    let Some((node, event)) = action.event() else {
        return link_words(world, state, action);
    };
    let turn = node_step::step(world, node, state.node(node), event);
    let rows: Vec<TakenRow> = turn.stepped.rows.iter().filter_map(row_of).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let mut event_text = event_words(world, node, event.step());
    if let Event::Torn { done, end, .. } = event {
        // Effects of the restart are not counted.
        let all = usize::from(*done) + turn.stepped.lost.len();
        let (all, end) = (counted(all as u64, "effect"), event_words(world, node, end));
        let _ = write!(event_text, ", torn after {done} of {all}: it {end}");
    }
    let core = world.system.node(node);
    if matches!(event.step(), Event::Restarts(_)) && core.start_count() > 1 {
        let state = core.state_words(&turn.stepped.node.state).unwrap_or_default();
        let _ = write!(event_text, " in {state}");
    }
    if action.is_drift() {
        event_text.push_str(", its clock runs wild");
    }
    if matches!(action.op, Op::LinkEvent { op: LinkOp::Double(_), .. }) {
        event_text.push_str(", and once more later");
    }
    let mut effects = effects_words(world, node, &turn);
    let monitor = observe(&*world.system, state.monitor(), &turn.stepped.observations);
    let breaks = |rule| EffectReport::Does(format!("breaks the rule: {rule}"));
    effects.extend(monitor.breaches.iter().map(breaks));
    if is_ignored(state.node(node), event, &turn) {
        let state = world.system.node(node).state_words(&turn.stepped.node.state);
        let state = state.map_or_else(String::new, |state| format!(" in state {state}"));
        effects.push(EffectReport::Does(format!("ignored{state}")));
    }
    StepReport {
        node: world.nodes[node].name.clone(),
        event: event_text,
        row: ids.join(", "),
        rows,
        from: match event.step() {
            Event::Takes(Input::Message { from, .. }, _) => Some(world.nodes[*from].name.clone()),
            Event::Takes(..)
            | Event::Crashes
            | Event::Restarts(_)
            | Event::IsDue(_)
            | Event::FiresLate(..)
            | Event::Torn { .. }
            | Event::Pauses
            | Event::Resumes => None,
        },
        effects,
        state: match turn.stepped.node.status {
            NodeStatus::Down => Some("down".to_owned()),
            NodeStatus::Up | NodeStatus::Paused => {
                world.system.node(node).state_words(&turn.stepped.node.state)
            }
        },
    }
}

/// Whether a message changes nothing: its receiver has crashed, or its table ignores it.
fn is_ignored(before: &NodePart, event: &Event, turn: &NodeStep) -> bool {
    let is_message = matches!(event.step(), Event::Takes(Input::Message { .. }, _));
    let stepped = &turn.stepped;
    let is_silent = |row: &RowOutcome| matches!(row, RowOutcome::Ignored { .. });
    is_message
        && stepped.rows.iter().all(is_silent)
        && stepped.effects.is_empty()
        && stepped.node == *before
}

/// The effects of a step, in order.
fn effects_words(world: &World, node: NodeId, turn: &NodeStep) -> Vec<EffectReport> {
    let one = |effect: &Effect| match effect {
        Effect::Send { to, message } => Some(EffectReport::Sends {
            to: world.name_of(*to),
            message: world.system.node(node).message_words(message),
        }),
        Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) | Effect::Notify(_) => {
            world.system.node(node).effect_words(effect).map(EffectReport::Does)
        }
    };
    turn.stepped.effects.iter().filter_map(one).collect()
}

/// The text of a step of a link alone.
fn link_words(world: &World, state: &State, action: &Action) -> StepReport {
    let mut event = String::new();
    if let Some((link, op)) = moved(world, action) {
        let what = op_words(op);
        let ends = &world.links[link];
        let sender = world.system.node(ends.from);
        let (from, to) = (&world.nodes[ends.from].name, &world.nodes[ends.to].name);
        let which = match (op, &state.link(link).contents) {
            (
                LinkOp::Lose(place)
                | LinkOp::Fail(place)
                | LinkOp::Refuse(place)
                | LinkOp::Double(place)
                | LinkOp::Delay(place),
                Contents::Calls(slots),
            ) => slots.get(usize::from(*place)).map(|slot| {
                let kind = if slot.is_answered() { "answer" } else { "request" };
                format!("{kind} {}", sender.message_words(slot.message()))
            }),
            (LinkOp::Lose(place) | LinkOp::Double(place), Contents::Messages(messages)) => {
                messages.get(usize::from(*place)).map(|one| sender.message_words(one))
            }
            _ => None,
        };
        event = format!("{what}: {}, {from} and {to}", which.unwrap_or_default());
    }
    StepReport {
        node: NETWORK.to_owned(),
        event,
        row: String::new(),
        rows: Vec::new(),
        from: None,
        effects: Vec::new(),
        state: None,
    }
}

/// The operation of a step of a link alone, and which link.
fn moved<'a>(world: &World, action: &'a Action) -> Option<(usize, &'a LinkOp)> {
    let link = action.at.index().checked_sub(world.nodes.len())?;
    let Op::LinkEvent { op, .. } = &action.op else { return None };
    Some((link, op))
}

fn op_words(op: &LinkOp) -> &'static str {
    match op {
        LinkOp::Lose(_) => "lost",
        LinkOp::Fail(_) => "server error instead",
        LinkOp::Refuse(_) => "refused",
        LinkOp::Double(_) => "duplicate",
        LinkOp::Delay(_) => "late beyond what it grants",
        LinkOp::Push(_)
        | LinkOp::Evaluation(_)
        | LinkOp::Take(_)
        | LinkOp::Overtake
        | LinkOp::Expire(_)
        | LinkOp::CallerGone
        | LinkOp::ServerGone
        | LinkOp::SetStatus(_)
        | LinkOp::Partition
        | LinkOp::Disconnect
        | LinkOp::Heal => "moves",
    }
}

fn event_words(world: &World, node: NodeId, event: &Event) -> String {
    match event {
        Event::Takes(input, _) => world.system.node(node).input_words(input),
        Event::Crashes => "crashes".to_owned(),
        Event::Restarts(_) => "starts again".to_owned(),
        Event::IsDue(timer) => {
            format!("{} is due", world.system.node(node).timer_name(timer))
        }
        Event::FiresLate(timer, _) => {
            format!("{}, late", world.system.node(node).input_words(&Input::Fired(timer.clone())))
        }
        Event::Pauses => "pauses".to_owned(),
        Event::Resumes => "goes on".to_owned(),
        Event::Torn { step, done, end } => {
            let effects = counted(u64::from(*done), "effect");
            let [step, end] = [step, end].map(|event| event_words(world, node, event));
            format!("{step}, torn after {effects}: it {end}")
        }
    }
}

/// The text of an action, without its state.
#[must_use]
pub fn action_words(world: &World, action: &Action) -> String {
    match (action.event(), moved(world, action)) {
        (Some((node, event)), _) => {
            format!("{}: {}", world.nodes[node].name, event_words(world, node, event))
        }
        (None, Some((link, op))) => {
            let ends = &world.links[link];
            let (from, to) = (&world.nodes[ends.from].name, &world.nodes[ends.to].name);
            format!("{from} and {to}: {} ({op:?})", op_words(op))
        }
        (None, None) => String::new(),
    }
}

fn row_of(rows: &RowOutcome) -> Option<TakenRow> {
    match rows {
        RowOutcome::Row { machine, row } => Some(TakenRow {
            machine: (*machine).to_owned(),
            id: (*row).to_owned(),
            place: String::new(),
        }),
        RowOutcome::Ignored { .. }
        | RowOutcome::Unexpected { .. }
        | RowOutcome::ActionFailed { .. } => None,
    }
}
