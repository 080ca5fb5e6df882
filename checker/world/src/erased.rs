//! A system with the types of its cores erased, as the World and every search know it: so they are
//! compiled once, and not once for each system.

use std::fmt::Debug;

use turnstile_step as step;

use crate::system::{self, Cut, Named, NodeId, Types};
use crate::value::{Ordered, Value};
use crate::watch::Seen;

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
    Watch(&'a mut Value),
}

/// What a World asks of a system: each method is that of [`system::System`].
#[expect(missing_docs, reason = "each method is that of the typed trait, and said there")]
pub trait System: Debug + Send + Sync + 'static {
    fn budgets(&self) -> &'static [&'static str];
    fn start(&self, node: NodeId) -> Value;
    fn armed(&self, node: NodeId) -> Vec<Ordered>;
    fn step(&self, node: NodeId, choice: u8, state: &mut Value, input: Input, out: &mut Out);
    fn keep(&self, saved: &mut Option<Value>, new: &Value);
    fn choices(&self, node: NodeId) -> u8;
    fn commands(&self, node: NodeId, state: &Value) -> Vec<Ordered>;
    fn cut(&self, node: NodeId, input: &Input) -> Option<Cut>;
    fn command_budget(&self, command: &Ordered) -> Option<&'static str>;
    fn insists(&self, command: &Ordered) -> bool;
    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str>;
    fn is_background(&self, message: &Ordered) -> bool;
    fn comes_once(&self, message: &Ordered) -> bool;
    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool;
    fn is_reply(&self, message: &Ordered) -> bool;
    fn unanswered(&self, message: &Ordered) -> Option<Ordered>;
    fn server_error(&self, message: &Ordered) -> Option<Ordered>;
    fn refused(&self, request: &Ordered) -> Option<Ordered>;
    fn hung_up(&self, request: &Ordered) -> Option<Ordered>;
    fn stray(&self, request: &Ordered) -> Ordered;
    fn timer_name(&self, timer: &Ordered) -> &'static str;
    fn is_same_grant(
        &self,
        earlier: (NodeId, &Value, &Ordered),
        later: (NodeId, &Value, &Ordered),
    ) -> bool;
    fn mark(&self, node: NodeId, state: &Value, timer: &Ordered) -> Option<Value>;
    fn lapse(&self, answer: &mut Ordered, mark: Option<&Value>);
    fn watch(&self) -> Value;
    fn observe(&self, watch: &mut Value, seen: &Seen);
    fn renames(&self) -> bool;
    fn rename(&self, value: Naming<'_>, to: &[NodeId]);
    fn names_a_node(&self, property: &str) -> bool;
    fn input_words(&self, node: NodeId, input: &Input) -> String;
    fn message_words(&self, message: &Ordered) -> String;
    fn effect_words(&self, node: NodeId, effect: &Effect) -> Option<String>;
    fn state_words(&self, state: &Value) -> Option<String>;
}

/// A system of cores, with its types erased.
#[derive(Debug)]
pub(super) struct Erased<S>(pub(super) S);

type State<S> = system::StateOf<S>;
type Message<S> = system::MessageOf<S>;
type Timer<S> = system::TimerOf<S>;
type Command<S> = system::CommandOf<S>;
type Saved<S> = system::SavedOf<S>;
type Watch<S> = system::WatchOf<S>;
type Notice<S> = <<S as system::System>::Types as Types>::Notice;

impl<S: system::System> System for Erased<S> {
    fn budgets(&self) -> &'static [&'static str] {
        S::BUDGETS
    }

    fn start(&self, node: NodeId) -> Value {
        Value::new(self.0.start(node))
    }

    fn armed(&self, node: NodeId) -> Vec<Ordered> {
        self.0.armed(node).into_iter().map(Ordered::new).collect()
    }

    fn step(&self, node: NodeId, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let mut typed = step::Out::default();
        self.0.step(node, choice, state.of_mut(), typed_input::<S>(&input), &mut typed);
        out.rows.append(&mut typed.rows);
        out.effects.extend(typed.effects.into_iter().map(|effect| match effect {
            step::Effect::Send { to, message } => {
                Effect::Send { to, message: Ordered::new(message) }
            }
            step::Effect::Arm(timer) => Effect::Arm(Ordered::new(timer)),
            step::Effect::Disarm(timer) => Effect::Disarm(Ordered::new(timer)),
            step::Effect::Save(saved) => Effect::Save(Value::new(saved)),
            step::Effect::Notify(notice) => Effect::Notify(Value::new(notice)),
        }));
    }

    fn keep(&self, saved: &mut Option<Value>, new: &Value) {
        let mut typed = saved.take().map(|saved| saved.of::<Saved<S>>().clone());
        self.0.keep(&mut typed, new.of::<Saved<S>>().clone());
        *saved = typed.map(Value::new);
    }

    fn choices(&self, node: NodeId) -> u8 {
        self.0.choices(node)
    }

    fn commands(&self, node: NodeId, state: &Value) -> Vec<Ordered> {
        self.0.commands(node, state.of()).into_iter().map(Ordered::new).collect()
    }

    fn cut(&self, node: NodeId, input: &Input) -> Option<Cut> {
        self.0.cut(node, &typed_input::<S>(input))
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        self.0.command_budget(command.of())
    }

    fn insists(&self, command: &Ordered) -> bool {
        self.0.insists(command.of())
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        self.0.timer_budget(timer.of())
    }

    fn is_background(&self, message: &Ordered) -> bool {
        self.0.is_background(message.of())
    }

    fn comes_once(&self, message: &Ordered) -> bool {
        self.0.comes_once(message.of())
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        self.0.is_answer(request.of(), answer.of())
    }

    fn is_reply(&self, message: &Ordered) -> bool {
        self.0.is_reply(message.of())
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        self.0.unanswered(message.of()).map(Ordered::new)
    }

    fn server_error(&self, message: &Ordered) -> Option<Ordered> {
        self.0.server_error(message.of()).map(Ordered::new)
    }

    fn refused(&self, request: &Ordered) -> Option<Ordered> {
        self.0.refused(request.of()).map(Ordered::new)
    }

    fn hung_up(&self, request: &Ordered) -> Option<Ordered> {
        self.0.hung_up(request.of()).map(Ordered::new)
    }

    fn stray(&self, request: &Ordered) -> Ordered {
        Ordered::new(self.0.stray(request.of()))
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.0.timer_name(timer.of())
    }

    fn is_same_grant(
        &self,
        earlier: (NodeId, &Value, &Ordered),
        later: (NodeId, &Value, &Ordered),
    ) -> bool {
        let [earlier, later] =
            [earlier, later].map(|(node, state, timer)| (node, state.of(), timer.of()));
        self.0.is_same_grant(earlier, later)
    }

    fn mark(&self, node: NodeId, state: &Value, timer: &Ordered) -> Option<Value> {
        self.0.mark(node, state.of(), timer.of()).map(Value::new)
    }

    fn lapse(&self, answer: &mut Ordered, mark: Option<&Value>) {
        self.0.lapse(answer.of_mut(), mark.map(|mark| mark.of()));
    }

    fn watch(&self) -> Value {
        Value::new(self.0.watch())
    }

    fn observe(&self, watch: &mut Value, seen: &Seen) {
        let seen = match seen {
            Seen::Asked(node, command) => Seen::Asked(*node, command.of::<Command<S>>().clone()),
            Seen::Told(node, notice) => Seen::Told(*node, notice.of::<Notice<S>>().clone()),
            Seen::Crashed(node) => Seen::Crashed(*node),
            Seen::Restarted(node) => Seen::Restarted(*node),
            Seen::Trouble(trouble) => Seen::Trouble(trouble.clone()),
        };
        self.0.observe(watch.of_mut(), &seen);
    }

    fn renames(&self) -> bool {
        self.0.renames()
    }

    fn rename(&self, value: Naming<'_>, to: &[NodeId]) {
        let value = match value {
            Naming::State(state) => Named::State(state.of_mut::<State<S>>()),
            Naming::Message(message) => Named::Message(message.of_mut::<Message<S>>()),
            Naming::Timer(timer) => Named::Timer(timer.of_mut::<Timer<S>>()),
            Naming::Saved(saved) => Named::Saved(saved.of_mut::<Saved<S>>()),
            Naming::Watch(watch) => Named::Watch(watch.of_mut::<Watch<S>>()),
        };
        self.0.rename(value, to);
    }

    fn names_a_node(&self, property: &str) -> bool {
        self.0.names_a_node(property)
    }

    fn input_words(&self, node: NodeId, input: &Input) -> String {
        self.0.input_words(node, &typed_input::<S>(input))
    }

    fn message_words(&self, message: &Ordered) -> String {
        self.0.message_words(message.of())
    }

    fn effect_words(&self, node: NodeId, effect: &Effect) -> Option<String> {
        self.0.effect_words(node, &typed_effect::<S>(effect))
    }

    fn state_words(&self, state: &Value) -> Option<String> {
        self.0.state_words(state.of())
    }
}

/// An input with its types.
fn typed_input<S: system::System>(input: &Input) -> system::InputOf<S::Types> {
    match input {
        Input::Message { from, message } => {
            step::Input::Message { from: *from, message: message.of::<Message<S>>().clone() }
        }
        Input::Fired(timer) => step::Input::Fired(*timer.of::<Timer<S>>()),
        Input::Command(command) => step::Input::Command(command.of::<Command<S>>().clone()),
        Input::Restart(saved) => {
            step::Input::Restart(saved.as_ref().map(|saved| saved.of::<Saved<S>>().clone()))
        }
    }
}

/// An effect with its types.
fn typed_effect<S: system::System>(effect: &Effect) -> system::EffectOf<S::Types> {
    match effect {
        Effect::Send { to, message } => {
            step::Effect::Send { to: *to, message: message.of::<Message<S>>().clone() }
        }
        Effect::Arm(timer) => step::Effect::Arm(*timer.of::<Timer<S>>()),
        Effect::Disarm(timer) => step::Effect::Disarm(*timer.of::<Timer<S>>()),
        Effect::Save(saved) => step::Effect::Save(saved.of::<Saved<S>>().clone()),
        Effect::Notify(notice) => step::Effect::Notify(notice.of::<Notice<S>>().clone()),
    }
}
