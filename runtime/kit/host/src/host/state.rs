//! The data behind the mutex of a host: the engine, its clock, and the state of the store.
//!
//! It does no IO and has no tasks, so that a test or a simulation can step it directly.

use std::fmt;

use tokio::time::Instant;

use crate::clock::{Clock, Moment};
use crate::engine::{Engine, Service, ServiceInput};
use crate::store::Batch;

/// The maximum number of outputs that wait to leave; at the maximum the node takes no input.
const OUTGOING_MAX: usize = 1 << 17;
/// The maximum size of unsaved writes in bytes; at the maximum the node takes no input.
const BATCH_MAX: usize = 64 << 20;

/// The data behind the mutex of a host.
pub struct HostState<S: Service> {
    /// The engine.
    pub engine: Engine<S>,
    clock: Clock,
    now: Moment,
    /// When the last batch was sealed, in microseconds of [`Moment::at_us`].
    sealed_us: u64,
    /// There is no store.
    is_volatile: bool,
    /// A batch was taken and is not known to be durable.
    is_unsynced: bool,
    is_failed: bool,
    /// The state is that of the store as it was opened: it has taken no writes, and there was no
    /// input.
    is_as_opened: bool,
    commits: u64,
    /// The outputs and bytes of earlier batches that the store has rejected so far.
    refused: (usize, usize),
    /// Some task waits until inputs are taken again.
    is_starved: bool,
    /// When the timer task wakes without being notified; `u64::MAX`: never.
    pub(super) sleeps_until_us: u64,
    pub(crate) is_closing: bool,
    is_task_dead: bool,
}

impl<S: Service> fmt::Debug for HostState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostState").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<S: Service> HostState<S> {
    /// The state of an engine that has started, and its clock. `is_volatile`: there is no store,
    /// and outputs leave at once.
    pub fn new(engine: Engine<S>, clock: Clock, is_volatile: bool) -> Self {
        let now = clock.now();
        Self {
            engine,
            clock,
            now,
            sealed_us: 0,
            is_volatile,
            is_unsynced: false,
            is_failed: false,
            is_as_opened: false,
            commits: 0,
            refused: (0, 0),
            is_starved: false,
            sleeps_until_us: u64::MAX,
            is_closing: false,
            is_task_dead: false,
        }
    }

    /// Reads the clock and fires the timers that are due. Called once for each input.
    pub fn enter(&mut self) {
        let now = self.read_clock();
        if self.takes_inputs() {
            self.engine.fire_due(now);
        }
    }

    /// Whether inputs are taken now.
    #[must_use]
    pub fn takes_inputs(&self) -> bool {
        let Engine { service, outgoing, batch, .. } = &self.engine;
        let is_still = self.is_as_opened || self.is_failed && service.pauses_without_store();
        let (items, bytes) = self.refused;
        let has_room = items + outgoing.len() < OUTGOING_MAX && bytes + batch.len() < BATCH_MAX;
        !is_still && has_room && service.has_room() && !self.is_over()
    }

    /// Like [`HostState::takes_inputs`], but marks that a task waits if not.
    pub(super) fn has_room(&mut self) -> bool {
        let has_room = self.takes_inputs();
        self.is_starved |= !has_room;
        has_room
    }

    /// Whether no more input will be taken: the host is closed, or a step has panicked.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_closing || self.is_broken()
    }

    /// Whether a step, or a task that the host needs, has panicked.
    pub(crate) const fn is_broken(&self) -> bool {
        self.is_task_dead || self.engine.is_broken()
    }

    /// A task that the host needs has ended: no more input or output. Returns `true` the first
    /// time, unless the host was closed.
    pub(crate) const fn fail(&mut self) -> bool {
        !self.is_closing && !std::mem::replace(&mut self.is_task_dead, true)
    }

    /// Whether a failed commit is retried although the host is closed.
    pub(crate) fn waits_for_store(&self) -> bool {
        self.engine.service.pauses_without_store()
    }

    /// Reads the clock.
    pub fn read_clock(&mut self) -> Moment {
        self.now = self.clock.now();
        self.now
    }

    /// Sets the time of the next input. For a caller that steps a service by times which come with
    /// its inputs: it fires the timers of the engine itself.
    pub const fn set_now(&mut self, now: Moment) {
        self.now = now;
    }

    /// The time of the current input.
    #[must_use]
    pub const fn now(&self) -> Moment {
        self.now
    }

    /// See [`crate::Host::begin_without_store`].
    pub(super) const fn begin_without_store(&mut self) {
        (self.is_failed, self.is_as_opened) = (true, true);
    }

    /// Whether the state is that of a store which takes no writes: it is durable, although the
    /// writes of the start are not.
    #[must_use]
    pub const fn is_as_opened(&self) -> bool {
        self.is_as_opened && !self.is_broken()
    }

    /// Gives the core an input.
    pub fn apply(&mut self, input: ServiceInput<S>, context: &mut S::Context) {
        self.is_as_opened = false;
        self.engine.apply(self.now, input, context);
    }

    /// Whether the store has rejected writes that are not durable yet.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.is_failed || self.is_broken()
    }

    /// Whether the state that can be read now is durable.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        !self.is_unsynced && !self.has_writes()
    }

    fn has_writes(&self) -> bool {
        let Engine { service, batch, .. } = &self.engine;
        !batch.is_empty() || service.is_unsealed()
    }

    /// Queues an output that leaves when the state that can be read now is durable.
    pub fn push(&mut self, outgoing: S::Outgoing) {
        self.engine.outgoing.push(outgoing);
    }

    /// The number of commits.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// Seals the batch, so that it is written even if nothing else is.
    pub fn seal(&mut self) {
        self.sealed_us = self.now.at_us;
        if !self.is_volatile {
            self.engine.service.seal(self.now, &mut self.engine.batch);
        }
    }

    pub(super) fn tick(&mut self) {
        if self.now.at_us >= self.heartbeat_due_us() && self.engine.next_due_us().is_some() {
            self.seal();
        }
    }

    /// When the next heartbeat is due, if timers are armed; `u64::MAX`: never.
    fn heartbeat_due_us(&self) -> u64 {
        let heartbeat_us = self.engine.service.heartbeat_us();
        heartbeat_us.map_or(u64::MAX, |heartbeat_us| self.sealed_us + heartbeat_us)
    }

    /// When a timer or heartbeat is due, in microseconds; `u64::MAX`: never.
    pub(super) fn next_tick_us(&mut self) -> u64 {
        let next_us = self.engine.next_due_us().filter(|_| self.has_room());
        next_us.map_or(u64::MAX, |next_us| next_us.min(self.heartbeat_due_us()))
    }

    /// How long the timer task sleeps unless notified; `None`: indefinitely.
    pub(super) fn sleep(&mut self) -> Option<Instant> {
        self.sleeps_until_us = self.next_tick_us();
        (self.sleeps_until_us < u64::MAX).then(|| self.clock.instant(self.sleeps_until_us))
    }

    /// The outputs that are ready to leave, if there is no store.
    pub fn take_volatile(&mut self) -> Option<Outbox<S>> {
        let is_ready = self.is_volatile && !self.is_idle();
        is_ready.then(|| self.exchange(Outbox::default()))
    }

    /// Whether there is nothing to write and no output.
    pub(crate) fn is_idle(&self) -> bool {
        let Engine { outgoing, log, .. } = &self.engine;
        outgoing.is_empty() && log.is_empty() && !self.has_writes()
    }

    /// Whether outputs wait for a commit.
    pub(crate) const fn is_awaited(&self) -> bool {
        !self.engine.outgoing.is_empty()
    }

    /// Takes the batch and the outputs that depend on it, and leaves `empty` in their place. The
    /// committing task calls it, or the caller that steps a service without a host.
    pub fn take_outbox(&mut self, empty: Outbox<S>) -> Outbox<S> {
        if self.has_writes() {
            self.seal();
        }
        self.is_unsynced = true;
        self.exchange(empty)
    }

    /// Takes the batch and outputs as they are, without sealing.
    pub(crate) fn exchange(&mut self, empty: Outbox<S>) -> Outbox<S> {
        let Engine { batch, outgoing, log, .. } = &mut self.engine;
        Outbox {
            batch: std::mem::replace(batch, empty.batch),
            outgoing: std::mem::replace(outgoing, empty.outgoing),
            log: std::mem::replace(log, empty.log),
        }
    }

    /// Ends all waits, because the host is about to stop.
    pub fn end_waits(&mut self) {
        self.engine.end_waits(self.now);
        self.seal();
    }

    /// Records a batch of this size that the store has rejected, and the number of outputs that are
    /// held back in all.
    pub(crate) const fn refused(&mut self, items: usize, bytes: usize) {
        self.refused = (items, self.refused.1 + bytes);
    }

    /// Records the result of a commit. Returns whether a task waits to be told that inputs are
    /// taken again.
    pub fn committed(&mut self, is_written: bool) -> bool {
        self.commits += 1;
        self.is_unsynced = !is_written;
        let was_failed = std::mem::replace(&mut self.is_failed, !is_written);
        if is_written {
            self.refused = (0, 0);
            self.is_as_opened = false;
        }
        if self.is_failed && !was_failed {
            // The length of the failure is unknown: waiting is pointless.
            self.enter();
            self.engine.end_waits(self.now);
        }
        self.takes_inputs() && std::mem::take(&mut self.is_starved)
    }
}

/// The writes of one commit and the outputs that depend on it.
pub struct Outbox<S: Service> {
    /// The writes.
    pub batch: Batch,
    /// The outputs, which leave when the writes are durable.
    pub outgoing: Vec<S::Outgoing>,
    /// Lines of the service's log, which is written before the batch.
    pub log: Vec<u8>,
}

impl<S: Service> fmt::Debug for Outbox<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("batch", &self.batch).finish_non_exhaustive()
    }
}

impl<S: Service> Default for Outbox<S> {
    fn default() -> Self {
        Self { batch: Batch::default(), outgoing: Vec::new(), log: Vec::new() }
    }
}
