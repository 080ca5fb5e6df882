//! Messages over TCP, or over other streams of bytes.
//!
//! The sender opens the connection, so that each pair has one for each direction. A connection is
//! opened when the first message is queued, and reopened when one is queued after it was lost. Its
//! first frame is a hello message (protocol, version, sender, receiver), which is answered; then
//! come messages, encoded by postcard and written in batches. Both sides send heartbeats. A node
//! that rejects or closes a connection sends the reason, and both sides log it, rate-limited by
//! reason.
//!
//! # Delivery
//!
//! Each message arrives at most once, and those of a connection in order. When a connection fails,
//! messages that were written to it may or may not arrive; they are not sent again. Queued messages
//! are sent on the next connection, or handed back after [`Limits::timeout`] without a connection.
//! A busy node stops reading, so that its peers' queues fill and their messages are handed back.
//!
//! # Authentication
//!
//! A node accepts only peers whose addresses it has. With `Tls`, of the feature `tls`, they are
//! authenticated: the certificate of each must be valid for the name in its address. Without it any
//! client that reaches the port may claim to be a peer, and replaces the peer's connection.

mod address;
mod backoff;
mod batch;
mod frame;
mod hello;
mod incoming;
mod link;
mod network;
mod node;
mod options;
mod queue;
mod rejection;
mod slots;
mod start;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "tcp/no_tls.rs"]
mod tls;
mod trouble;
mod warned;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{self, Instant};

pub use address::Address;
pub use network::{Dial, Listen, Stream, SystemTcp};
pub use options::{Limits, Options, PeerId};
#[cfg(feature = "tls")]
pub use tls::Tls;
pub use trouble::Trouble;

use super::{Counts, Receiver, Transport, Unsent, UnsentReason};
use crate::clock::after;
use backoff::Backoff;
use link::{Connection, Outgoing};
use node::NodeShared;
use queue::{Queue, Queued};

/// The bounds on a message: it can be serialized and deserialized.
pub trait Message: Serialize + DeserializeOwned + Send + 'static {}

impl<M: Serialize + DeserializeOwned + Send + 'static> Message for M {}

/// A node's transport over TCP. Dropping it cancels its tasks and drops queued messages;
/// [`Transport::close`] sends them first.
pub struct Tcp<P, M> {
    node: Arc<NodeShared<P>>,
    links: RwLock<BTreeMap<P, Arc<Connection<M>>>>,
    /// Starts the task of a link.
    launch: Launch<P, M>,
    tasks: Mutex<JoinSet<()>>,
    listening: Mutex<Option<JoinHandle<()>>>,
    deadline: watch::Sender<Option<Instant>>,
    runtime: Handle,
}

type Launch<P, M> = Box<dyn Fn(&mut JoinSet<()>, &Handle, P, Arc<Connection<M>>) + Send + Sync>;

impl<P: PeerId, M: Message> Tcp<P, M> {
    fn start<R, L, D>(mut options: Options<P>, listener: L, dial: D, receiver: R) -> Self
    where
        R: Receiver<P, M>,
        L: Listen,
        D: Dial,
    {
        let peers = std::mem::take(&mut options.peers);
        let node = Arc::new(NodeShared::new(options));
        let deadline = watch::Sender::new(None);
        let listening = incoming::listen(Arc::clone(&node), listener, receiver.clone());
        let tcp = Self {
            launch: launch(Arc::clone(&node), Arc::new(dial), receiver, deadline.clone()),
            node,
            links: RwLock::default(),
            tasks: Mutex::default(),
            listening: Mutex::new(Some(tokio::spawn(listening))),
            deadline,
            runtime: Handle::current(),
        };
        for (peer, address) in peers {
            tcp.set_peer(peer, Some(address));
        }
        tcp
    }

    /// The counts of this node.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.node.counters.counts()
    }

    /// How many connections to peers were replaced by those of another node that has this one's id.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.node.counters.rest().replaced
    }

    /// Why a peer is not connected; `None` if it is, or no attempt has failed yet.
    #[must_use]
    pub fn trouble(&self, peer: P) -> Option<Trouble> {
        let links = self.links.read().unwrap_or_else(PoisonError::into_inner);
        links.get(&peer).and_then(|link| link.trouble())
    }

    /// Adds a peer, changes its address, or (`None`) removes it. After a change the connection is
    /// reopened, and queued messages are sent to the new address. After a removal, queued messages
    /// are handed back as [`UnsentReason::UnknownPeer`], and the peer's own connection is closed.
    /// Ignored for this node's own id, and after the transport is closed.
    pub fn set_peer(&self, peer: P, address: Option<Address>) {
        if peer == self.node.own || self.deadline.borrow().is_some() {
            return;
        }
        let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
        let Some(address) = address else {
            self.node.addresses().remove(&peer);
            self.node.slots.clear(&peer);
            if let Some(link) = links.remove(&peer) {
                link.queue.close(UnsentReason::UnknownPeer);
                link.address.send_replace(None);
            }
            return;
        };
        self.node.addresses().insert(peer, address.clone());
        if let Some(link) = links.get(&peer) {
            link.set_address(address);
            return;
        }
        let limits = &self.node.limits;
        let queue = Queue::new(limits.queue_messages, limits.queue_bytes);
        let link = Arc::new(Connection::new(queue, address));
        links.insert(peer, Arc::clone(&link));
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        (self.launch)(&mut tasks, &self.runtime, peer, link);
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue_for(&self, to: P, message: M) -> Result<(), (M, UnsentReason)> {
        let links = self.links.read().unwrap_or_else(PoisonError::into_inner);
        let Some(link) = links.get(&to) else {
            let is_closed = self.deadline.borrow().is_some();
            return Err((
                message,
                if is_closed { UnsentReason::Closed } else { UnsentReason::UnknownPeer },
            ));
        };
        match frame::encode(&message, self.node.limits.frame_bytes) {
            Ok(frame) => link.queue.push(Queued { message, frame, since: Instant::now() }),
            Err(why) => Err((message, why)),
        }
    }
}

fn launch<P, M, R, D>(
    node: Arc<NodeShared<P>>,
    dial: Arc<D>,
    receiver: R,
    deadline: watch::Sender<Option<Instant>>,
) -> Launch<P, M>
where
    P: PeerId,
    M: Message,
    R: Receiver<P, M>,
    D: Dial,
{
    Box::new(move |tasks, runtime, to, link| {
        let limits = &node.limits;
        let seed = node.jitter();
        let outgoing = Outgoing {
            node: Arc::clone(&node),
            to,
            link,
            receiver: receiver.clone(),
            dial: Arc::clone(&dial),
            backoff: Backoff::new(limits.backoff_least, limits.backoff_most, seed),
            warned: None,
        };
        tasks.spawn_on(outgoing.run(deadline.subscribe()), runtime);
    })
}

impl<P: PeerId, M: Message> Transport<P, M> for Tcp<P, M> {
    fn send(&self, to: P, message: M) -> Result<(), Unsent<P, M>> {
        self.queue_for(to, message).map_err(|back| self.node.counters.unsent(to, back))
    }

    /// Sends the queued messages while still receiving, and then closes all connections and tasks.
    /// After `timeout`, queued messages are handed back as [`UnsentReason::Closed`], and a receiver
    /// that is processing a message is cancelled.
    async fn close(&self, timeout: Duration) {
        let deadline = after(timeout);
        self.deadline.send_if_modified(|before| before.replace(deadline).is_none());
        for link in self.links.read().unwrap_or_else(PoisonError::into_inner).values() {
            link.queue.close(UnsentReason::Closed);
        }
        let mut tasks = std::mem::take(&mut *self.tasks());
        while tasks.join_next().await.is_some() {}
        self.node.stopping.send_replace(true);
        let listening = {
            let mut listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
            listening.take()
        };
        if let Some(mut listening) = listening
            && time::timeout_at(deadline, &mut listening).await.is_err()
        {
            listening.abort();
            let _aborted = listening.await;
        }
    }
}

impl<P, M> Drop for Tcp<P, M> {
    fn drop(&mut self) {
        let listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listening) = &*listening {
            listening.abort();
        }
    }
}

impl<P: Debug, M> Debug for Tcp<P, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tcp").field("node", &self.node).finish_non_exhaustive()
    }
}
