//! A service on a runtime: an engine behind a mutex, a task for its timers, and a committing task.
//!
//! Steps continue while earlier ones are being saved; an output leaves after every save before it
//! is durable. One sync of the store serves all steps taken in the meantime.

mod state;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use crate::engine::{Service, ServiceInput};

pub use state::{HostState, Outbox};

/// Receives the outputs of a node.
pub trait Outlet<O>: Send + Sync + 'static {
    /// Takes outputs in the order of the steps. Without a store, outputs of concurrent inputs may
    /// be delivered in either order. The host is not locked. If `is_durable` is false, the store
    /// has rejected the writes that the outputs depend on, and these may or may not survive;
    /// outputs that are left in the vector are held back until they are durable.
    fn deliver(&self, outgoing: &mut Vec<O>, is_durable: bool);

    /// Appends lines to the service's log, before the steps that they describe are saved. Without a
    /// store the host is locked during the call.
    fn log(&self, _lines: &[u8]) {}
}

/// Wakes the committing task when a step panics, after which no output may leave.
struct NotifyOnPanic<'a>(&'a Notify);

impl Drop for NotifyOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.notify_one();
        }
    }
}

/// A running service. Clones share it.
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
    /// Whether the store rejects writes, readable without locking the engine.
    is_failed: AtomicBool,
}

impl<S: Service> Drop for Shared<S> {
    fn drop(&mut self) {
        self.has_room.notify_waiters();
    }
}

/// A weak reference to a host.
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
    /// The host; `None` if it has been dropped.
    pub(crate) fn upgrade(&self) -> Option<Host<S>> {
        Some(Host { shared: self.shared.upgrade()? })
    }

    /// Gives the core an input as soon as the host takes inputs. Returns `false` if the host ends
    /// first.
    pub(crate) async fn input(&self, input: ServiceInput<S>, mut context: S::Context) -> bool {
        let mut input = Some(input);
        loop {
            let room = self.has_room.notified();
            let Some(host) = self.upgrade() else { return false };
            let is_over = host.with(|state| {
                if state.has_room()
                    && let Some(input) = input.take()
                {
                    state.apply(input, &mut context);
                }
                state.is_over()
            });
            drop(host);
            if input.is_none() || is_over {
                return input.is_none();
            }
            room.await;
        }
    }
}

impl<S: Service> Host<S> {
    /// Creates a host of an engine that has been restarted.
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

    /// Reads the clock, fires the timers that are due, and calls a function with the service.
    pub fn with<T>(&self, act: impl FnOnce(&mut HostState<S>) -> T) -> T {
        let shared = &*self.shared;
        let _told = NotifyOnPanic(&shared.has_work);
        let mut state = self.lock();
        state.enter();
        let result = act(&mut state);
        let next_us = state.next_tick_us();
        let is_earlier = next_us < state.sleeps_until_us;
        if is_earlier {
            // Until the timer task has looked, it need not be woken again.
            state.sleeps_until_us = next_us;
        }
        let mut outbox = state.take_volatile();
        if let Some(outbox) = &outbox {
            // The lock is held, so that the lines are in the order of the steps.
            shared.outlet.log(&outbox.log);
        }
        let has_work = !state.is_idle();
        drop(state);
        if is_earlier {
            shared.is_rearmed.notify_one();
        }
        if has_work {
            shared.has_work.notify_one();
        }
        if let Some(outbox) = &mut outbox {
            shared.outlet.deliver(&mut outbox.outgoing, true);
        }
        result
    }

    /// Whether the store rejects writes. Never blocks.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.shared.is_failed.load(Ordering::Acquire)
    }

    /// Has the service begin with a store that takes no writes yet: no timer fires before it does,
    /// so that what can be read is what the store has, until there is an input.
    pub fn begin_without_store(&self) {
        self.lock().begin_without_store();
        self.set_failed(true);
    }

    /// A weak reference to the host.
    pub(crate) fn downgrade(&self) -> WeakHost<S> {
        let Shared { has_room, .. } = &*self.shared;
        WeakHost { shared: Arc::downgrade(&self.shared), has_room: has_room.clone() }
    }

    /// Wakes all tasks that wait for room. The service calls it when it may have room again.
    pub fn made_room(&self) {
        self.shared.has_room.notify_waiters();
        self.shared.is_rearmed.notify_one();
    }

    /// Fires timers until the future is dropped.
    pub async fn drive_timers(self) {
        loop {
            self.with(HostState::tick);
            let until = self.lock().sleep();
            let rearmed = self.shared.is_rearmed.notified();
            match until {
                None => rearmed.await,
                Some(until) => {
                    // In both cases check the timers again.
                    let _either = tokio::time::timeout_at(until, rearmed).await;
                }
            }
            // Yield: a timer that is re-armed with no delay must not block other tasks.
            tokio::task::yield_now().await;
        }
    }

    /// Takes no more input, and ends the committing task when nothing is left to write.
    pub fn close(&self) {
        self.lock().is_closing = true;
        self.shared.has_work.notify_one();
        self.made_room();
    }

    pub(crate) fn set_failed(&self, is_failed: bool) {
        self.shared.is_failed.store(is_failed, Ordering::Release);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HostState<S>> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
