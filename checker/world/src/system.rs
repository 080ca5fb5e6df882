//! A system as the World and every search know it: nodes with erased types, so that the World and
//! the searches are compiled once, and not once for each system.

use std::fmt::Debug;

use turnstile_step::{self as step, RowOutcome};

use crate::links::network::{NetworkChange, NodeId};
use crate::monitor::{Observation, Violation};
use crate::step_rules::Breaches;
use crate::value::{Ordered, Value};

/// The input of a node.
pub type Input = step::Input<NodeId, Ordered, Ordered, Ordered, Value>;

/// The effect of a node.
pub type Effect = step::Effect<NodeId, Ordered, Ordered, Value, Value>;

/// The output of a step of a node.
#[derive(Debug, Default)]
pub struct Out {
    /// The outcomes of its rows.
    pub rows: Vec<RowOutcome>,
    /// Its effects, in order.
    pub effects: Vec<Effect>,
    /// The rules about single steps that it breaks.
    pub breaches: Breaches,
}

/// A value in a state that may name nodes.
#[derive(Debug)]
pub enum Naming<'a> {
    /// A core's state.
    State(&'a mut Value),
    /// A message in flight.
    Message(&'a mut Ordered),
    /// An armed timer.
    Timer(&'a mut Ordered),
    /// A saved state.
    Saved(&'a mut Value),
    /// The monitor.
    Monitor(&'a mut Value),
}

/// A node of a World: a core, and the commands of its user.
pub trait NodeCore: Debug + Send + Sync + 'static {
    /// The state of a node that has never run.
    fn start(&self) -> Value;

    /// The same with its initial effects, for a caller that runs it before a World does.
    fn begin(&self, _out: &mut Out) -> Value {
        self.start()
    }

    /// The timers armed when it starts.
    fn armed(&self) -> Vec<Ordered> {
        Vec::new()
    }

    /// In how many states a node that has never run may begin.
    fn start_count(&self) -> usize {
        1
    }

    /// The `nth` of these states, with its armed timers.
    fn start_in(&self, _nth: usize) -> (Value, Vec<Ordered>) {
        (self.start(), self.armed())
    }

    /// The shipped step. `choice` selects the row to take if several match.
    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out);

    /// Merges a newly saved part into the saved state.
    fn keep(&self, saved: &mut Option<Value>, new: &Value) {
        *saved = Some(new.clone());
    }

    /// The most rows that may match one event: 1 for an amended table.
    fn choices(&self) -> u8 {
        1
    }

    /// How many outcomes this input may have in this state, at most [`NodeCore::choices`]; by
    /// default that many, of which some may be equal.
    fn choices_of(&self, _state: &Value, _input: &Input) -> u8 {
        self.choices()
    }

    /// The commands that its user may give now, in a fixed order.
    fn commands(&self, state: &Value) -> Vec<Ordered>;

    /// Whether it ignores this command of its user in this state.
    fn ignores(&self, _state: &Value, _command: &Ordered) -> bool {
        false
    }

    /// A timer's name in the time relations: `lease`.
    fn timer_name(&self, _timer: &Ordered) -> &'static str {
        ""
    }

    /// An input as a short text: `response (503)`.
    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Fired(_) | Input::Command(_) | Input::Restart(_) => format!("{input:?}"),
        }
    }

    /// A message that it sends or receives as a short text: `POST`, `409`.
    fn message_words(&self, message: &Ordered) -> String {
        format!("{message:?}")
    }

    /// An event of a table that no row handles, with its payload: `response (503)`.
    fn unhandled_words(&self, event: &str, number: u16) -> String {
        numbered(event, number)
    }

    /// An effect other than a message as a short text; `None`: it is not displayed.
    fn effect_words(&self, effect: &Effect) -> Option<String> {
        Some(format!("{effect:?}"))
    }

    /// A state as a short text: `Registering`.
    fn state_words(&self, _state: &Value) -> Option<String> {
        None
    }
}

/// An event with the number that it carries, if it does: `response (503)`.
pub(crate) fn numbered(event: &str, number: u16) -> String {
    if number == 0 { event.to_owned() } else { format!("{event} ({number})") }
}

/// A system of a World: its nodes, and what no core decides. Every method is a pure function of its
/// arguments, since a search memoises it.
pub trait System: Debug + Send + Sync + 'static {
    /// A node.
    fn node(&self, node: NodeId) -> &dyn NodeCore;

    /// The budgets that [`System::command_budget`] and [`System::timer_budget`] name.
    fn budgets(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether a trace ends at this violation, so that no later step is a consequence of it.
    fn ends_at(&self, _violation: &Violation) -> bool {
        false
    }

    /// Whether properties read what a node that has crashed has saved. Otherwise only a restart
    /// does.
    fn reads_saved(&self) -> bool {
        false
    }

    /// The change of the network that an input of a node causes, if any: so a node can model the
    /// network.
    fn network_change(&self, _node: NodeId, _input: &Input) -> Option<NetworkChange> {
        None
    }

    /// The budget that a command takes from, if it is rationed: `signal`.
    fn command_budget(&self, _command: &Ordered) -> Option<&str> {
        None
    }

    /// Whether a command is strongly fair: if it can be given infinitely often, it is given
    /// infinitely often. Otherwise it may never be given.
    fn is_fair(&self, _command: &Ordered) -> bool {
        false
    }

    /// The budget that the firing of a timer takes from, if it is rationed: `ttl lapse`.
    fn timer_budget(&self, _timer: &Ordered) -> Option<&str> {
        None
    }

    /// Whether a message is gossip that is sent periodically and is idempotent: two equal ones in
    /// flight count as one, and no time relation waits for it.
    fn is_idempotent_gossip(&self, _message: &Ordered) -> bool {
        false
    }

    /// Whether the transport delivers this message at most once: no fault duplicates it.
    fn comes_once(&self, _message: &Ordered) -> bool {
        false
    }

    /// Whether a caller learns of a reply before it takes another step of its own, unless the fault
    /// `late answer` happens.
    fn replies_are_prompt(&self) -> bool {
        true
    }

    /// Whether this message is the server's reply to that request.
    fn is_answer(&self, _request: &Ordered, _answer: &Ordered) -> bool {
        false
    }

    /// Whether a message is always the reply to a call, even if a channel leads to its receiver.
    fn is_reply(&self, _message: &Ordered) -> bool {
        false
    }

    /// Whether a reply without an open request is a violation. Otherwise it has no effect.
    fn answers_requests_only(&self) -> bool {
        false
    }

    /// What a caller receives if this request or this reply is lost.
    fn unanswered(&self, _message: &Ordered) -> Option<Ordered> {
        None
    }

    /// The server error in reply to this request, or instead of this reply.
    fn server_error(&self, _message: &Ordered) -> Option<Ordered> {
        None
    }

    /// What a caller receives if the connection for this request is refused.
    fn refused(&self, _request: &Ordered) -> Option<Ordered> {
        None
    }

    /// What the server receives if the connection of this request breaks while it waits for its
    /// reply. The caller receives [`System::unanswered`].
    fn hung_up(&self, _request: &Ordered) -> Option<Ordered> {
        None
    }

    /// An orphaned request as its server receives it: a duplicate, or one whose caller is gone.
    fn orphaned(&self, request: &Ordered) -> Ordered {
        request.clone()
    }

    /// Whether a time relation between two kinds of timers holds of these two: they are counted
    /// from the same event.
    fn are_related(
        &self,
        _earlier: (NodeId, &Value, &Ordered),
        _later: (NodeId, &Value, &Ordered),
    ) -> bool {
        true
    }

    /// What expires when this timer fires, if replies in flight may tell that it is valid.
    fn expires(&self, _node: NodeId, _state: &Value, _timer: &Ordered) -> Option<Value> {
        None
    }

    /// Makes a reply stale that tells of something valid, once that has expired (anything for
    /// `None`).
    fn expire(&self, _answer: &mut Ordered, _expired: Option<&Value>) {}

    /// The initial monitor; adds the rules that steps before the first state broke.
    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        Value::new(())
    }

    /// Updates the monitor by an observation, and adds the rules that the step breaks by it.
    fn observe(&self, _watch: &mut Value, _seen: &Observation, _breaches: &mut Breaches) {}

    /// Whether [`System::rename`] replaces every node of a symmetric role in a value. If not, no
    /// role is treated as symmetric.
    fn renames(&self) -> bool {
        false
    }

    /// Replaces each node `n` that the value names by `to[n]`; entries indexed by node are moved.
    fn rename(&self, _value: Naming<'_>, _to: &[NodeId]) {}

    /// Whether a property distinguishes the nodes of a symmetric role: worlds with that property
    /// are not reduced by symmetry.
    fn names_a_node(&self, _property: &str) -> bool {
        false
    }
}
