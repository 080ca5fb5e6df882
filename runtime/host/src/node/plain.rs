//! The service of a core that needs nothing but its durations: messages and notices leave as they
//! are, and what is saved is one value.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc;
use turnstile_step::Core;

use super::kept::Kept;
use super::{Durations, Event, EventOf, NodeCore};
use crate::clock::Moment;
use crate::engine::{Service, Step, TimerOf};
use crate::host::Outlet;
use crate::store::{Batch, Each, Store};
use crate::transport::Unsent;

/// What leaves a node.
#[derive(Debug)]
pub(crate) enum Leaving<C: Core> {
    /// A message, and whom it goes to.
    Message(C::Peer, C::Message),
    /// What the user is told.
    Notice(C::Notice),
}

/// A core's durations and what it has saved.
pub(crate) struct Plain<C: Core> {
    durations: Durations<C>,
    kept: Kept<C>,
    is_changed: bool,
    is_kept: bool,
    pub(super) events: Events<C>,
}

impl<C: NodeCore> Plain<C> {
    /// Kept: what is saved is written.
    pub(super) fn new(
        durations: Durations<C>,
        kept: Kept<C>,
        is_kept: bool,
        events: Events<C>,
    ) -> Self {
        let is_changed = is_kept && kept.is_unnamed();
        Self { durations, kept, is_changed, is_kept, events }
    }
}

impl<C: NodeCore> Service for Plain<C> {
    type Core = C;
    type Context = ();
    type Outgoing = Leaving<C>;

    fn due_us(&mut self, step: &mut Step<'_, Self>, timer: TimerOf<Self>) -> Option<u64> {
        let lasts = (self.durations)(step.state, timer).as_micros();
        Some(step.now.at_us.saturating_add(u64::try_from(lasts).unwrap_or(u64::MAX)))
    }

    fn save(&mut self, _step: &mut Step<'_, Self>, saved: C::Saved) {
        C::keep(&mut self.kept.saved, saved);
        self.is_changed = self.is_kept;
    }

    fn notify(&mut self, step: &mut Step<'_, Self>, notice: C::Notice) {
        self.events.expect_one();
        step.outgoing.push(Leaving::Notice(notice));
    }

    fn send(&mut self, step: &mut Step<'_, Self>, to: C::Peer, message: C::Message) {
        step.outgoing.push(Leaving::Message(to, message));
    }

    fn seal(&mut self, _now: Moment, batch: &mut Batch) {
        if std::mem::take(&mut self.is_changed) {
            self.kept.write(batch);
        }
    }

    fn is_unsealed(&self) -> bool {
        self.is_changed
    }

    fn has_room(&self) -> bool {
        self.events.has_room()
    }

    fn stands_still_without_store(&self) -> bool {
        true
    }
}

/// How many events were told and not read, and how many may be.
#[derive(Clone)]
pub(crate) struct Waiting {
    count: Arc<AtomicUsize>,
    max: usize,
}

impl Waiting {
    /// An event was read. True: there is room again.
    pub(super) fn take(&self) -> bool {
        self.count.fetch_sub(1, Ordering::AcqRel) >= self.max
    }
}

/// The queue of a node's events.
pub(crate) struct Events<C: Core> {
    sender: mpsc::UnboundedSender<EventOf<C>>,
    waiting: Waiting,
}

impl<C: Core> Clone for Events<C> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), waiting: self.waiting.clone() }
    }
}

impl<C: Core> Events<C> {
    pub(super) fn new(max: usize) -> (Self, Waiting, mpsc::UnboundedReceiver<EventOf<C>>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let waiting = Waiting { count: Arc::default(), max: max.max(1) };
        (Self { sender, waiting: waiting.clone() }, waiting, receiver)
    }

    /// An event will be told: it waits from now on.
    fn expect_one(&self) {
        self.waiting.count.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn tell(&self, event: EventOf<C>) {
        self.expect_one();
        self.tell_expected(event);
    }

    fn tell_expected(&self, event: EventOf<C>) {
        // A user that does not listen has dropped the receiver.
        let _deaf = self.sender.send(event);
    }

    fn has_room(&self) -> bool {
        let Waiting { count, max } = &self.waiting;
        self.sender.is_closed() || count.load(Ordering::Acquire) < *max
    }
}

/// Sends a message.
type Transmit<C> = Box<
    dyn Fn(
            <C as Core>::Peer,
            <C as Core>::Message,
        ) -> Result<(), Unsent<<C as Core>::Peer, <C as Core>::Message>>
        + Send
        + Sync,
>;

/// Where what leaves a node goes: its transport and its user.
pub(super) struct Pump<C: Core> {
    /// Set before anything leaves.
    pub(super) transmit: Arc<OnceLock<Transmit<C>>>,
    pub(super) events: Events<C>,
}

impl<C: NodeCore> Outlet<Leaving<C>> for Pump<C> {
    fn deliver(&self, outgoing: &mut Vec<Leaving<C>>, is_durable: bool) {
        if !is_durable {
            return;
        }
        for leaving in outgoing.drain(..) {
            match leaving {
                Leaving::Notice(notice) => self.events.tell_expected(Event::Notice(notice)),
                Leaving::Message(to, message) => {
                    let transmit = self.transmit.get().expect("it is set before anything leaves");
                    if let Err(unsent) = transmit(to, message) {
                        self.events.tell(Event::Unsent(unsent));
                    }
                }
            }
        }
    }
}

/// The store of a node that keeps nothing.
#[derive(Debug)]
pub(super) struct Nowhere;

impl Store for Nowhere {
    fn read(&mut self, _each: Each<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {}

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
