//! A service on a runtime: one engine behind a lock, a task for its timers, a task that commits.
//!
//! Steps go on while earlier ones are being saved; what leaves the node waits until every save
//! before it is durable. One sync of the store serves all steps that were taken meanwhile.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clock::{Clock, Moment};
use crate::engine::{Engine, Service, ServiceInput};
use crate::store::Batch;

/// While so many items wait to leave a node, it takes no inputs.
const OUTGOING_MAX: usize = 1 << 17;

/// Where it goes what leaves a node.
pub trait Outlet<O>: Send + Sync + 'static {
    /// Takes what leaves, in its order. Not durable: the store has refused to save what it depends
    /// on, and nobody knows whether that will survive. What is not taken then is held back until
    /// it is durable.
    fn deliver(&self, outgoing: &mut Vec<O>, is_durable: bool);

    /// Appends lines to the service's log. It is called before what they tell of is saved.
    fn log(&self, _lines: &[u8]) {}
}

/// A service that runs. Clones share it.
pub struct Host<S: Service> {
    pub(crate) shared: Arc<Shared<S>>,
}

impl<S: Service> Clone for Host<S> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<S: Service> fmt::Debug for Host<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("is_failed", &self.shared.is_failed).finish_non_exhaustive()
    }
}

pub(crate) struct Shared<S: Service> {
    state: Mutex<HostState<S>>,
    pub(crate) has_work: Notify,
    has_room: Arc<Notify>,
    is_rearmed: Notify,
    pub(crate) outlet: Box<dyn Outlet<S::Outgoing>>,
    /// The store refuses, for callers that must not wait for the engine.
    is_failed: AtomicBool,
}

impl<S: Service> Drop for Shared<S> {
    fn drop(&mut self) {
        self.has_room.notify_waiters();
    }
}

/// A host, for as long as others keep it.
pub(crate) struct WeakHost<S: Service> {
    shared: Weak<Shared<S>>,
    has_room: Arc<Notify>,
}

impl<S: Service> Clone for WeakHost<S> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), has_room: self.has_room.clone() }
    }
}

impl<S: Service> WeakHost<S> {
    /// The host, unless it has ended.
    pub(crate) fn upgrade(&self) -> Option<Host<S>> {
        Some(Host { shared: self.shared.upgrade()? })
    }

    /// Gives the core an input once the host takes inputs. False: the host has ended before.
    pub(crate) async fn input(&self, input: ServiceInput<S>, mut context: S::Context) -> bool {
        let mut input = Some(input);
        loop {
            let room = self.has_room.notified();
            let Some(host) = self.upgrade() else { return false };
            host.with(|state| {
                if state.has_room()
                    && let Some(input) = input.take()
                {
                    state.apply(input, &mut context);
                }
            });
            drop(host);
            if input.is_none() {
                return true;
            }
            room.await;
        }
    }
}

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
    /// Some task waits until inputs are taken again.
    is_starved: bool,
    /// When the timers' task wakes by itself.
    sleeps_until: Option<Instant>,
    pub(crate) is_closing: bool,
}

impl<S: Service> fmt::Debug for HostState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostState").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<S: Service> Host<S> {
    /// A host of an engine that has started.
    pub fn new(state: HostState<S>, outlet: impl Outlet<S::Outgoing>) -> Self {
        let shared = Shared {
            state: Mutex::new(state),
            has_work: Notify::new(),
            has_room: Arc::default(),
            is_rearmed: Notify::new(),
            outlet: Box::new(outlet),
            is_failed: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Reads the clock, fires the timers that are due, and does something with the service.
    pub fn with<T>(&self, act: impl FnOnce(&mut HostState<S>) -> T) -> T {
        let shared = &*self.shared;
        let mut state = self.lock();
        state.enter();
        let result = act(&mut state);
        let is_earlier = match (state.next_tick(), state.sleeps_until) {
            (Some(next), Some(until)) => next < until,
            (next, None) => next.is_some(),
            (None, Some(_)) => false,
        };
        if is_earlier {
            // Until the task has looked, it need not be woken again.
            state.sleeps_until = state.next_tick();
        }
        let mut outgoing = state.take_volatile();
        if let Some((_, log)) = &outgoing {
            // The lock is held, so that the lines are in the order of the steps.
            shared.outlet.log(log);
        }
        let has_work = !state.is_idle();
        drop(state);
        if is_earlier {
            shared.is_rearmed.notify_one();
        }
        if has_work {
            shared.has_work.notify_one();
        }
        if let Some((outgoing, _)) = &mut outgoing {
            shared.outlet.deliver(outgoing, true);
        }
        result
    }

    /// Whether the store refuses. It never waits.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.shared.is_failed.load(Ordering::Acquire)
    }

    /// The same host, which ends although this is kept.
    pub(crate) fn downgrade(&self) -> WeakHost<S> {
        let Shared { has_room, .. } = &*self.shared;
        WeakHost { shared: Arc::downgrade(&self.shared), has_room: has_room.clone() }
    }

    /// There may be room again: wakes whoever waits for it.
    pub fn made_room(&self) {
        self.shared.has_room.notify_waiters();
        self.shared.is_rearmed.notify_one();
    }

    /// Fires timers until it is dropped.
    pub async fn drive_timers(self) {
        loop {
            self.with(HostState::tick);
            let until = {
                let mut state = self.lock();
                state.sleeps_until = state.next_tick();
                state.sleeps_until
            };
            let rearmed = self.shared.is_rearmed.notified();
            match until {
                None => rearmed.await,
                Some(until) => {
                    // Either way there is something to look at.
                    let _either = tokio::time::timeout_at(until, rearmed).await;
                }
            }
        }
    }

    /// Ends the committing task once nothing is left to write.
    pub fn close(&self) {
        self.lock().is_closing = true;
        self.shared.has_work.notify_one();
    }

    pub(crate) fn set_failed(&self, is_failed: bool) {
        self.shared.is_failed.store(is_failed, Ordering::Release);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HostState<S>> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
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
            sealed_us: now.at_us,
            is_volatile,
            is_unsynced: false,
            is_failed: false,
            commits: 0,
            is_starved: false,
            sleeps_until: None,
            is_closing: false,
        }
    }

    /// Reads the clock, once for each input, and fires the timers that are due.
    pub fn enter(&mut self) {
        let now = self.read_clock();
        if self.takes_inputs() {
            self.engine.fire_due(now);
        }
    }

    /// The same, for who waits until they are.
    fn has_room(&mut self) -> bool {
        let has_room = self.takes_inputs();
        self.is_starved |= !has_room;
        has_room
    }

    /// Whether inputs are taken now.
    #[must_use]
    pub fn takes_inputs(&self) -> bool {
        let service = &self.engine.service;
        let is_still = self.is_failed && service.stands_still_without_store();
        !is_still && self.engine.outgoing.len() < OUTGOING_MAX && service.has_room()
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
        self.is_failed
    }

    /// Whether everything that can be read now is durable.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        !self.is_unsynced && self.engine.batch.is_empty()
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

    fn tick(&mut self) {
        let alive_us = self.engine.service.alive_us();
        let is_stale = alive_us.is_some_and(|alive_us| self.now.at_us >= self.sealed_us + alive_us);
        if is_stale && self.engine.next_due_us().is_some() {
            self.seal();
        }
    }

    /// When something is due, if no input comes before.
    fn next_tick(&mut self) -> Option<Instant> {
        if !self.has_room() {
            return None;
        }
        let next_us = self.engine.next_due_us()?;
        let alive_us = self.engine.service.alive_us();
        let stale_us = alive_us.map_or(u64::MAX, |alive_us| self.sealed_us + alive_us);
        Some(self.clock.instant(next_us.min(stale_us)))
    }

    /// What is ready to leave where nothing is written, and the lines of the log.
    fn take_volatile(&mut self) -> Option<(Vec<S::Outgoing>, Vec<u8>)> {
        if !self.is_volatile || self.is_idle() {
            return None;
        }
        self.engine.batch.clear();
        let Engine { outgoing, log, .. } = &mut self.engine;
        Some((std::mem::take(outgoing), std::mem::take(log)))
    }

    /// Nothing is to be written, and nothing waits to leave.
    pub(crate) fn is_idle(&self) -> bool {
        let Engine { batch, outgoing, log, .. } = &self.engine;
        batch.is_empty() && outgoing.is_empty() && log.is_empty()
    }

    /// Something waits to leave.
    pub(crate) const fn is_awaited(&self) -> bool {
        !self.engine.outgoing.is_empty()
    }

    /// What is to be written and what then leaves; the next begins with these empty ones. A host's
    /// committing task takes it; who steps a service without one takes it itself.
    pub fn take_outbox(&mut self, empty: Outbox<S>) -> Outbox<S> {
        if !self.engine.batch.is_empty() {
            self.seal();
        }
        self.is_unsynced = true;
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

    /// A commit is done: everything that was taken is durable, or none of it is known to be. True
    /// where some task has waited for that to take inputs.
    pub fn committed(&mut self, is_written: bool) -> bool {
        self.commits += 1;
        self.is_unsynced = !is_written;
        let was_failed = std::mem::replace(&mut self.is_failed, !is_written);
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
