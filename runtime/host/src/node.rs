//! A node of any core: the core on a host, with a transport, a store, and a queue of notices.

mod kept;
mod plain;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use turnstile_step::{Core, Input};

use self::kept::Kept;
use self::plain::{Events, Nowhere, Plain, Pump, Waiting};
use crate::clock::{Clock, Moment, wall_us};
use crate::engine::{Counts, Engine, Observer};
use crate::host::{Host, HostState, WeakHost};
use crate::store::Store;
use crate::transport::{Receiver, Transport, Unsent};

/// How long a timer runs that is armed in this state.
pub type Durations<C> =
    Box<dyn Fn(&<C as Core>::State, <C as Core>::Timer) -> Duration + Send + Sync>;

/// A core that a [`Node`] runs: what it keeps in memory and sends may go to another thread, and
/// what it saves is data.
///
/// `Saved` is written by postcard, without the names of fields. Later versions of a core read what
/// earlier ones have saved if they only append variants to enums. For any other change let `Saved`
/// be an enum with a variant for each layout, and bring old ones up to date at `Input::Restart`.
pub trait NodeCore:
    Core<
        State: Send,
        Peer: Send + Sync,
        Message: Send + Sync,
        Timer: Send,
        Command: Send,
        Notice: Send,
        Saved: Send + Serialize + DeserializeOwned,
    > + Send
    + 'static
{
}

impl<C> NodeCore for C where
    C: Core<
            State: Send,
            Peer: Send + Sync,
            Message: Send + Sync,
            Timer: Send,
            Command: Send,
            Notice: Send,
            Saved: Send + Serialize + DeserializeOwned,
        > + Send
        + 'static
{
}

/// How a node runs.
pub struct Options<C: Core> {
    /// How long its timers run.
    pub durations: Durations<C>,
    /// Where what it saves survives. None: it does not, and a node that starts again has never run.
    pub store: Option<Box<dyn Store>>,
    /// Whose data the store holds: the core and the node's id, for example. The store
    /// keeps it, and a node of another name does not start with it. Empty: of any node.
    pub name: String,
    /// Sees each step: a trace, for example.
    pub observer: Option<Observer<C>>,
    /// While so many notices wait for the user, the node takes no inputs.
    pub notices_max: usize,
}

impl<C: Core> fmt::Debug for Options<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("notices_max", &self.notices_max).finish_non_exhaustive()
    }
}

impl<C: Core> Options<C> {
    /// A node that keeps nothing, with these durations; 1024 notices wait at most.
    pub fn new(
        durations: impl Fn(&C::State, C::Timer) -> Duration + Send + Sync + 'static,
    ) -> Self {
        let durations = Box::new(durations);
        Self { durations, store: None, name: String::new(), observer: None, notices_max: 1024 }
    }
}

/// What a node tells its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<P, M, N> {
    /// A notice of the core.
    Notice(N),
    /// A message that the core has sent did not leave the node.
    Unsent(Unsent<P, M>),
    /// A step of the core, its store or its timers have panicked: nothing was saved and nothing has
    /// left the node since, and it takes no input any more.
    Broken,
}

impl<P: fmt::Debug, M, N: fmt::Debug> fmt::Display for Event<P, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notice(notice) => write!(f, "{notice:?}"),
            Self::Unsent(unsent) => unsent.fmt(f),
            Self::Broken => f.write_str("the node is broken: it takes no input any more"),
        }
    }
}

/// The event type of a core.
pub type EventOf<C> = Event<<C as Core>::Peer, <C as Core>::Message, <C as Core>::Notice>;

/// The events of a node, in their order. A node whose events are not read stands still.
pub struct Notices<C: NodeCore> {
    receiver: mpsc::UnboundedReceiver<EventOf<C>>,
    waiting: Waiting,
    host: WeakHost<Plain<C>>,
}

impl<C: NodeCore> fmt::Debug for Notices<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").field("waiting", &self.receiver.len()).finish_non_exhaustive()
    }
}

impl<C: NodeCore> Notices<C> {
    /// The next event; none once the node has stopped and all are read.
    pub async fn next(&mut self) -> Option<EventOf<C>> {
        let event = self.receiver.recv().await?;
        if self.waiting.take()
            && let Some(host) = self.host.upgrade()
        {
            host.made_room();
        }
        Some(event)
    }

    /// The next notice of the core, where messages that were not sent are of no interest; none once
    /// the node has stopped or is broken.
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
        // Whoever waits for room waits for nobody now.
        self.receiver.close();
        if let Some(host) = self.host.upgrade() {
            host.made_room();
        }
    }
}

/// The node has stopped, or is broken: what was asked of it is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the node takes no input any more")
    }
}

impl std::error::Error for Stopped {}

/// How a node has ended.
#[derive(Clone, Debug)]
pub struct End<S> {
    /// The core's last state.
    pub state: S,
    /// Whether everything that the core has saved is durable, and what depended on it was handed to
    /// the transport and to the user.
    pub is_durable: bool,
}

/// Tells when a task that a node needs ends before the node.
struct Needed<C: NodeCore>(Host<Plain<C>>);

impl<C: NodeCore> Drop for Needed<C> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if state.cut() {
            state.engine.service.events.tell(Event::Broken);
        }
        drop(state);
        self.0.made_room();
    }
}

/// A node that runs. Dropping it ends it as a crash does: its tasks end soon after, and then its
/// store is free. See [`Node::stop`].
pub struct Node<C: NodeCore, T> {
    host: Host<Plain<C>>,
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
    /// Starts a core with what its store holds. The transport is made by a function of where its
    /// messages go; it is called once the core has started.
    ///
    /// # Errors
    /// When the store cannot be read, is that of a node of another name, or holds what this core
    /// cannot read; and those of the function.
    pub async fn start<F: Future<Output = io::Result<T>>>(
        core: C,
        options: Options<C>,
        transport: impl FnOnce(Inbox<C>) -> F,
    ) -> io::Result<(Self, Notices<C>)> {
        let Options { durations, store, name, observer, notices_max } = options;
        let is_kept = store.is_some();
        let mut store = store.unwrap_or_else(|| Box::new(Nowhere));
        let kept = Kept::<C>::read(&mut *store, &name)?;
        let clock = Clock::start(wall_us(), Moment::default());
        let (events, waiting, receiver) = Events::new(notices_max);
        let saved = kept.saved.clone();
        let service = Plain::new(durations, kept, is_kept, events.clone());
        let mut engine = Engine::new(core, service, observer);
        engine.restart(clock.now(), saved, 0);
        let pump = Pump { transmit: Arc::default(), events };
        let transmit = pump.transmit.clone();
        let host = Host::new(HostState::new(engine, clock, false), pump);
        let transport = Arc::new(transport(Inbox { host: host.downgrade() }).await?);
        let outbound = transport.clone();
        // It is set once, here, before anything leaves.
        let _first = transmit.set(Box::new(move |to, message| outbound.send(to, message)));
        let needed = Needed(host.clone());
        let timers = tokio::spawn(async move { needed.0.clone().drive_timers().await });
        let needed = Needed(host.clone());
        let committing = tokio::spawn(async move { needed.0.clone().commit(store, None).await });
        let notices = Notices { receiver, waiting, host: host.downgrade() };
        Ok((Self { host, transport, timers, committing }, notices))
    }

    /// Gives the core a command, once it takes inputs.
    ///
    /// # Errors
    /// When the node takes no input any more.
    pub async fn command(&self, command: C::Command) -> Result<(), Stopped> {
        let is_taken = self.host.downgrade().input(Input::Command(command), ()).await;
        is_taken.then_some(()).ok_or(Stopped)
    }

    /// What the core remembers.
    #[must_use]
    pub fn state(&self) -> C::State {
        self.host.with(|state| state.engine.state().clone())
    }

    /// How often something has happened.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.host.with(|state| state.engine.counts())
    }

    /// The transport.
    #[must_use]
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Stops: no input is taken and no timer fires any more, everything that was saved becomes
    /// durable, and what is queued is sent; each for so long at most.
    pub async fn stop(mut self, patience: Duration) -> End<C::State> {
        self.host.close();
        self.timers.abort();
        let committed = tokio::time::timeout(patience, &mut self.committing).await;
        self.transport.close(patience).await;
        let is_durable = matches!(committed, Ok(Ok(true)));
        End { state: self.host.lock().engine.state().clone(), is_durable }
    }
}

impl<C: NodeCore, T> Drop for Node<C, T> {
    fn drop(&mut self) {
        self.host.close();
        self.timers.abort();
        self.committing.abort();
    }
}

/// Where a node's transport delivers messages.
pub struct Inbox<C: NodeCore> {
    host: WeakHost<Plain<C>>,
}

impl<C: NodeCore> Clone for Inbox<C> {
    fn clone(&self) -> Self {
        Self { host: self.host.clone() }
    }
}

impl<C: NodeCore> fmt::Debug for Inbox<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}

impl<C: NodeCore> Receiver<C::Peer, C::Message> for Inbox<C> {
    async fn deliver(&self, from: C::Peer, message: C::Message) {
        // A node that has ended hears nothing.
        let _taken = self.host.input(Input::Message { from, message }, ()).await;
    }

    fn unsent(&self, unsent: Unsent<C::Peer, C::Message>) {
        if let Some(host) = self.host.upgrade() {
            host.with(|state| state.engine.service.events.tell(Event::Unsent(unsent)));
        }
    }
}
