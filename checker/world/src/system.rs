//! A system as the World and every search know it: nodes whose types only they know. So World and
//! searches are compiled once, and not once for each system.

use std::fmt::Debug;

use turnstile_step as step;

use crate::monitor::Observation;
use crate::value::{Ordered, Value};
use crate::wiring::{Cut, NodeId};

/// The input of a node.
pub type Input = step::Input<NodeId, Ordered, Ordered, Ordered, Value>;

/// The effect of a node.
pub type Effect = step::Effect<NodeId, Ordered, Ordered, Value, Value>;

/// Where a step of a node writes.
pub type Out = step::Out<Effect>;

/// A value in a state that may name nodes.
#[derive(Debug)]
pub enum Naming<'a> {
    /// A core's state.
    State(&'a mut Value),
    /// A message in flight.
    Message(&'a mut Ordered),
    /// An armed timer.
    Timer(&'a mut Ordered),
    /// What a node saved.
    Saved(&'a mut Value),
    /// What the properties remember.
    Monitor(&'a mut Value),
}

/// What a World asks of one node: a core, and who uses it.
pub trait NodeCore: Debug + Send + Sync + 'static {
    /// The state of a node that has never run.
    fn start(&self) -> Value;

    /// The same, and what it does when it begins: for whoever has it run before a World does.
    fn begin(&self, _out: &mut Out) -> Value {
        self.start()
    }

    /// The timers that are armed when it starts.
    fn armed(&self) -> Vec<Ordered> {
        Vec::new()
    }

    /// The shipped step. `choice` says which row is to be taken where several match.
    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out);

    /// Puts a newly saved part to what was saved before.
    fn keep(&self, saved: &mut Option<Value>, new: &Value) {
        *saved = Some(new.clone());
    }

    /// How many rows may match one event at most: 1 for a sound table.
    fn choices(&self) -> u8 {
        1
    }

    /// What its user may ask now, in a fixed order.
    fn commands(&self, state: &Value) -> Vec<Ordered>;

    /// A timer's name in the time relations: `lease`.
    fn timer_name(&self, _timer: &Ordered) -> &'static str {
        ""
    }

    /// An input in a few words: `response (503)`.
    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Fired(_) | Input::Command(_) | Input::Restart(_) => format!("{input:?}"),
        }
    }

    /// A message that it sends or gets in a few words: `POST`, `409`.
    fn message_words(&self, message: &Ordered) -> String {
        format!("{message:?}")
    }

    /// An effect that is no message in a few words; nothing for one that says nothing.
    fn effect_words(&self, effect: &Effect) -> Option<String> {
        Some(format!("{effect:?}"))
    }

    /// A state in a few words: `Registering`.
    fn state_words(&self, _state: &Value) -> Option<String> {
        None
    }
}

/// What a World asks of a system: its nodes, and what no core decides. Every method is a pure
/// function of its arguments: a search calls each once for the same arguments and remembers the
/// answer.
pub trait System: Debug + Send + Sync + 'static {
    /// A node.
    fn node(&self, node: NodeId) -> &dyn NodeCore;

    /// The budgets that [`System::command_budget`] and [`System::timer_budget`] name.
    fn budgets(&self) -> &'static [&'static str] {
        &[]
    }

    /// What an input of a node does to the links of other nodes, if it cuts or mends any: so a node
    /// can stand for the network.
    fn cut(&self, _node: NodeId, _input: &Input) -> Option<Cut> {
        None
    }

    /// The budget that a command takes from, if it is rationed: `signal`.
    fn command_budget(&self, _command: &Ordered) -> Option<&'static str> {
        None
    }

    /// Whether whoever gives this command gives it again and again, as long as it can be given.
    /// Otherwise it may as well never come.
    fn insists(&self, _command: &Ordered) -> bool {
        false
    }

    /// The budget that the firing of a timer takes from, if it is rationed: `ttl lapse`.
    fn timer_budget(&self, _timer: &Ordered) -> Option<&'static str> {
        None
    }

    /// Whether this message is sent again and again, so that two of them on their way are one, and
    /// so that nothing waits for it.
    fn is_background(&self, _message: &Ordered) -> bool {
        false
    }

    /// Whether what brings this message is agreed to bring it once: no fault doubles it.
    fn comes_once(&self, _message: &Ordered) -> bool {
        false
    }

    /// Whether the server's answer to that request is this message.
    fn is_answer(&self, _request: &Ordered, _answer: &Ordered) -> bool {
        false
    }

    /// Whether a message only ever answers a call, where a link goes its way, too.
    fn is_reply(&self, _message: &Ordered) -> bool {
        false
    }

    /// What a caller sees instead of an answer to this request, or instead of this answer.
    fn unanswered(&self, _message: &Ordered) -> Option<Ordered> {
        None
    }

    /// What a server in trouble answers to this request, or instead of this answer.
    fn server_error(&self, _message: &Ordered) -> Option<Ordered> {
        None
    }

    /// What a caller sees instead whose request nobody takes, and that knows it.
    fn refused(&self, _request: &Ordered) -> Option<Ordered> {
        None
    }

    /// What reaches the server when the connection breaks on which a request waits for its answer.
    /// The caller sees [`System::unanswered`].
    fn hung_up(&self, _request: &Ordered) -> Option<Ordered> {
        None
    }

    /// A request that nobody waits for as its server sees it: a copy that went another way, or one
    /// whose caller is gone.
    fn stray(&self, request: &Ordered) -> Ordered {
        request.clone()
    }

    /// Whether two timers that a time relation names belong to the same grant.
    fn is_same_grant(
        &self,
        _earlier: (NodeId, &Value, &Ordered),
        _later: (NodeId, &Value, &Ordered),
    ) -> bool {
        true
    }

    /// What becomes stale when this timer fires.
    fn mark(&self, _node: NodeId, _state: &Value, _timer: &Ordered) -> Option<Value> {
        None
    }

    /// Makes what an answer carries stale, if it is the marked thing (any thing for `None`).
    fn lapse(&self, _answer: &mut Ordered, _mark: Option<&Value>) {}

    /// What the properties remember before anything happens.
    fn monitor(&self) -> Value {
        Value::new(())
    }

    /// Remembers.
    fn observe(&self, _watch: &mut Value, _seen: &Observation) {}

    /// Whether [`System::rename`] reaches every node of a symmetric role that a value names. Until
    /// it does, the nodes of a role that is said to be symmetric are told apart.
    fn renames(&self) -> bool {
        false
    }

    /// Replaces each node `n` that the value names by `to[n]`; what is kept by node is moved.
    fn rename(&self, _value: Naming<'_>, _to: &[NodeId]) {}

    /// Whether a property tells the nodes of a symmetric role apart. In its worlds they are not
    /// taken for each other.
    fn names_a_node(&self, _property: &str) -> bool {
        false
    }
}
