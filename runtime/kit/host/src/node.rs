//! A node of any core: the core on a host, with a transport, a store, and a queue of events.

mod bounds;
mod event;
mod kept;
mod service;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use turnstile_step::{Core, Input};

pub use self::bounds::NodeCore;
pub use self::event::{Event, EventOf};
use self::kept::Kept;
pub use self::service::Durations;
use self::service::{Events, NoStore, NodeOutlet, NodeService, UnreadCount};
use crate::clock::{Clock, Moment, wall_us};
use crate::engine::{Counts, Engine, Observer};
use crate::host::{Host, HostState, WeakHost};
use crate::store::Store;
use crate::transport::{Receiver, Transport, Unsent};

/// Converts or refuses the saved state that a node starts from.
pub type Accept<C> = Box<dyn FnOnce(<C as Core>::Saved) -> io::Result<<C as Core>::Saved> + Send>;

/// The configuration of a node.
pub struct Options<C: Core> {
    /// The durations of its timers.
    pub durations: Durations<C>,
    /// The store for its saved state. `None`: nothing survives, and each start is a first start.
    pub store: Option<Box<dyn Store>>,
    /// The owner of the store, for example the core and the node's id. The name is saved, and a
    /// node with another name refuses to start. Empty: any node may use the store.
    pub name: String,
    /// Called for each step, for example by a trace.
    pub observer: Option<Observer<C>>,
    /// The maximum number of unread events; at the maximum the node takes no input.
    pub notices_max: usize,
    /// Called once with the state that the store has, before the start: it may convert what an
    /// earlier version of the core has saved, or refuse it.
    pub accept: Option<Accept<C>>,
}

impl<C: Core> fmt::Debug for Options<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("notices_max", &self.notices_max).finish_non_exhaustive()
    }
}

impl<C: Core> Options<C> {
    /// A configuration without a store; at most 1024 unread events.
    pub fn new(
        durations: impl Fn(&C::State, C::Timer) -> Duration + Send + Sync + 'static,
    ) -> Self {
        let durations = Box::new(durations);
        let (name, notices_max) = (String::new(), 1024);
        Self { durations, store: None, name, observer: None, notices_max, accept: None }
    }
}

/// The events of a node, in order. If they are not read, the node stops taking input.
pub struct Notices<C: NodeCore> {
    receiver: mpsc::UnboundedReceiver<EventOf<C>>,
    waiting: UnreadCount,
    host: WeakHost<NodeService<C>>,
}

impl<C: NodeCore> fmt::Debug for Notices<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").field("waiting", &self.receiver.len()).finish_non_exhaustive()
    }
}

impl<C: NodeCore> Notices<C> {
    /// The next event; `None` when the node has stopped and all events are read.
    pub async fn next(&mut self) -> Option<EventOf<C>> {
        let event = self.receiver.recv().await?;
        if self.waiting.take()
            && let Some(host) = self.host.upgrade()
        {
            host.made_room();
        }
        Some(event)
    }

    /// The next notice of the core, skipping [`Event::Unsent`]; `None` when the node has stopped or
    /// failed.
    pub async fn notice(&mut self) -> Option<C::Notice> {
        loop {
            match self.next().await? {
                Event::Notice(notice) => return Some(notice),
                Event::Unsent(_) => {}
                Event::Broken => return None,
            }
        }
    }
}

impl<C: NodeCore> Drop for Notices<C> {
    fn drop(&mut self) {
        // Wake the tasks that wait for room: no event will be read.
        self.receiver.close();
        if let Some(host) = self.host.upgrade() {
            host.made_room();
        }
    }
}

/// The error of a node that has stopped or failed; the request was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the node has stopped and takes no more input")
    }
}

impl std::error::Error for Stopped {}

/// The result of stopping a node.
#[derive(Clone, Debug)]
pub struct Stop<S> {
    /// The core's final state.
    pub state: S,
    /// Whether everything that the core has saved is durable, and all outputs that depend on it
    /// were passed to the transport or to the user.
    pub is_durable: bool,
}

/// Marks the node as failed when a task that it needs ends first.
struct RequiredTask<C: NodeCore>(Host<NodeService<C>>);

impl<C: NodeCore> Drop for RequiredTask<C> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if state.fail() {
            state.engine.service.events.send(Event::Broken);
        }
        drop(state);
        self.0.made_room();
    }
}

/// A running node. Dropping it is like a crash: its tasks end soon after, and then its store is
/// free. See [`Node::stop`].
pub struct Node<C: NodeCore, T> {
    host: Host<NodeService<C>>,
    transport: Arc<T>,
    timers: JoinHandle<()>,
    committing: JoinHandle<bool>,
}

impl<C: NodeCore, T> fmt::Debug for Node<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("host", &self.host).finish_non_exhaustive()
    }
}

impl<C: NodeCore, T: Transport<C::Peer, C::Message>> Node<C, T> {
    /// Starts a core from its store. The function creates the transport, given the inbox for its
    /// messages; it is called after the core has started.
    ///
    /// # Errors
    /// When the store cannot be read, belongs to a node of another name, or has data that this core
    /// cannot decode; and the errors of the function.
    pub async fn start<F: Future<Output = io::Result<T>>>(
        core: C,
        options: Options<C>,
        transport: impl FnOnce(Inbox<C>) -> F,
    ) -> io::Result<(Self, Notices<C>)> {
        let Options { durations, store, name, observer, notices_max, accept } = options;
        let is_kept = store.is_some();
        let mut store = store.unwrap_or_else(|| Box::new(NoStore));
        let mut kept = Kept::<C>::read(&mut *store, &name)?;
        if let Some(accept) = accept {
            kept.saved = kept.saved.map(accept).transpose()?;
        }
        let clock = Clock::start(wall_us(), Moment::default());
        let (events, waiting, receiver) = Events::new(notices_max);
        let saved = kept.saved.clone();
        let service = NodeService::new(durations, kept, is_kept, events.clone());
        let mut engine = Engine::new(core, service, observer);
        engine.restart(clock.now(), saved, 0);
        let pump = NodeOutlet { transmit: Arc::default(), events };
        let transmit = pump.transmit.clone();
        let host = Host::new(HostState::new(engine, clock, false), pump);
        let transport = Arc::new(transport(Inbox { host: host.downgrade() }).await?);
        let outbound = transport.clone();
        // Set once, here, before the first output.
        let _first = transmit.set(Box::new(move |to, message| outbound.send(to, message)));
        let needed = RequiredTask(host.clone());
        let timers = tokio::spawn(async move { needed.0.clone().drive_timers().await });
        let needed = RequiredTask(host.clone());
        let committing = tokio::spawn(async move { needed.0.clone().commit(store, None).await });
        let notices = Notices { receiver, waiting, host: host.downgrade() };
        Ok((Self { host, transport, timers, committing }, notices))
    }

    /// Gives the core a command, as soon as it takes inputs.
    ///
    /// # Errors
    /// When the node has stopped or failed.
    pub async fn command(&self, command: C::Command) -> Result<(), Stopped> {
        let is_taken = self.host.downgrade().input(Input::Command(command), ()).await;
        is_taken.then_some(()).ok_or(Stopped)
    }

    /// A copy of the core's state.
    #[must_use]
    pub fn state(&self) -> C::State {
        self.host.with(|state| state.engine.state().clone())
    }

    /// Counts since the start.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.host.with(|state| state.engine.counts())
    }

    /// The transport.
    #[must_use]
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Stops the node: takes no more input, fires no timer, makes everything saved durable, and
    /// sends the queued messages. Each of the last two takes at most `timeout`.
    pub async fn stop(mut self, timeout: Duration) -> Stop<C::State> {
        self.host.close();
        self.timers.abort();
        let committed = tokio::time::timeout(timeout, &mut self.committing).await;
        self.transport.close(timeout).await;
        let is_durable = matches!(committed, Ok(Ok(true)));
        Stop { state: self.host.lock().engine.state().clone(), is_durable }
    }
}

impl<C: NodeCore, T> Drop for Node<C, T> {
    fn drop(&mut self) {
        self.host.close();
        self.timers.abort();
        self.committing.abort();
    }
}

/// Receives the messages of a node's transport.
pub struct Inbox<C: NodeCore> {
    host: WeakHost<NodeService<C>>,
}

impl<C: NodeCore> Clone for Inbox<C> {
    fn clone(&self) -> Self {
        Self { host: self.host.clone() }
    }
}

impl<C: NodeCore> Inbox<C> {
    /// Delivers a message at once, also while events are unread, and reads the state after its
    /// step. The caller bounds the number of such messages. `None`: the node has ended, and the
    /// message is not delivered.
    pub fn take<T>(
        &self,
        from: C::Peer,
        message: C::Message,
        read: impl FnOnce(&C::State) -> T,
    ) -> Option<T> {
        self.host.upgrade()?.with(|state| {
            if state.is_over() {
                return None;
            }
            state.apply(Input::Message { from, message }, &mut ());
            Some(read(state.engine.state()))
        })
    }

    /// Reads the state; `None`: the node has been dropped.
    pub fn read<T>(&self, read: impl FnOnce(&C::State) -> T) -> Option<T> {
        Some(self.host.upgrade()?.with(|state| read(state.engine.state())))
    }
}

impl<C: NodeCore> fmt::Debug for Inbox<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}

impl<C: NodeCore> Receiver<C::Peer, C::Message> for Inbox<C> {
    async fn deliver(&self, from: C::Peer, message: C::Message) {
        // A node that has ended takes no input.
        let _taken = self.host.input(Input::Message { from, message }, ()).await;
    }

    fn unsent(&self, unsent: Unsent<C::Peer, C::Message>) {
        if let Some(host) = self.host.upgrade() {
            host.with(|state| state.engine.service.events.send(Event::Unsent(unsent)));
        }
    }
}
