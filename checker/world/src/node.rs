//! One node: a core's state, its armed timers, what it saved, and whether it runs.
//!
//! The functions are pure and look at one node only, so that a search may remember what they say.

use turnstile_step::{IdClass, RowOutcome, Symbolic};

use crate::monitor::{Observation, Violation};
use crate::system::{Effect, Input, NodeCore, Out};
use crate::value::{Content, Ordered, Value};
use crate::wiring::NodeId;

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
pub struct NodePart {
    /// Whether it runs.
    pub life: Life,
    /// The core's state; the first one while the node is down.
    pub state: Value,
    /// Armed timers, sorted.
    pub timers: Vec<Ordered>,
    /// Timers whose time was over before they were disarmed, and that will still fire; sorted.
    pub due: Vec<Ordered>,
    /// What it saved last.
    pub saved: Option<Value>,
}

impl Symbolic for NodePart {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.state.visit_ids(each);
        self.timers.visit_ids(each);
        self.timers.sort_unstable();
        self.due.visit_ids(each);
        self.due.sort_unstable();
        self.saved.visit_ids(each);
    }
}

/// What may happen to a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// It takes an input; where several rows match, the one of this number.
    Takes(Input, u8),
    /// A timer's time is over, but the node does something else first: to disarm it is too late.
    IsDue(Ordered),
    /// Such a timer fires.
    FiresLate(Ordered, u8),
    /// It crashes.
    Crashes,
    /// It starts again with what it saved, after a crash or in one go with it.
    Restarts(u8),
    /// It stands still.
    Pauses,
    /// It goes on.
    Resumes,
    /// It crashes in the middle of a step, and starts again in one go with it. Only where what it
    /// saves and what others see of it are on different sides of the cut: a core that sends before
    /// it saves differs there from one that saves first.
    Torn {
        /// The step.
        step: Box<Event>,
        /// How many of its effects are carried out.
        done: u8,
        /// Where several rows match the restart, the one of this number.
        choice: u8,
    },
}

impl Event {
    /// How many effects of its step are carried out.
    fn effects_max(&self) -> usize {
        match self {
            Self::Torn { done, .. } => usize::from(*done),
            Self::Takes(..)
            | Self::IsDue(_)
            | Self::FiresLate(..)
            | Self::Crashes
            | Self::Restarts(_)
            | Self::Pauses
            | Self::Resumes => usize::MAX,
        }
    }

    /// The step that this is, or that is torn.
    #[must_use]
    pub fn step(&self) -> &Self {
        match self {
            Self::Torn { step, .. } => step,
            Self::Takes(..)
            | Self::IsDue(_)
            | Self::FiresLate(..)
            | Self::Crashes
            | Self::Restarts(_)
            | Self::Pauses
            | Self::Resumes => self,
        }
    }
}

/// Effects of one step after which it may be torn. A world in which a step could be torn farther
/// on is not searched completely, and says so.
pub const CUTS_MAX: u8 = 16;

/// The numbers of effects after which a crash separates what is saved from what others see.
pub fn cuts(effects: &[Effect]) -> impl Iterator<Item = usize> {
    let saves = |effect: &Effect| matches!(effect, Effect::Save(_));
    let shows = |effect: &Effect| matches!(effect, Effect::Send { .. } | Effect::Notify(_));
    (1..effects.len()).filter(move |&done| {
        let (done, left) = effects.split_at(done);
        done.iter().any(saves) && left.iter().any(shows)
            || done.iter().any(shows) && left.iter().any(saves)
    })
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    /// The node after it.
    pub node: NodePart,
    /// Messages to other nodes, in order.
    pub sends: Vec<(NodeId, Ordered)>,
    /// What properties may remember.
    pub seen: Vec<Observation>,
    /// The rows taken.
    pub taken: Vec<RowOutcome>,
    /// The effects that were carried out.
    pub effects: Vec<Effect>,
    /// Those of a torn step that were not.
    pub lost: Vec<Effect>,
}

impl NodePart {
    /// A node that has never run.
    #[must_use]
    pub fn start(core: &dyn NodeCore) -> Self {
        let mut timers = core.armed();
        timers.sort_unstable();
        Self { life: Life::Up, state: core.start(), timers, due: Vec::new(), saved: None }
    }

    /// The armed timers, by whoever knows their type, in their order.
    pub fn armed<T: Content>(&self) -> impl Iterator<Item = &T> {
        self.timers.iter().map(|timer| timer.of())
    }

    /// Whether a timer is armed.
    #[must_use]
    pub fn is_armed<T: Content>(&self, timer: &T) -> bool {
        self.armed().any(|armed: &T| armed == timer)
    }

    /// The timers that were disarmed too late, by whoever knows their type.
    pub fn late<T: Content>(&self) -> impl Iterator<Item = &T> {
        self.due.iter().map(|timer| timer.of())
    }

    /// Whether it takes inputs.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.life == Life::Up
    }

    /// What may happen to it by itself or by its user, in a fixed order: timers, commands, timers
    /// that are late, then crash, restart, pause.
    #[must_use]
    pub fn events(&self, core: &dyn NodeCore) -> Vec<Event> {
        match self.life {
            Life::Paused => vec![Event::Resumes],
            Life::Down => (0..core.choices()).map(Event::Restarts).collect(),
            Life::Up => {
                let fired = self.timers.iter().map(|timer| Input::Fired(timer.clone()));
                let asked = core.commands(&self.state).into_iter().map(Input::Command);
                let mut events: Vec<_> =
                    fired.chain(asked).flat_map(|input| takes(core, input)).collect();
                events.extend(self.timers.iter().cloned().map(Event::IsDue));
                let choices = 0..core.choices();
                events.extend(self.due.iter().flat_map(|timer| {
                    choices.clone().map(|choice| Event::FiresLate(timer.clone(), choice))
                }));
                events.push(Event::Crashes);
                events.extend((0..core.choices()).map(Event::Restarts));
                events.push(Event::Pauses);
                events
            }
        }
    }

    /// What this event does to it. Of a torn step: what it does before the crash.
    #[must_use]
    pub fn step(&self, (node, core): (NodeId, &dyn NodeCore), event: &Event) -> Stepped {
        let mut next = Stepped {
            node: self.clone(),
            sends: Vec::new(),
            seen: Vec::new(),
            taken: Vec::new(),
            effects: Vec::new(),
            lost: Vec::new(),
        };
        let effects_max = event.effects_max();
        match event.step() {
            Event::Torn { .. } => unreachable!("a torn step is torn once"),
            Event::IsDue(timer) => {
                next.node.timers.retain(|armed| armed != timer);
                next.node.due.push(timer.clone());
                next.node.due.sort_unstable();
            }
            Event::FiresLate(timer, choice) => {
                let due = &mut next.node.due;
                due.iter().position(|one| one == timer).map(|place| due.remove(place));
                next.take((node, core), (*choice, effects_max), Input::Fired(timer.clone()));
            }
            Event::Pauses => next.node.life = Life::Paused,
            Event::Resumes => next.node.life = Life::Up,
            Event::Crashes => {
                next.node =
                    Self { life: Life::Down, saved: self.saved.clone(), ..Self::start(core) };
                next.node.timers.clear();
                next.seen.push(Observation::Crashed(node));
            }
            Event::Restarts(choice) => {
                next.node = Self { saved: self.saved.clone(), ..Self::start(core) };
                next.node.timers.clear();
                next.seen.push(Observation::Restarted(node));
                let input = Input::Restart(self.saved.clone());
                next.take((node, core), (*choice, effects_max), input);
            }
            Event::Takes(input, choice) => {
                if let Input::Fired(timer) = input {
                    next.node.timers.retain(|armed| armed != timer);
                }
                next.take((node, core), (*choice, effects_max), input.clone());
            }
        }
        next
    }
}

/// An input, once for each row that may have to be tried.
pub fn takes(core: &dyn NodeCore, input: Input) -> impl Iterator<Item = Event> + use<> {
    (0..core.choices()).map(move |choice| Event::Takes(input.clone(), choice))
}

impl Stepped {
    fn take(
        &mut self,
        (node, core): (NodeId, &dyn NodeCore),
        (choice, effects_max): (u8, usize),
        input: Input,
    ) {
        if let Input::Command(command) = &input {
            self.seen.push(Observation::Asked(node, command.clone()));
        }
        let mut out = Out::default();
        core.step(choice, &mut self.node.state, input, &mut out);
        self.lost = out.effects.split_off(effects_max.min(out.effects.len()));
        for effect in &out.effects {
            self.carry_out((node, core), effect);
        }
        let violation = out.rows.iter().filter_map(|taken| Violation::of(node, taken));
        self.seen.extend(violation.map(Observation::Violation));
        self.taken = out.rows;
        self.effects = out.effects;
    }

    fn carry_out(&mut self, (node, core): (NodeId, &dyn NodeCore), effect: &Effect) {
        let timers = &mut self.node.timers;
        match effect {
            Effect::Send { to, message } => self.sends.push((*to, message.clone())),
            Effect::Arm(timer) => {
                if let Err(place) = timers.binary_search(timer) {
                    timers.insert(place, timer.clone());
                }
            }
            Effect::Disarm(timer) => timers.retain(|armed| armed != timer),
            Effect::Save(saved) => core.keep(&mut self.node.saved, saved),
            Effect::Notify(notice) => self.seen.push(Observation::Told(node, notice.clone())),
        }
    }
}
