//! What the lock of a host protects: the engine, its clock, and how it stands with the store.
//!
//! It does no IO and has no tasks: a test or a simulation may step it by itself.

use std::fmt;

use tokio::time::Instant;

use crate::clock::{Clock, Moment};
use crate::engine::{Engine, Service, ServiceInput};
use crate::store::Batch;

/// While so many items wait to leave a node, it takes no inputs.
const OUTGOING_MAX: usize = 1 << 17;
/// While so many bytes wait to be written, neither.
const BATCH_MAX: usize = 64 << 20;

/// What the lock of a host protects.
pub struct HostState<S: Service> {
    /// The engine.
    pub engine: Engine<S>,
    clock: Clock,
    now: Moment,
    /// When the last batch was sealed, in microseconds of [`Moment::at_us`].
    sealed_us: u64,
    /// Nothing is written at all.
    is_volatile: bool,
    /// A batch was taken and is not known to be durable.
    is_unsynced: bool,
    is_failed: bool,
    commits: u64,
    /// The items and the bytes of earlier batches that the store has refused so far.
    refused: (usize, usize),
    /// Some task waits until inputs are taken again.
    is_starved: bool,
    /// When the timers' task wakes by itself; `u64::MAX`: never.
    pub(super) sleeps_until_us: u64,
    pub(crate) is_closing: bool,
    is_cut: bool,
}

impl<S: Service> fmt::Debug for HostState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostState").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<S: Service> HostState<S> {
    /// An engine that has started, and its clock. Volatile: nothing is written, and what leaves
    /// waits for nothing.
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
            commits: 0,
            refused: (0, 0),
            is_starved: false,
            sleeps_until_us: u64::MAX,
            is_closing: false,
            is_cut: false,
        }
    }

    /// Reads the clock, once for each input, and fires the timers that are due.
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
        let is_still = self.is_failed && service.stands_still_without_store();
        let (items, bytes) = self.refused;
        let has_room = items + outgoing.len() < OUTGOING_MAX && bytes + batch.len() < BATCH_MAX;
        !is_still && has_room && service.has_room() && !self.is_over()
    }

    /// The same, for who waits until they are.
    pub(super) fn has_room(&mut self) -> bool {
        let has_room = self.takes_inputs();
        self.is_starved |= !has_room;
        has_room
    }

    /// Whether no input is taken ever again: the host is closed, or a step has panicked.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_closing || self.is_broken()
    }

    /// Whether a step, or a task that the host needs, has panicked.
    pub(crate) const fn is_broken(&self) -> bool {
        self.is_cut || self.engine.is_broken()
    }

    /// A task that the host needs has ended: nothing is taken and nothing leaves any more. True:
    /// that is new, and nobody has closed the host.
    pub(crate) const fn cut(&mut self) -> bool {
        !self.is_closing && !std::mem::replace(&mut self.is_cut, true)
    }

    /// Whether a commit that is not durable is tried again although the host is closed.
    pub(crate) fn waits_for_store(&self) -> bool {
        self.engine.service.stands_still_without_store()
    }

    /// Reads the clock.
    pub fn read_clock(&mut self) -> Moment {
        self.now = self.clock.now();
        self.now
    }

    /// When this input was taken.
    #[must_use]
    pub const fn now(&self) -> Moment {
        self.now
    }

    /// Gives the core an input.
    pub fn apply(&mut self, input: ServiceInput<S>, context: &mut S::Context) {
        self.engine.apply(self.now, input, context);
    }

    /// The store has refused something and does not have it yet.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.is_failed || self.is_broken()
    }

    /// Whether everything that can be read now is durable.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        !self.is_unsynced && !self.has_writes()
    }

    fn has_writes(&self) -> bool {
        let Engine { service, batch, .. } = &self.engine;
        !batch.is_empty() || service.is_unsealed()
    }

    /// Queues something that is to leave once everything that can be read now is durable.
    pub fn push(&mut self, outgoing: S::Outgoing) {
        self.engine.outgoing.push(outgoing);
    }

    /// How many batches were written.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// Seals and writes, though nothing else is to be written.
    pub fn seal(&mut self) {
        self.sealed_us = self.now.at_us;
        if !self.is_volatile {
            self.engine.service.seal(self.now, &mut self.engine.batch);
        }
    }

    pub(super) fn tick(&mut self) {
        if self.now.at_us >= self.stale_us() && self.engine.next_due_us().is_some() {
            self.seal();
        }
    }

    /// When it is to be told that the node is alive, if timers are armed; `u64::MAX`: never.
    fn stale_us(&self) -> u64 {
        let alive_us = self.engine.service.alive_us();
        alive_us.map_or(u64::MAX, |alive_us| self.sealed_us + alive_us)
    }

    /// When something is due, if no input comes before, in microseconds; `u64::MAX`: never.
    pub(super) fn next_tick_us(&mut self) -> u64 {
        let next_us = self.engine.next_due_us().filter(|_| self.has_room());
        next_us.map_or(u64::MAX, |next_us| next_us.min(self.stale_us()))
    }

    /// Until when the timers' task sleeps from now on, unless it is woken; none: for ever.
    pub(super) fn sleep(&mut self) -> Option<Instant> {
        self.sleeps_until_us = self.next_tick_us();
        (self.sleeps_until_us < u64::MAX).then(|| self.clock.instant(self.sleeps_until_us))
    }

    /// What is ready to leave where nothing is written.
    pub(super) fn take_volatile(&mut self) -> Option<Outbox<S>> {
        let is_ready = self.is_volatile && !self.is_idle();
        is_ready.then(|| self.exchange(Outbox::default()))
    }

    /// Nothing is to be written, and nothing waits to leave.
    pub(crate) fn is_idle(&self) -> bool {
        let Engine { outgoing, log, .. } = &self.engine;
        outgoing.is_empty() && log.is_empty() && !self.has_writes()
    }

    /// Something waits to leave.
    pub(crate) const fn is_awaited(&self) -> bool {
        !self.engine.outgoing.is_empty()
    }

    /// What is to be written and what then leaves; the next begins with these empty ones. A host's
    /// committing task takes it; who steps a service without one takes it itself.
    pub fn take_outbox(&mut self, empty: Outbox<S>) -> Outbox<S> {
        if self.has_writes() {
            self.seal();
        }
        self.is_unsynced = true;
        self.exchange(empty)
    }

    /// What has collected, as it is: sealed or not.
    pub(crate) fn exchange(&mut self, empty: Outbox<S>) -> Outbox<S> {
        let Engine { batch, outgoing, log, .. } = &mut self.engine;
        Outbox {
            batch: std::mem::replace(batch, empty.batch),
            outgoing: std::mem::replace(outgoing, empty.outgoing),
            log: std::mem::replace(log, empty.log),
        }
    }

    /// Nobody is to wait any longer: the host is going to stop.
    pub fn end_waits(&mut self) {
        self.engine.end_waits(self.now);
        self.seal();
    }

    /// The store has refused a batch of so many bytes, and so many items wait for it and for those
    /// before it.
    pub(crate) const fn refused(&mut self, items: usize, bytes: usize) {
        self.refused = (items, self.refused.1 + bytes);
    }

    /// A commit is done: everything that was taken is durable, or none of it is known to be. True
    /// where some task has waited for that to take inputs.
    pub fn committed(&mut self, is_written: bool) -> bool {
        self.commits += 1;
        self.is_unsynced = !is_written;
        let was_failed = std::mem::replace(&mut self.is_failed, !is_written);
        if is_written {
            self.refused = (0, 0);
        }
        if self.is_failed && !was_failed {
            // Nobody knows for how long: there is nothing to wait for.
            self.enter();
            self.engine.end_waits(self.now);
        }
        self.takes_inputs() && std::mem::take(&mut self.is_starved)
    }
}

/// What one commit writes, and what leaves then.
pub struct Outbox<S: Service> {
    /// The writes.
    pub batch: Batch,
    /// What leaves once they are durable.
    pub outgoing: Vec<S::Outgoing>,
    /// Lines of the service's log, which is written first.
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
