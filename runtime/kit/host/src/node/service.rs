//! The service of a core that needs only durations: messages and notices leave unchanged, and the
//! saved state is one value.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::mpsc;
use turnstile_step::Core;

use super::bounds::NodeCore;
use super::event::{Event, EventOf};
use super::kept::Kept;
use crate::clock::Moment;
use crate::engine::{Service, StepIo, TimerOf};
use crate::host::Outlet;
use crate::store::{Batch, Store, Visitor};
use crate::transport::Unsent;

/// The duration of a timer that is armed in this state.
pub type Durations<C> =
    Box<dyn Fn(&<C as Core>::State, <C as Core>::Timer) -> Duration + Send + Sync>;

/// An output of a node.
#[derive(Debug)]
pub(crate) enum NodeOutgoing<C: Core> {
    /// A message and its receiver.
    Message(C::Peer, C::Message),
    /// A notice for the user.
    Notice(C::Notice),
}

/// The durations and the saved state of a core.
pub(crate) struct NodeService<C: Core> {
    durations: Durations<C>,
    kept: Kept<C>,
    is_changed: bool,
    is_kept: bool,
    pub(super) events: Events<C>,
}

impl<C: NodeCore> NodeService<C> {
    /// Creates the service. `is_kept`: whether the node has a store.
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

impl<C: NodeCore> Service for NodeService<C> {
    type Core = C;
    type Context = ();
    type Outgoing = NodeOutgoing<C>;

    fn due_us(&mut self, step: &mut StepIo<'_, Self>, timer: TimerOf<Self>) -> Option<u64> {
        let lasts = (self.durations)(step.state, timer).as_micros();
        Some(step.now.at_us.saturating_add(u64::try_from(lasts).unwrap_or(u64::MAX)))
    }

    fn save(&mut self, _step: &mut StepIo<'_, Self>, saved: C::Saved) {
        C::merge_saved(&mut self.kept.saved, saved);
        self.is_changed = self.is_kept;
    }

    fn notify(&mut self, step: &mut StepIo<'_, Self>, notice: C::Notice) {
        self.events.expect_one();
        step.outgoing.push(NodeOutgoing::Notice(notice));
    }

    fn send(&mut self, step: &mut StepIo<'_, Self>, to: C::Peer, message: C::Message) {
        step.outgoing.push(NodeOutgoing::Message(to, message));
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

    fn pauses_without_store(&self) -> bool {
        true
    }
}

/// The number of events that the user has not read, and the maximum.
#[derive(Clone)]
pub(crate) struct UnreadCount {
    count: Arc<AtomicUsize>,
    max: usize,
}

impl UnreadCount {
    /// Counts an event as read. Returns whether there is room again.
    pub(super) fn take(&self) -> bool {
        self.count.fetch_sub(1, Ordering::AcqRel) >= self.max
    }
}

/// The queue of a node's events.
pub(crate) struct Events<C: Core> {
    sender: mpsc::UnboundedSender<EventOf<C>>,
    waiting: UnreadCount,
}

impl<C: Core> Clone for Events<C> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), waiting: self.waiting.clone() }
    }
}

impl<C: Core> Events<C> {
    pub(super) fn new(max: usize) -> (Self, UnreadCount, mpsc::UnboundedReceiver<EventOf<C>>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let waiting = UnreadCount { count: Arc::default(), max: max.max(1) };
        (Self { sender, waiting: waiting.clone() }, waiting, receiver)
    }

    /// Counts an event that will be sent.
    fn expect_one(&self) {
        self.waiting.count.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn send(&self, event: EventOf<C>) {
        self.expect_one();
        self.send_expected(event);
    }

    fn send_expected(&self, event: EventOf<C>) {
        // An error means that the user has dropped the receiver.
        let _deaf = self.sender.send(event);
    }

    fn has_room(&self) -> bool {
        let UnreadCount { count, max } = &self.waiting;
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

/// The outlet of a node: its transport and its user.
pub(super) struct NodeOutlet<C: Core> {
    /// Set before the first output.
    pub(super) transmit: Arc<OnceLock<Transmit<C>>>,
    pub(super) events: Events<C>,
}

impl<C: NodeCore> Outlet<NodeOutgoing<C>> for NodeOutlet<C> {
    fn deliver(&self, outgoing: &mut Vec<NodeOutgoing<C>>, is_durable: bool) {
        if !is_durable {
            return;
        }
        for leaving in outgoing.drain(..) {
            match leaving {
                NodeOutgoing::Notice(notice) => self.events.send_expected(Event::Notice(notice)),
                NodeOutgoing::Message(to, message) => {
                    let transmit = self.transmit.get().expect("it is set before anything leaves");
                    if let Err(unsent) = transmit(to, message) {
                        self.events.send(Event::Unsent(unsent));
                    }
                }
            }
        }
    }
}

/// The store of a node without durable state.
#[derive(Debug)]
pub(super) struct NoStore;

impl Store for NoStore {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, _batch: &Batch) {}

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
