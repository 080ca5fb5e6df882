//! A core and its service as one deterministic state machine without IO.
//!
//! [`Engine::apply`] takes one input with its time and context, and carries out the effects: it
//! arms timers, adds saved state to a batch, and appends outputs to a queue. The same inputs at the
//! same times give the same state and the same batches. The caller must make the batch durable
//! before any output of the queue leaves; [`crate::Host`] does so.

mod restart;

use std::collections::VecDeque;
use std::fmt;

use turnstile_step::{Core, Effect, Input, InputOf, OutOf, RowOutcome};

use crate::clock::Moment;
use crate::store::Batch;
use crate::timers::Timers;

/// What a service adds to a core: the durations of its timers, the encoding of its saved state, and
/// the context of inputs: names, bodies, dates, lease times. It makes no protocol decision.
pub trait Service: Sized {
    /// The core.
    type Core: Core;
    /// Data that comes with an input and that the core does not see. Inputs without context get the
    /// default.
    type Context: Default;
    /// An output of the node: a message, a response, a notice.
    type Outgoing: Send + 'static;

    /// When a timer that the core arms now fires, in microseconds of [`Moment::at_us`]. `None`
    /// disarms it.
    fn due_us(&mut self, step: &mut StepIo<'_, Self>, timer: TimerOf<Self>) -> Option<u64>;

    /// Saves state of the core.
    fn save(&mut self, step: &mut StepIo<'_, Self>, saved: <Self::Core as Core>::Saved);

    /// Passes a notice of the core on to the user.
    fn notify(&mut self, step: &mut StepIo<'_, Self>, notice: <Self::Core as Core>::Notice);

    /// Sends a message of the core.
    fn send(
        &mut self,
        step: &mut StepIo<'_, Self>,
        to: <Self::Core as Core>::Peer,
        message: <Self::Core as Core>::Message,
    );

    /// Called after all effects of a step are carried out.
    fn finish(&mut self, _step: &mut StepIo<'_, Self>) {}

    /// Called before a batch is written; the batch has everything that the inputs so far have
    /// saved.
    fn seal(&mut self, _now: Moment, _batch: &mut Batch) {}

    /// Whether [`Service::seal`] has something to write even if the batch is empty.
    fn is_unsealed(&self) -> bool {
        false
    }

    /// Whether a timer bounds how long a caller waits. Such timers fire at once when waiting is
    /// pointless: when the store rejects writes, or when the host stops.
    fn is_wait_timeout(&self, _timer: TimerOf<Self>) -> bool {
        false
    }

    /// Answers callers that wait without a timer of the core. Called when waiting is pointless.
    fn end_waits(&mut self, _step: &mut StepIo<'_, Self>) {}

    /// Whether the service can take inputs now; `false` when its queues are full. Timers do not
    /// fire until it returns `true` and [`crate::Host::made_room`] is called.
    fn has_room(&self) -> bool {
        true
    }

    /// Whether the node pauses while the store rejects writes: no timer fires, and outputs are held
    /// back. Otherwise outputs are delivered at once, marked as not durable.
    fn pauses_without_store(&self) -> bool {
        false
    }

    /// The interval in microseconds at which [`Service::seal`] is called while timers are armed, so
    /// that a restart can compute how long the node was down. `None`: only with other writes.
    fn heartbeat_us(&self) -> Option<u64> {
        None
    }
}

/// The timers of a service's core.
pub type TimerOf<S> = <<S as Service>::Core as Core>::Timer;

/// An input of a service's core.
pub type ServiceInput<S> = InputOf<<S as Service>::Core>;

/// One step, while its effects are carried out.
pub struct StepIo<'a, S: Service> {
    /// The time of the input.
    pub now: Moment,
    /// The core's state after the step.
    pub state: &'a <S::Core as Core>::State,
    /// The input's context.
    pub context: &'a mut S::Context,
    /// Whether the input is a restart.
    pub is_restart: bool,
    /// The writes that must be durable before any output leaves.
    pub batch: &'a mut Batch,
    /// The outputs of the node.
    pub outgoing: &'a mut Vec<S::Outgoing>,
    /// Lines for the service's log, which is written before the batch.
    pub log: &'a mut Vec<u8>,
    timers: &'a mut Timers<TimerOf<S>, u64>,
    next: &'a mut VecDeque<(ServiceInput<S>, S::Context)>,
}

impl<S: Service> fmt::Debug for StepIo<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepIo").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<S: Service> StepIo<'_, S> {
    /// When a timer fires, if it is armed.
    #[must_use]
    pub fn armed_until_us(&self, timer: TimerOf<S>) -> Option<u64> {
        self.timers.due(timer)
    }

    /// Gives the core another input with the same time, after this step.
    pub fn then(&mut self, input: ServiceInput<S>, context: S::Context) {
        self.next.push_back((input, context));
    }
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inputs taken.
    pub steps: u64,
    /// Rows of the tables taken.
    pub rows: u64,
    /// Unhandled events and failed actions.
    pub unexpected: u64,
}

/// Called for each step with its input, its rows and its effects. The host is locked during the
/// call, so the observer must not call the host.
pub type Observer<C> = Box<dyn FnMut(&InputOf<C>, &OutOf<C>) + Send>;

/// A core, its state, its timers, and the service around it.
pub struct Engine<S: Service> {
    core: S::Core,
    state: <S::Core as Core>::State,
    /// The service.
    pub service: S,
    timers: Timers<TimerOf<S>, u64>,
    pub(crate) batch: Batch,
    pub(crate) outgoing: Vec<S::Outgoing>,
    pub(crate) log: Vec<u8>,
    counts: Counts,
    observer: Option<Observer<S::Core>>,
    next: VecDeque<(ServiceInput<S>, S::Context)>,
    /// A step started and did not finish: it panicked.
    is_broken: bool,
    out: OutOf<S::Core>,
}

impl<S: Service> fmt::Debug for Engine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<S: Service> Engine<S> {
    /// Creates an engine whose core has taken no input. The first input must be [`Input::Restart`].
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

    /// Takes one input, and then the inputs that its step has added with [`StepIo::then`].
    pub fn apply(&mut self, now: Moment, input: ServiceInput<S>, context: &mut S::Context) {
        self.step(now, input, context);
        self.apply_next(now);
    }

    fn apply_next(&mut self, now: Moment) {
        while let Some((input, mut context)) = self.next.pop_front() {
            self.step(now, input, &mut context);
        }
    }

    /// Fires the timers that are due, in the order of their times. A timer that is armed by one of
    /// these steps fires in the next call at the earliest.
    pub fn fire_due(&mut self, now: Moment) {
        for _ in 0..self.timers.count_due(now.at_us) {
            let Some(timer) = self.timers.take_due(now.at_us) else { return };
            self.apply(now, Input::Fired(timer), &mut S::Context::default());
        }
    }

    /// Whether a step has panicked; the state may then be inconsistent.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Fires an armed timer before it is due.
    pub fn fire_early(&mut self, now: Moment, timer: TimerOf<S>) {
        if self.timers.disarm(timer) {
            self.apply(now, Input::Fired(timer), &mut S::Context::default());
        }
    }

    /// Ends all waits: see [`Service::is_wait_timeout`] and [`Service::end_waits`].
    pub fn end_waits(&mut self, now: Moment) {
        let is_wait_timeout = |timer: &TimerOf<S>| self.service.is_wait_timeout(*timer);
        let waits: Vec<TimerOf<S>> = self.armed().filter(is_wait_timeout).collect();
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

    /// The armed timers, in the order in which they fire.
    pub fn armed(&self) -> impl Iterator<Item = TimerOf<S>> + '_ {
        self.timers().map(|(timer, _)| timer)
    }

    /// The armed timers with the times at which they fire, in this order.
    pub fn timers(&self) -> impl Iterator<Item = (TimerOf<S>, u64)> + '_ {
        self.timers.armed()
    }

    /// The core's state.
    #[must_use]
    pub const fn state(&self) -> &<S::Core as Core>::State {
        &self.state
    }

    /// Counts since the start.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    fn step(&mut self, now: Moment, input: ServiceInput<S>, context: &mut S::Context) {
        let is_restart = matches!(input, Input::Restart(_));
        let mut out = self.begin_step();
        match &mut self.observer {
            None => self.core.step(&mut self.state, input, &mut out),
            Some(observe) => {
                self.core.step(&mut self.state, input.clone(), &mut out);
                observe(&input, &out);
            }
        }
        self.end_step(now, is_restart, context, out);
    }

    fn begin_step(&mut self) -> OutOf<S::Core> {
        self.is_broken = true;
        std::mem::take(&mut self.out)
    }

    /// Carries out the effects of a step.
    fn end_step(
        &mut self,
        now: Moment,
        is_restart: bool,
        context: &mut S::Context,
        mut out: OutOf<S::Core>,
    ) {
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
    ) -> (&'a mut S, StepIo<'a, S>) {
        let Self { state, service, timers, batch, outgoing, log, next, .. } = self;
        (service, StepIo { now, state, context, is_restart, batch, outgoing, log, timers, next })
    }

    /// Counts the rows of a step and logs them.
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
                    tracing::error!(
                        machine,
                        state,
                        event,
                        number,
                        "unhandled event: no row matches"
                    );
                }
                RowOutcome::ActionFailed { machine, action, reason } => {
                    self.counts.unexpected += 1;
                    tracing::error!(machine, action, reason, "action failed");
                }
            }
        }
    }
}
