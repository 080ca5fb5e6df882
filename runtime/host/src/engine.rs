//! A core with what a service adds to it, as one deterministic state machine without IO.
//!
//! [`Engine::apply`] takes one input, with the time and the context that came with it, and carries
//! out the effects: timers are armed, what is saved is put into a batch, what leaves the node is
//! put into a queue. The same inputs at the same times give the same state and the same batches.
//! Whoever runs an engine writes the batch before anything of the queue leaves: [`crate::Host`].

use std::collections::VecDeque;
use std::fmt;

use turnstile_step::{Core, Effect, Input, InputOf, OutOf, RowOutcome};

use crate::clock::Moment;
use crate::store::Batch;
use crate::timers::Timers;

/// What a service adds to a core: the durations of its timers, the form of what it saves, and the
/// context that comes with inputs: names, bodies, dates, lease times. It decides nothing that the
/// core decides.
pub trait Service: Sized {
    /// The core.
    type Core: Core;
    /// What comes with an input beside it. An input without a context has the default.
    type Context: Default;
    /// What leaves the node: a message, an answer, a notice.
    type Outgoing: Send + 'static;

    /// When a timer fires that the core arms now, in microseconds of [`Moment::at_us`]. None: it is
    /// not armed, even if it was before.
    fn due_us(&mut self, step: &mut Step<'_, Self>, timer: TimerOf<Self>) -> Option<u64>;

    /// The core saves something.
    fn save(&mut self, step: &mut Step<'_, Self>, saved: <Self::Core as Core>::Saved);

    /// The core tells its user something.
    fn notify(&mut self, step: &mut Step<'_, Self>, notice: <Self::Core as Core>::Notice);

    /// The core sends a message.
    fn send(
        &mut self,
        step: &mut Step<'_, Self>,
        to: <Self::Core as Core>::Peer,
        message: <Self::Core as Core>::Message,
    );

    /// All effects of a step are carried out.
    fn finish(&mut self, _step: &mut Step<'_, Self>) {}

    /// A batch is about to be written, which holds what the inputs up to now have saved.
    fn seal(&mut self, _now: Moment, _batch: &mut Batch) {}

    /// Whether [`Service::seal`] has something to write although the batch may be empty.
    fn is_unsealed(&self) -> bool {
        false
    }

    /// Whether a timer is how long a caller is ready to wait. Such timers fire at once where
    /// waiting makes no sense: the store refuses, or the host stops.
    fn is_patience(&self, _timer: TimerOf<Self>) -> bool {
        false
    }

    /// Waiting makes no sense: callers that wait without a timer of the core are told so.
    fn end_waits(&mut self, _step: &mut Step<'_, Self>) {}

    /// Whether the service takes inputs now: false where what it has to hold is as much as it may
    /// hold. Timers wait until it does, and until [`crate::Host::made_room`] is called.
    fn has_room(&self) -> bool {
        true
    }

    /// Whether the node stands still while the store refuses: no timer fires, and what is to leave
    /// is held back. Otherwise what is to leave is told at once that it is not durable.
    fn stands_still_without_store(&self) -> bool {
        false
    }

    /// How often [`Service::seal`] is called while timers are armed, in microseconds, so that a
    /// restart can tell how long the node was not alive. None: with other writes only.
    fn alive_us(&self) -> Option<u64> {
        None
    }
}

/// The timers of a service's core.
pub type TimerOf<S> = <<S as Service>::Core as Core>::Timer;

/// An input of a service's core.
pub type ServiceInput<S> = InputOf<<S as Service>::Core>;

/// One step whose effects are carried out.
pub struct Step<'a, S: Service> {
    /// When the input was taken.
    pub now: Moment,
    /// The core's state after the step.
    pub state: &'a <S::Core as Core>::State,
    /// What came with the input.
    pub context: &'a mut S::Context,
    /// The input is a restart.
    pub is_restart: bool,
    /// What is written before anything leaves.
    pub batch: &'a mut Batch,
    /// What leaves the node.
    pub outgoing: &'a mut Vec<S::Outgoing>,
    /// Lines of a log, which is written before the batch.
    pub log: &'a mut Vec<u8>,
    timers: &'a mut Timers<TimerOf<S>, u64>,
    next: &'a mut VecDeque<(ServiceInput<S>, S::Context)>,
}

impl<S: Service> fmt::Debug for Step<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<S: Service> Step<'_, S> {
    /// When a timer fires, if it is armed.
    #[must_use]
    pub fn armed_until_us(&self, timer: TimerOf<S>) -> Option<u64> {
        self.timers.due(timer)
    }

    /// Gives the core another input, at the same time, once this step is done.
    pub fn then(&mut self, input: ServiceInput<S>, context: S::Context) {
        self.next.push_back((input, context));
    }
}

/// How often something has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inputs taken.
    pub steps: u64,
    /// Rows of the tables taken.
    pub rows: u64,
    /// Events without a row, and actions that failed.
    pub unexpected: u64,
}

/// Sees each step: its input, its rows and its effects. The host is locked meanwhile: it must not
/// be asked for anything from here.
pub type Observer<C> = Box<dyn FnMut(&InputOf<C>, &OutOf<C>) + Send>;

/// A core, its state, its timers, and the service around it.
pub struct Engine<S: Service> {
    core: S::Core,
    state: <S::Core as Core>::State,
    /// What the service adds.
    pub service: S,
    timers: Timers<TimerOf<S>, u64>,
    pub(crate) batch: Batch,
    pub(crate) outgoing: Vec<S::Outgoing>,
    pub(crate) log: Vec<u8>,
    counts: Counts,
    observer: Option<Observer<S::Core>>,
    next: VecDeque<(ServiceInput<S>, S::Context)>,
    /// A step has begun and not ended: a panic has broken it off.
    is_broken: bool,
    out: OutOf<S::Core>,
}

impl<S: Service> fmt::Debug for Engine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<S: Service> Engine<S> {
    /// An engine whose core has taken no input. The first is an [`Input::Restart`].
    pub fn new(core: S::Core, service: S, observer: Option<Observer<S::Core>>) -> Self {
        Self {
            state: core.start(),
            core,
            service,
            timers: Timers::default(),
            batch: Batch::default(),
            outgoing: Vec::new(),
            log: Vec::new(),
            counts: Counts::default(),
            observer,
            next: VecDeque::new(),
            is_broken: false,
            out: OutOf::<S::Core>::default(),
        }
    }

    /// Starts with what was saved; room for so many timers is made at once.
    pub fn restart(&mut self, now: Moment, saved: Option<<S::Core as Core>::Saved>, timers: usize) {
        self.timers = Timers::default();
        self.timers.reserve(timers);
        self.apply(now, Input::Restart(saved), &mut S::Context::default());
        // No later step has as many effects.
        self.out = OutOf::<S::Core>::default();
    }

    /// Takes one input, and the inputs that its step gives the core in turn.
    pub fn apply(&mut self, now: Moment, input: ServiceInput<S>, context: &mut S::Context) {
        self.step(now, input, context);
        while let Some((input, mut context)) = self.next.pop_front() {
            self.step(now, input, &mut context);
        }
    }

    /// Fires the timers that are due, in the order of their times. One that is armed meanwhile, to
    /// fire at once, is due the next time.
    pub fn fire_due(&mut self, now: Moment) {
        for _ in 0..self.timers.count_due(now.at_us) {
            let Some(timer) = self.timers.take_due(now.at_us) else { return };
            self.apply(now, Input::Fired(timer), &mut S::Context::default());
        }
    }

    /// Whether a step has panicked: what it left behind is not to be relied on.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Fires a timer before it is due, if it is armed.
    pub fn fire_early(&mut self, now: Moment, timer: TimerOf<S>) {
        if self.timers.disarm(timer) {
            self.apply(now, Input::Fired(timer), &mut S::Context::default());
        }
    }

    /// Ends every wait: see [`Service::is_patience`] and [`Service::end_waits`].
    pub fn end_waits(&mut self, now: Moment) {
        let is_patience = |timer: &TimerOf<S>| self.service.is_patience(*timer);
        let waits: Vec<TimerOf<S>> = self.timers.armed().filter(is_patience).collect();
        for timer in waits {
            self.fire_early(now, timer);
        }
        let mut context = S::Context::default();
        let (service, mut step) = self.carry(now, false, &mut context);
        service.end_waits(&mut step);
    }

    /// When the next timer fires, in microseconds of [`Moment::at_us`].
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        self.timers.next()
    }

    /// When a timer fires, if it is armed.
    #[must_use]
    pub fn armed_until_us(&self, timer: TimerOf<S>) -> Option<u64> {
        self.timers.due(timer)
    }

    /// The timers that are armed, in the order in which they fire.
    pub fn armed(&self) -> impl Iterator<Item = TimerOf<S>> + '_ {
        self.timers.armed()
    }

    /// The core's state.
    #[must_use]
    pub const fn state(&self) -> &<S::Core as Core>::State {
        &self.state
    }

    /// How often something has happened.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    fn step(&mut self, now: Moment, input: ServiceInput<S>, context: &mut S::Context) {
        let is_restart = matches!(input, Input::Restart(_));
        self.is_broken = true;
        let mut out = std::mem::take(&mut self.out);
        match &mut self.observer {
            None => self.core.step(&mut self.state, input, &mut out),
            Some(observe) => {
                self.core.step(&mut self.state, input.clone(), &mut out);
                observe(&input, &out);
            }
        }
        self.counts.steps += 1;
        self.note(&out.rows);
        let (service, mut step) = self.carry(now, is_restart, context);
        for effect in out.effects.drain(..) {
            match effect {
                Effect::Send { to, message } => service.send(&mut step, to, message),
                Effect::Arm(timer) => match service.due_us(&mut step, timer) {
                    Some(due_us) => {
                        step.timers.arm(timer, due_us);
                    }
                    None => {
                        step.timers.disarm(timer);
                    }
                },
                Effect::Disarm(timer) => {
                    step.timers.disarm(timer);
                }
                Effect::Save(saved) => service.save(&mut step, saved),
                Effect::Notify(notice) => service.notify(&mut step, notice),
            }
        }
        service.finish(&mut step);
        out.rows.clear();
        self.out = out;
        self.is_broken = false;
    }

    fn carry<'a>(
        &'a mut self,
        now: Moment,
        is_restart: bool,
        context: &'a mut S::Context,
    ) -> (&'a mut S, Step<'a, S>) {
        let Self { state, service, timers, batch, outgoing, log, next, .. } = self;
        (service, Step { now, state, context, is_restart, batch, outgoing, log, timers, next })
    }

    /// Counts the rows of a step and writes them to the program's log.
    fn note(&mut self, rows: &[RowOutcome]) {
        for outcome in rows {
            match outcome {
                RowOutcome::Row { machine, row } => {
                    self.counts.rows += 1;
                    tracing::debug!(machine, row, "step");
                }
                RowOutcome::Ignored { machine, state, event } => {
                    tracing::debug!(machine, state, event, "ignored");
                }
                RowOutcome::Unexpected { machine, state, event, number } => {
                    self.counts.unexpected += 1;
                    tracing::error!(machine, state, event, number, "no row");
                }
                RowOutcome::ActionFailed { machine, action, because } => {
                    self.counts.unexpected += 1;
                    tracing::error!(machine, action, because, "not carried out");
                }
            }
        }
    }
}
