//! What a World must be told about a system: which cores, wired how. Never what they do.
//!
//! A system puts cores of several kinds behind one set of types, usually enums with one variant a
//! core. The World calls [`System::step`] and interprets the effects; all else here is wiring.

use std::fmt::Debug;

use turnstile_step::{Effect, Input, Out};

use crate::monitor::Observation;
use crate::value::Content;
use crate::wiring::{Cut, NodeId};

/// The types of a system, for all its cores together. Implemented by an empty struct, so that
/// the parts of a state derive what they need.
pub trait Types: Copy + Debug + Send + Sync + 'static {
    /// The state of any of its cores.
    type State: Content;
    /// What nodes send each other.
    type Message: Content + Ord;
    /// The name of a timer of any of its cores.
    type Timer: Content + Copy + Ord;
    /// What a node's user may ask.
    type Command: Content + Ord;
    /// What a node's user is told.
    type Notice: Content;
    /// What survives a crash.
    type Saved: Content;
    /// What the properties remember of the past.
    type Monitor: Content;
    /// What an expired timer makes stale: a lease, by its id.
    type Mark: Content;
}

/// The input of a system's node.
pub type InputOf<T> = Input<
    NodeId,
    <T as Types>::Message,
    <T as Types>::Timer,
    <T as Types>::Command,
    <T as Types>::Saved,
>;

/// The effect of a system's node.
pub type EffectOf<T> = Effect<
    NodeId,
    <T as Types>::Message,
    <T as Types>::Timer,
    <T as Types>::Notice,
    <T as Types>::Saved,
>;

/// Where a step of a system's node writes.
pub type OutOf<T> = Out<EffectOf<T>>;

/// What is seen of a system's node.
pub type ObservationOf<T> = Observation<<T as Types>::Command, <T as Types>::Notice>;

/// The state type of a system.
pub type StateOf<S> = <<S as System>::Types as Types>::State;
/// The message type of a system.
pub type MessageOf<S> = <<S as System>::Types as Types>::Message;
/// The timer type of a system.
pub type TimerOf<S> = <<S as System>::Types as Types>::Timer;
/// The command type of a system.
pub type CommandOf<S> = <<S as System>::Types as Types>::Command;
/// The type of what survives a crash.
pub type SavedOf<S> = <<S as System>::Types as Types>::Saved;
/// The monitor type of a system.
pub type MonitorOf<S> = <<S as System>::Types as Types>::Monitor;
/// The mark type of a system.
pub type MarkOf<S> = <<S as System>::Types as Types>::Mark;

/// A value in a state that may name nodes.
#[derive(Debug)]
pub enum Named<'a, T: Types> {
    /// A core's state.
    State(&'a mut T::State),
    /// A message in flight.
    Message(&'a mut T::Message),
    /// An armed timer.
    Timer(&'a mut T::Timer),
    /// What a node saved.
    Saved(&'a mut T::Saved),
    /// What the properties remember.
    Monitor(&'a mut T::Monitor),
}

/// Cores and how they are wired.
///
/// Every method is a pure function of its arguments: a search calls each once for the same
/// arguments and remembers the answer.
pub trait System: Sized + Debug + Send + Sync + 'static {
    /// Its types.
    type Types: Types;

    /// The budgets that [`System::command_budget`] and [`System::timer_budget`] name.
    const BUDGETS: &'static [&'static str] = &[];

    /// The state of a node that has never run.
    fn start(&self, node: NodeId) -> StateOf<Self>;

    /// The timers that are armed when a node starts.
    fn armed(&self, _node: NodeId) -> Vec<TimerOf<Self>> {
        Vec::new()
    }

    /// The shipped step. `choice` says which row is to be taken where several match.
    fn step(
        &self,
        node: NodeId,
        choice: u8,
        state: &mut StateOf<Self>,
        input: InputOf<Self::Types>,
        out: &mut OutOf<Self::Types>,
    );

    /// Puts a newly saved part to what was saved before.
    fn keep(&self, saved: &mut Option<SavedOf<Self>>, new: SavedOf<Self>) {
        *saved = Some(new);
    }

    /// How many rows may match one event at a node at most: 1 for a sound table.
    fn choices(&self, _node: NodeId) -> u8 {
        1
    }

    /// What the node's user may ask now, in a fixed order.
    fn commands(&self, node: NodeId, state: &StateOf<Self>) -> Vec<CommandOf<Self>>;

    /// What an input of a node does to the links of other nodes, if it cuts or mends any: so a node
    /// can stand for the network.
    fn cut(&self, _node: NodeId, _input: &InputOf<Self::Types>) -> Option<Cut> {
        None
    }

    /// The budget that a command takes from, if it is rationed: `signal`.
    fn command_budget(&self, _command: &CommandOf<Self>) -> Option<&'static str> {
        None
    }

    /// Whether whoever gives this command gives it again and again, as long as it can be given: a
    /// discovery that finds what is there. Otherwise it may as well never come.
    fn insists(&self, _command: &CommandOf<Self>) -> bool {
        false
    }

    /// The budget that the firing of a timer takes from, if it is rationed: `ttl lapse`.
    fn timer_budget(&self, _timer: &TimerOf<Self>) -> Option<&'static str> {
        None
    }

    /// Whether this message is sent again and again, so that two of them on their way are one, and
    /// so that nothing waits for it.
    fn is_background(&self, _message: &MessageOf<Self>) -> bool {
        false
    }

    /// Whether what brings this message is agreed to bring it once: no fault doubles it.
    fn comes_once(&self, _message: &MessageOf<Self>) -> bool {
        false
    }

    /// Whether the server's answer to that request is this message.
    fn is_answer(&self, _request: &MessageOf<Self>, _answer: &MessageOf<Self>) -> bool {
        false
    }

    /// Whether a message only ever answers a call, where a link goes its way, too.
    fn is_reply(&self, _message: &MessageOf<Self>) -> bool {
        false
    }

    /// What a caller sees instead of an answer to this request, or instead of this answer.
    fn unanswered(&self, _message: &MessageOf<Self>) -> Option<MessageOf<Self>> {
        None
    }

    /// What a server in trouble answers to this request, or instead of this answer.
    fn server_error(&self, _message: &MessageOf<Self>) -> Option<MessageOf<Self>> {
        None
    }

    /// What a caller sees instead whose request nobody takes, and that knows it.
    fn refused(&self, _request: &MessageOf<Self>) -> Option<MessageOf<Self>> {
        None
    }

    /// What reaches the server when the connection breaks on which a request waits for its answer.
    /// The caller sees [`System::unanswered`].
    fn hung_up(&self, _request: &MessageOf<Self>) -> Option<MessageOf<Self>> {
        None
    }

    /// A request that nobody waits for as its server sees it: a copy that went another way, or one
    /// whose caller is gone.
    fn stray(&self, request: &MessageOf<Self>) -> MessageOf<Self> {
        request.clone()
    }

    /// A timer's name in the time relations: `lease`.
    fn timer_name(&self, _timer: &TimerOf<Self>) -> &'static str {
        ""
    }

    /// Whether two timers that a time relation names belong to the same grant.
    fn is_same_grant(
        &self,
        _earlier: (NodeId, &StateOf<Self>, &TimerOf<Self>),
        _later: (NodeId, &StateOf<Self>, &TimerOf<Self>),
    ) -> bool {
        true
    }

    /// What becomes stale when this timer fires.
    fn mark(
        &self,
        _node: NodeId,
        _state: &StateOf<Self>,
        _timer: &TimerOf<Self>,
    ) -> Option<MarkOf<Self>> {
        None
    }

    /// Makes what an answer carries stale, if it is the marked thing (any thing for `None`).
    fn lapse(&self, _answer: &mut MessageOf<Self>, _mark: Option<&MarkOf<Self>>) {}

    /// What the properties remember before anything happens.
    fn monitor(&self) -> MonitorOf<Self>;

    /// Remembers.
    fn observe(&self, _watch: &mut MonitorOf<Self>, _seen: &ObservationOf<Self::Types>) {}

    /// Whether [`System::rename`] reaches every node of a symmetric role that a value names. Until
    /// it does, the nodes of a role that is said to be symmetric are told apart.
    fn renames(&self) -> bool {
        false
    }

    /// Replaces each node `n` that the value names by `to[n]`; what is kept by node is moved.
    fn rename(&self, _value: Named<'_, Self::Types>, _to: &[NodeId]) {}

    /// Whether a property tells the nodes of a symmetric role apart. In its worlds they are not
    /// taken for each other.
    fn names_a_node(&self, _property: &str) -> bool {
        false
    }

    /// An input in the words of the table: `response (503)`.
    fn input_words(&self, _node: NodeId, input: &InputOf<Self::Types>) -> String {
        format!("{input:?}")
    }

    /// A message in a few words: `POST`, `409`.
    fn message_words(&self, message: &MessageOf<Self>) -> String {
        format!("{message:?}")
    }

    /// An effect that is no message in a few words; nothing for one that says nothing.
    fn effect_words(&self, _node: NodeId, effect: &EffectOf<Self::Types>) -> Option<String> {
        Some(format!("{effect:?}"))
    }

    /// A node's state in a few words: `Registering`.
    fn state_words(&self, _state: &StateOf<Self>) -> Option<String> {
        None
    }
}
