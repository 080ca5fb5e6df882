//! A system of one set of types for all its nodes ([`system::System`]), with the types erased.

use std::sync::Arc;

use turnstile_step as step;

use crate::erased::{Effect, Input, Naming, NodeCore, Out, System};
use crate::monitor::Observation;
use crate::system::{self, Named, Types};
use crate::value::{Ordered, Value};
use crate::wiring::{Cut, NodeId};

/// A system with its types erased.
#[derive(Debug)]
struct Erased<S> {
    system: Arc<S>,
    nodes: Vec<One<S>>,
}

/// A node of a system with its types erased.
#[derive(Debug)]
struct One<S> {
    system: Arc<S>,
    node: NodeId,
}

/// A system of so many nodes, with its types erased.
pub fn erased(system: impl system::System, nodes: usize) -> Arc<dyn System> {
    let system = Arc::new(system);
    let nodes = (0..nodes).map(|node| One { system: Arc::clone(&system), node }).collect();
    Arc::new(Erased { system, nodes })
}

type State<S> = system::StateOf<S>;
type Message<S> = system::MessageOf<S>;
type Timer<S> = system::TimerOf<S>;
type Command<S> = system::CommandOf<S>;
type Saved<S> = system::SavedOf<S>;
type Monitor<S> = system::MonitorOf<S>;
type Notice<S> = <<S as system::System>::Types as Types>::Notice;

impl<S: system::System> NodeCore for One<S> {
    fn start(&self) -> Value {
        Value::new(self.system.start(self.node))
    }

    fn armed(&self) -> Vec<Ordered> {
        self.system.armed(self.node).into_iter().map(Ordered::new).collect()
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let mut typed = step::Out::default();
        self.system.step(self.node, choice, state.of_mut(), typed_input::<S>(&input), &mut typed);
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
        self.system.keep(&mut typed, new.of::<Saved<S>>().clone());
        *saved = typed.map(Value::new);
    }

    fn choices(&self) -> u8 {
        self.system.choices(self.node)
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        self.system.commands(self.node, state.of()).into_iter().map(Ordered::new).collect()
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.system.timer_name(timer.of())
    }

    fn input_words(&self, input: &Input) -> String {
        self.system.input_words(self.node, &typed_input::<S>(input))
    }

    fn message_words(&self, message: &Ordered) -> String {
        self.system.message_words(message.of())
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        self.system.effect_words(self.node, &typed_effect::<S>(effect))
    }

    fn state_words(&self, state: &Value) -> Option<String> {
        self.system.state_words(state.of())
    }
}

impl<S: system::System> System for Erased<S> {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        &self.nodes[node]
    }

    fn budgets(&self) -> &'static [&'static str] {
        S::BUDGETS
    }

    fn cut(&self, node: NodeId, input: &Input) -> Option<Cut> {
        self.system.cut(node, &typed_input::<S>(input))
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        self.system.command_budget(command.of())
    }

    fn insists(&self, command: &Ordered) -> bool {
        self.system.insists(command.of())
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        self.system.timer_budget(timer.of())
    }

    fn is_background(&self, message: &Ordered) -> bool {
        self.system.is_background(message.of())
    }

    fn comes_once(&self, message: &Ordered) -> bool {
        self.system.comes_once(message.of())
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        self.system.is_answer(request.of(), answer.of())
    }

    fn is_reply(&self, message: &Ordered) -> bool {
        self.system.is_reply(message.of())
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        self.system.unanswered(message.of()).map(Ordered::new)
    }

    fn server_error(&self, message: &Ordered) -> Option<Ordered> {
        self.system.server_error(message.of()).map(Ordered::new)
    }

    fn refused(&self, request: &Ordered) -> Option<Ordered> {
        self.system.refused(request.of()).map(Ordered::new)
    }

    fn hung_up(&self, request: &Ordered) -> Option<Ordered> {
        self.system.hung_up(request.of()).map(Ordered::new)
    }

    fn stray(&self, request: &Ordered) -> Ordered {
        Ordered::new(self.system.stray(request.of()))
    }

    fn is_same_grant(
        &self,
        earlier: (NodeId, &Value, &Ordered),
        later: (NodeId, &Value, &Ordered),
    ) -> bool {
        let [earlier, later] =
            [earlier, later].map(|(node, state, timer)| (node, state.of(), timer.of()));
        self.system.is_same_grant(earlier, later)
    }

    fn mark(&self, node: NodeId, state: &Value, timer: &Ordered) -> Option<Value> {
        self.system.mark(node, state.of(), timer.of()).map(Value::new)
    }

    fn lapse(&self, answer: &mut Ordered, mark: Option<&Value>) {
        self.system.lapse(answer.of_mut(), mark.map(|mark| mark.of()));
    }

    fn monitor(&self) -> Value {
        Value::new(self.system.monitor())
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation) {
        let seen = match seen {
            Observation::Asked(node, command) => {
                Observation::Asked(*node, command.of::<Command<S>>().clone())
            }
            Observation::Told(node, notice) => {
                Observation::Told(*node, notice.of::<Notice<S>>().clone())
            }
            Observation::Crashed(node) => Observation::Crashed(*node),
            Observation::Restarted(node) => Observation::Restarted(*node),
            Observation::Violation(violation) => Observation::Violation(violation.clone()),
        };
        self.system.observe(monitor.of_mut(), &seen);
    }

    fn renames(&self) -> bool {
        self.system.renames()
    }

    fn rename(&self, value: Naming<'_>, to: &[NodeId]) {
        let value = match value {
            Naming::State(state) => Named::State(state.of_mut::<State<S>>()),
            Naming::Message(message) => Named::Message(message.of_mut::<Message<S>>()),
            Naming::Timer(timer) => Named::Timer(timer.of_mut::<Timer<S>>()),
            Naming::Saved(saved) => Named::Saved(saved.of_mut::<Saved<S>>()),
            Naming::Monitor(monitor) => Named::Monitor(monitor.of_mut::<Monitor<S>>()),
        };
        self.system.rename(value, to);
    }

    fn names_a_node(&self, property: &str) -> bool {
        self.system.names_a_node(property)
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
