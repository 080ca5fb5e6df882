//! One node: a core's state, its armed timers, what it saved, and whether it runs.
//!
//! The functions are pure and look at one node only, so that a search may remember what they say.

use turnstile_core::step::{Effect, Input, Out, Taken};
use turnstile_core::{Class, Numbers};

use crate::world::system::{EffectOf, InputOf, NodeId, System, Types};
use crate::world::watch::{Seen, Trouble};

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Life {
    /// It takes inputs.
    Up,
    /// It stands still, believes what it believed, and its timers do not fire.
    Paused,
    /// It has crashed; only what it saved is left.
    Down,
}

/// The part of a state that belongs to one node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodePart<T: Types> {
    /// Whether it runs.
    pub life: Life,
    /// The core's state; the first one while the node is down.
    pub state: T::State,
    /// Armed timers, sorted.
    pub timers: Vec<T::Timer>,
    /// Timers whose time was over before they were disarmed, and that will still fire; sorted.
    pub due: Vec<T::Timer>,
    /// What it saved last.
    pub saved: Option<T::Saved>,
}

impl<T: Types> Numbers for NodePart<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.state.visit(each);
        self.timers.visit(each);
        self.timers.sort_unstable();
        self.due.visit(each);
        self.due.sort_unstable();
        self.saved.visit(each);
    }
}

/// What may happen to a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event<T: Types> {
    /// It takes an input; where several rows match, the one of this number.
    Takes(InputOf<T>, u8),
    /// A timer's time is over, but the node does something else first: to disarm it is too late.
    IsDue(T::Timer),
    /// Such a timer fires.
    FiresLate(T::Timer, u8),
    /// It crashes.
    Crashes,
    /// It starts again with what it saved, after a crash or in one go with it.
    Restarts(u8),
    /// It stands still.
    Pauses,
    /// It goes on.
    Resumes,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped<T: Types> {
    /// The node after it.
    pub node: NodePart<T>,
    /// Messages to other nodes, in order.
    pub sends: Vec<(NodeId, T::Message)>,
    /// What properties may remember.
    pub seen: Vec<Seen<T>>,
    /// The rows taken.
    pub taken: Vec<Taken>,
    /// All effects, for reports.
    pub effects: Vec<EffectOf<T>>,
}

impl<T: Types> NodePart<T> {
    /// A node that has never run.
    #[must_use]
    pub fn start(system: &impl System<Types = T>, node: NodeId) -> Self {
        let mut timers = system.armed(node);
        timers.sort_unstable();
        Self { life: Life::Up, state: system.start(node), timers, due: Vec::new(), saved: None }
    }

    /// Whether it takes inputs.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.life == Life::Up
    }

    /// What may happen to it by itself or by its user, in a fixed order: timers, commands, timers
    /// that are late, then crash, restart, pause.
    #[must_use]
    pub fn events(&self, system: &impl System<Types = T>, node: NodeId) -> Vec<Event<T>> {
        match self.life {
            Life::Paused => vec![Event::Resumes],
            Life::Down => (0..system.choices(node)).map(Event::Restarts).collect(),
            Life::Up => {
                let fired = self.timers.iter().map(|timer| Input::Fired(*timer));
                let asked = system.commands(node, &self.state).into_iter().map(Input::Command);
                let mut events: Vec<_> =
                    fired.chain(asked).flat_map(|input| takes(system, node, input)).collect();
                events.extend(self.timers.iter().copied().map(Event::IsDue));
                let choices = 0..system.choices(node);
                events.extend(self.due.iter().flat_map(|timer| {
                    choices.clone().map(|choice| Event::FiresLate(*timer, choice))
                }));
                events.push(Event::Crashes);
                events.extend((0..system.choices(node)).map(Event::Restarts));
                events.push(Event::Pauses);
                events
            }
        }
    }

    /// What this event does to it.
    #[must_use]
    pub fn step(
        &self,
        system: &impl System<Types = T>,
        node: NodeId,
        event: &Event<T>,
    ) -> Stepped<T> {
        let mut next = Stepped {
            node: self.clone(),
            sends: Vec::new(),
            seen: Vec::new(),
            taken: Vec::new(),
            effects: Vec::new(),
        };
        match event {
            Event::IsDue(timer) => {
                next.node.timers.retain(|armed| armed != timer);
                next.node.due.push(*timer);
                next.node.due.sort_unstable();
            }
            Event::FiresLate(timer, choice) => {
                let due = &mut next.node.due;
                due.iter().position(|one| one == timer).map(|place| due.remove(place));
                next.take(system, node, *choice, Input::Fired(*timer));
            }
            Event::Pauses => next.node.life = Life::Paused,
            Event::Resumes => next.node.life = Life::Up,
            Event::Crashes => {
                next.node = Self {
                    life: Life::Down,
                    saved: self.saved.clone(),
                    ..Self::start(system, node)
                };
                next.node.timers.clear();
                next.seen.push(Seen::Crashed(node));
            }
            Event::Restarts(choice) => {
                next.node = Self { saved: self.saved.clone(), ..Self::start(system, node) };
                next.node.timers.clear();
                next.seen.push(Seen::Restarted(node));
                next.take(system, node, *choice, Input::Restart(self.saved.clone()));
            }
            Event::Takes(input, choice) => {
                if let Input::Fired(timer) = input {
                    next.node.timers.retain(|armed| armed != timer);
                }
                next.take(system, node, *choice, input.clone());
            }
        }
        next
    }
}

/// An input, once for each row that may have to be tried.
pub fn takes<S: System>(
    system: &S,
    node: NodeId,
    input: InputOf<S::Types>,
) -> impl Iterator<Item = Event<S::Types>> + use<S> {
    (0..system.choices(node)).map(move |choice| Event::Takes(input.clone(), choice))
}

impl<T: Types> Stepped<T> {
    fn take(
        &mut self,
        system: &impl System<Types = T>,
        node: NodeId,
        choice: u8,
        input: InputOf<T>,
    ) {
        if let Input::Command(command) = &input {
            self.seen.push(Seen::Asked(node, command.clone()));
        }
        let mut out = Out::default();
        system.step(node, choice, &mut self.node.state, input, &mut out);
        for effect in &out.effects {
            self.carry_out(system, node, effect);
        }
        let trouble = out.rows.iter().filter_map(|taken| Trouble::of(node, taken));
        self.seen.extend(trouble.map(Seen::Trouble));
        self.taken = out.rows;
        self.effects = out.effects;
    }

    fn carry_out(&mut self, system: &impl System<Types = T>, node: NodeId, effect: &EffectOf<T>) {
        let timers = &mut self.node.timers;
        match effect {
            Effect::Send { to, message } => self.sends.push((*to, message.clone())),
            Effect::Arm(timer) => {
                if let Err(place) = timers.binary_search(timer) {
                    timers.insert(place, *timer);
                }
            }
            Effect::Disarm(timer) => timers.retain(|armed| armed != timer),
            Effect::Save(saved) => system.keep(&mut self.node.saved, saved.clone()),
            Effect::Notify(notice) => self.seen.push(Seen::Told(node, notice.clone())),
        }
    }
}
