//! One node: a core's state, its armed timers, its saved state and its status.
//!
//! The functions are pure and read one node only, so that a search may memoise them.

use turnstile_step::{IdClass, RowOutcome, Symbolic};

use crate::links::network::NodeId;
use crate::monitor::{Observation, Violation, ViolationKind};
use crate::nodes::panics::caught;
use crate::system::{Effect, Input, NodeCore, Out};
use crate::value::{Content, Ordered, Value};

/// The status of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeStatus {
    /// It takes inputs.
    Up,
    /// It is paused: it keeps its state, and its timers do not fire.
    Paused,
    /// It has crashed; only its saved state is left.
    Down,
}

/// The part of a state that belongs to one node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodePart {
    /// Its status.
    pub status: NodeStatus,
    /// The core's state; its initial state while the node is down.
    pub state: Value,
    /// Armed timers, sorted.
    pub timers: Vec<Ordered>,
    /// Timers that expired before they were disarmed and will still fire, sorted.
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

/// An event of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// It takes an input; if several rows match, the one with this number.
    Takes(Input, u8),
    /// A timer expires, but the node takes another step first: it can no longer be disarmed.
    IsDue(Ordered),
    /// Such a timer fires.
    FiresLate(Ordered, u8),
    /// It crashes.
    Crashes,
    /// It restarts with its saved state, after a crash or at once.
    Restarts(u8),
    /// It pauses.
    Pauses,
    /// It resumes.
    Resumes,
    /// It crashes in the middle of a step. Only where something that outlives the crash is on both
    /// sides of the cut, something saved or something that others see: a core that sends before it
    /// saves differs there from one that saves first, and one that has told all from one that has
    /// told some.
    Torn {
        /// The step.
        step: Box<Event>,
        /// How many of its effects are carried out.
        done: u8,
        /// What becomes of it in one go with the step: it crashes, or restarts at once.
        end: Box<Event>,
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

    /// The timer that expires with it. One that fires late has expired before.
    pub(crate) fn expires(&self) -> Option<&Ordered> {
        match self.step() {
            Self::Takes(Input::Fired(timer), _) | Self::IsDue(timer) => Some(timer),
            Self::Takes(..)
            | Self::FiresLate(..)
            | Self::Crashes
            | Self::Restarts(_)
            | Self::Pauses
            | Self::Resumes
            | Self::Torn { .. } => None,
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

/// The numbers of effects after which a crash separates what outlives it: what is saved, and what
/// others see.
pub fn cuts(effects: &[Effect]) -> impl Iterator<Item = usize> {
    let outlives = |effect: &Effect| {
        matches!(effect, Effect::Save(_) | Effect::Send { .. } | Effect::Notify(_))
    };
    let is_cut =
        move |&done: &usize| outlives(&effects[done - 1]) && effects[done..].iter().any(outlives);
    (1..effects.len()).filter(is_cut)
}

/// The result of a step at its node.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResult {
    /// The node after it.
    pub node: NodePart,
    /// Messages to other nodes, in order.
    pub sends: Vec<(NodeId, Ordered)>,
    /// The observations for the monitor.
    pub observations: Vec<Observation>,
    /// The outcomes of its rows.
    pub rows: Vec<RowOutcome>,
    /// The effects that were carried out.
    pub effects: Vec<Effect>,
    /// The effects of a torn step that were lost.
    pub lost: Vec<Effect>,
}

impl NodePart {
    /// A node that has never run.
    #[must_use]
    pub fn start(core: &dyn NodeCore) -> Self {
        Self::in_state(core.start(), core.armed())
    }

    /// A node that has never run, in each state in which it may begin.
    pub(crate) fn starts(core: &dyn NodeCore) -> Vec<Self> {
        let start = |nth| {
            let (state, timers) = core.start_in(nth);
            Self::in_state(state, timers)
        };
        (0..core.start_count()).map(start).collect()
    }

    fn in_state(state: Value, mut timers: Vec<Ordered>) -> Self {
        timers.sort_unstable();
        Self { status: NodeStatus::Up, state, timers, due: Vec::new(), saved: None }
    }

    /// The armed timers in order, for a caller that knows their type.
    pub fn armed<T: Content>(&self) -> impl Iterator<Item = &T> {
        self.timers.iter().map(|timer| timer.of())
    }

    /// Whether a timer is armed.
    #[must_use]
    pub fn is_armed<T: Content>(&self, timer: &T) -> bool {
        self.armed().any(|armed: &T| armed == timer)
    }

    /// The timers that were disarmed too late, for a caller that knows their type.
    pub fn late<T: Content>(&self) -> impl Iterator<Item = &T> {
        self.due.iter().map(|timer| timer.of())
    }

    /// Whether it takes inputs.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.status == NodeStatus::Up
    }

    /// Its events other than the delivery of messages, in a fixed order: timers, commands, late
    /// timers, then crash, restart, pause.
    #[must_use]
    pub fn events(&self, core: &dyn NodeCore) -> Vec<Event> {
        match self.status {
            NodeStatus::Paused => vec![Event::Resumes],
            NodeStatus::Down => self.restarts(core).collect(),
            NodeStatus::Up => {
                let fired = self.timers.iter().map(|timer| Input::Fired(timer.clone()));
                let asked = core.commands(&self.state).into_iter().map(Input::Command);
                let mut events = Vec::new();
                for input in fired.chain(asked) {
                    let choices = 0..core.choices_of(&self.state, &input);
                    events.extend(choices.map(|choice| Event::Takes(input.clone(), choice)));
                }
                events.extend(self.timers.iter().cloned().map(Event::IsDue));
                events.extend(self.due.iter().flat_map(|timer| {
                    let choices = core.choices_of(&self.state, &Input::Fired(timer.clone()));
                    (0..choices).map(|choice| Event::FiresLate(timer.clone(), choice))
                }));
                events.push(Event::Crashes);
                events.extend(self.restarts(core));
                events.push(Event::Pauses);
                events
            }
        }
    }

    /// Its restarts, one for each row that may match.
    fn restarts(&self, core: &dyn NodeCore) -> impl Iterator<Item = Event> + use<> {
        let restart = Input::Restart(self.saved.clone());
        (0..core.choices_of(&self.state, &restart)).map(Event::Restarts)
    }

    /// Whether the input of an event has an outcome of this number here. A link offers a delivery
    /// without knowing the state of its receiver.
    #[must_use]
    pub fn has_choice(&self, core: &dyn NodeCore, event: &Event) -> bool {
        match event.step() {
            Event::Takes(input, choice) => {
                *choice == 0 || *choice < core.choices_of(&self.state, input)
            }
            Event::IsDue(_)
            | Event::FiresLate(..)
            | Event::Crashes
            | Event::Restarts(_)
            | Event::Pauses
            | Event::Resumes
            | Event::Torn { .. } => true,
        }
    }

    /// The result of an event. Of a torn step: of the part before the crash.
    #[must_use]
    pub fn step(&self, node: NodeId, core: &dyn NodeCore, event: &Event) -> StepResult {
        let mut next = StepResult {
            node: self.clone(),
            sends: Vec::new(),
            observations: Vec::new(),
            rows: Vec::new(),
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
                next.take(node, core, *choice, effects_max, Input::Fired(timer.clone()), self);
            }
            Event::Pauses => next.node.status = NodeStatus::Paused,
            Event::Resumes => next.node.status = NodeStatus::Up,
            Event::Crashes => {
                next.node = Self {
                    status: NodeStatus::Down,
                    saved: self.saved.clone(),
                    ..Self::start(core)
                };
                next.node.timers.clear();
                next.observations.push(Observation::Crashed(node));
            }
            Event::Restarts(choice) => {
                next.node = Self { saved: self.saved.clone(), ..Self::start(core) };
                next.node.timers.clear();
                next.observations.push(Observation::Restarted(node));
                let input = Input::Restart(self.saved.clone());
                next.take(node, core, *choice, effects_max, input, self);
            }
            Event::Takes(input, choice) => {
                if let Input::Fired(timer) = input {
                    next.node.timers.retain(|armed| armed != timer);
                }
                next.take(node, core, *choice, effects_max, input.clone(), self);
            }
        }
        next
    }
}

/// The events of an input, one for each row that may match.
pub fn takes(core: &dyn NodeCore, input: Input) -> impl Iterator<Item = Event> + use<> {
    (0..core.choices()).map(move |choice| Event::Takes(input.clone(), choice))
}

impl StepResult {
    fn take(
        &mut self,
        node: NodeId,
        core: &dyn NodeCore,
        choice: u8,
        effects_max: usize,
        input: Input,
        before: &NodePart,
    ) {
        if let Input::Command(command) = &input {
            self.observations.push(Observation::Asked(node, command.clone()));
        }
        let mut out = Out::default();
        if let Err(panic) = caught(|| core.step(choice, &mut self.node.state, input, &mut out)) {
            self.node = before.clone();
            let violation = Violation { node, what: ViolationKind::Panic(panic) };
            return self.observations.push(Observation::Violation(violation));
        }
        let is_whole = effects_max >= out.effects.len();
        self.lost = out.effects.split_off(effects_max.min(out.effects.len()));
        for effect in &out.effects {
            self.carry_out(node, core, effect);
        }
        let violation = out.rows.iter().filter_map(|rows| Violation::of(node, rows));
        self.observations.extend(violation.map(Observation::Violation));
        // A step that is torn happens whole, too, and breaks the same rules there.
        let breaches = Some(out.breaches).filter(|breaches| is_whole && !breaches.is_empty());
        self.observations.extend(breaches.map(Observation::Breaches));
        self.rows = out.rows;
        self.effects = out.effects;
    }

    fn carry_out(&mut self, node: NodeId, core: &dyn NodeCore, effect: &Effect) {
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
            Effect::Notify(notice) => {
                self.observations.push(Observation::Told(node, notice.clone()))
            }
        }
    }
}
