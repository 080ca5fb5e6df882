//! A core as a node of a World: its step, and the types that the World does not know.

use std::fmt::{Debug, Display};

use turnstile_step::{self as step, Core};

use crate::links::network::NodeId;
use crate::step_rules::Breaches;
use crate::system::{Effect, Input, NodeCore, Out, numbered};
use crate::value::{Content, Ordered, Value};

/// A core and the commands of its user. By default its messages, timers, commands and notices are
/// shown by their `Display`.
pub trait CoreNode: Debug + Send + Sync + 'static {
    /// The core.
    type Core: Core<
            State: Content,
            Message: Content + Display,
            Timer: Content + Display,
            Command: Content + Display,
            Notice: Content + Display,
            Saved: Content,
        >;

    /// The core that takes the row with this number if several match.
    fn core(&self, choice: u8) -> Self::Core;

    /// The step of a core that [`CoreNode::core`] returned, and the rules about single steps that
    /// it breaks.
    fn step(
        &self,
        core: &Self::Core,
        state: &mut <Self::Core as Core>::State,
        input: step::InputOf<Self::Core>,
        out: &mut step::OutOf<Self::Core>,
        _breaches: &mut Breaches,
    ) {
        core.step(state, input, out);
    }

    /// The most rows that may match one event: 1 for an amended table.
    fn choices(&self) -> u8 {
        1
    }

    /// How many outcomes this input may have in this state, at most [`CoreNode::choices`]; by
    /// default that many, of which some may be equal.
    fn choices_of(
        &self,
        _state: &<Self::Core as Core>::State,
        _input: &step::InputOf<Self::Core>,
    ) -> u8 {
        self.choices()
    }

    /// The timers armed in a node that has never run.
    fn armed(&self) -> Vec<<Self::Core as Core>::Timer> {
        Vec::new()
    }

    /// The state of a node that has never run, and its initial effects.
    fn begin(&self, _out: &mut step::OutOf<Self::Core>) -> <Self::Core as Core>::State {
        self.core(0).start()
    }

    /// In how many states a node that has never run may begin.
    fn start_count(&self) -> usize {
        1
    }

    /// The `nth` of these states, with its armed timers.
    fn start_in(&self, _nth: usize) -> Start<Self::Core> {
        (self.begin(&mut step::Out::default()), self.armed())
    }

    /// The node of a peer.
    fn node(&self, peer: <Self::Core as Core>::Peer) -> NodeId;

    /// The peer of a node.
    fn peer(&self, node: NodeId) -> <Self::Core as Core>::Peer;

    /// The commands that its user may give now, in a fixed order.
    fn commands(&self, state: &<Self::Core as Core>::State) -> Vec<<Self::Core as Core>::Command>;

    /// Whether it ignores this command of its user in this state.
    fn ignores(
        &self,
        _state: &<Self::Core as Core>::State,
        _command: &<Self::Core as Core>::Command,
    ) -> bool {
        false
    }

    /// A timer's name in the time relations: `lease`.
    fn timer_name(&self, _timer: &<Self::Core as Core>::Timer) -> &'static str {
        ""
    }

    /// A message that it sends or gets as a short text: `POST`, `409`.
    fn message_words(&self, message: &<Self::Core as Core>::Message) -> String {
        message.to_string()
    }

    /// A message that arrives as a short text.
    fn heard_words(&self, message: &<Self::Core as Core>::Message) -> String {
        CoreNode::message_words(self, message)
    }

    /// A command as a short text: `wants to join`.
    fn command_words(&self, command: &<Self::Core as Core>::Command) -> String {
        command.to_string()
    }

    /// A timer that is armed or disarmed as a short text.
    fn timer_words(&self, timer: &<Self::Core as Core>::Timer) -> String {
        timer.to_string()
    }

    /// A timer that fires as a short text.
    fn fired_words(&self, timer: &<Self::Core as Core>::Timer) -> String {
        format!("{} fires", self.timer_words(timer))
    }

    /// What its user is told as a short text; `None`: it is not displayed.
    fn notice_words(&self, notice: &<Self::Core as Core>::Notice) -> Option<String> {
        Some(notice.to_string())
    }

    /// Whether traces show that a timer is armed or disarmed.
    fn shows_timers(&self) -> bool {
        true
    }

    /// Whether traces show that something is saved.
    fn shows_saves(&self) -> bool {
        true
    }

    /// A state as a short text: `Registering`.
    fn state_words(&self, _state: &<Self::Core as Core>::State) -> Option<String> {
        None
    }

    /// An event of a table that no row handles, with its payload: `response (503)`.
    fn unhandled_words(&self, event: &str, number: u16) -> String {
        numbered(event, number)
    }
}

/// An initial state of a core, and the timers that are armed in it.
pub type Start<C> = (<C as Core>::State, Vec<<C as Core>::Timer>);

type Message<N> = <<N as CoreNode>::Core as Core>::Message;
type Timer<N> = <<N as CoreNode>::Core as Core>::Timer;
type Command<N> = <<N as CoreNode>::Core as Core>::Command;
type Saved<N> = <<N as CoreNode>::Core as Core>::Saved;

impl<N: CoreNode> NodeCore for N {
    fn start(&self) -> Value {
        Value::new(CoreNode::begin(self, &mut step::Out::default()))
    }

    fn begin(&self, out: &mut Out) -> Value {
        let mut typed = step::Out::default();
        let state = CoreNode::begin(self, &mut typed);
        erase(self, typed, out);
        Value::new(state)
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let (input, mut typed) = (typed_input(self, &input), step::Out::default());
        let core = self.core(choice);
        CoreNode::step(self, &core, state.of_mut(), input, &mut typed, &mut out.breaches);
        erase(self, typed, out);
    }

    fn keep(&self, saved: &mut Option<Value>, new: &Value) {
        let mut typed = saved.take().map(|saved| saved.of::<Saved<N>>().clone());
        N::Core::merge_saved(&mut typed, new.of::<Saved<N>>().clone());
        *saved = typed.map(Value::new);
    }

    fn choices(&self) -> u8 {
        CoreNode::choices(self)
    }

    fn choices_of(&self, state: &Value, input: &Input) -> u8 {
        match CoreNode::choices(self) {
            1 => 1,
            _ => CoreNode::choices_of(self, state.of(), &typed_input(self, input)),
        }
    }

    fn armed(&self) -> Vec<Ordered> {
        CoreNode::armed(self).into_iter().map(Ordered::new).collect()
    }

    fn start_count(&self) -> usize {
        CoreNode::start_count(self)
    }

    fn start_in(&self, nth: usize) -> (Value, Vec<Ordered>) {
        let (state, timers) = CoreNode::start_in(self, nth);
        (Value::new(state), timers.into_iter().map(Ordered::new).collect())
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        CoreNode::commands(self, state.of()).into_iter().map(Ordered::new).collect()
    }

    fn ignores(&self, state: &Value, command: &Ordered) -> bool {
        CoreNode::ignores(self, state.of(), command.of())
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        CoreNode::timer_name(self, timer.of())
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.heard_words(message.of()),
            Input::Fired(timer) => self.fired_words(timer.of()),
            Input::Command(command) => self.command_words(command.of()),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        CoreNode::message_words(self, message.of())
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        match effect {
            Effect::Send { message, .. } => Some(NodeCore::message_words(self, message)),
            Effect::Arm(_) | Effect::Disarm(_) if !self.shows_timers() => None,
            Effect::Arm(timer) => Some(format!("arms {}", self.timer_words(timer.of()))),
            Effect::Disarm(timer) => Some(format!("disarms {}", self.timer_words(timer.of()))),
            Effect::Save(_) => self.shows_saves().then(|| "saves".to_owned()),
            Effect::Notify(notice) => self.notice_words(notice.of()),
        }
    }

    fn state_words(&self, state: &Value) -> Option<String> {
        CoreNode::state_words(self, state.of())
    }

    fn unhandled_words(&self, event: &str, number: u16) -> String {
        CoreNode::unhandled_words(self, event, number)
    }
}

/// The input of a core.
fn typed_input<N: CoreNode>(node: &N, input: &Input) -> step::InputOf<N::Core> {
    match input {
        Input::Message { from, message } => step::Input::Message {
            from: node.peer(*from),
            message: message.of::<Message<N>>().clone(),
        },
        Input::Fired(timer) => step::Input::Fired(*timer.of::<Timer<N>>()),
        Input::Command(command) => step::Input::Command(command.of::<Command<N>>().clone()),
        Input::Restart(saved) => {
            step::Input::Restart(saved.as_ref().map(|saved| saved.of::<Saved<N>>().clone()))
        }
    }
}

/// Appends the output of a core, with its types erased.
fn erase<N: CoreNode>(node: &N, typed: step::OutOf<N::Core>, out: &mut Out) {
    out.rows.extend(typed.rows);
    out.effects.extend(typed.effects.into_iter().map(|effect| match effect {
        step::Effect::Send { to, message } => {
            Effect::Send { to: node.node(to), message: Ordered::new(message) }
        }
        step::Effect::Arm(timer) => Effect::Arm(Ordered::new(timer)),
        step::Effect::Disarm(timer) => Effect::Disarm(Ordered::new(timer)),
        step::Effect::Save(saved) => Effect::Save(Value::new(saved)),
        step::Effect::Notify(notice) => Effect::Notify(Value::new(notice)),
    }));
}
