//! Messages between nodes of one process, without encoding.
//!
//! Each pair of nodes has a lane for each direction: a bounded queue, and a task that delivers its
//! messages in order. A node that joins again replaces the previous one.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::counts::{Counters, HandBack};
use super::{Counts, Receiver, Transport, Unsent, UnsentReason};
use crate::clock::after;

/// The default maximum of messages in a lane.
const QUEUE: usize = 1024;

/// Starts the task of a lane to a node.
type Open<P, M> = Arc<dyn Fn(LaneOrigin<P, M>, mpsc::Receiver<M>) -> JoinHandle<()> + Send + Sync>;

/// The sending end of a lane.
struct LaneOrigin<P, M> {
    own: P,
    hand_back: HandBack<P, M>,
    /// True once the undelivered messages are to be handed back.
    cut: watch::Receiver<bool>,
    counters: Arc<Counters>,
}

impl<P: Copy, M> Clone for LaneOrigin<P, M> {
    fn clone(&self) -> Self {
        let Self { own, hand_back, cut, counters } = self;
        let (hand_back, cut, counters) = (hand_back.clone(), cut.clone(), counters.clone());
        Self { own: *own, hand_back, cut, counters }
    }
}

/// The hub that connects nodes of one process. Clones share it.
pub struct Local<P, M> {
    nodes: Nodes<P, M>,
    queue: usize,
}

/// All nodes that have ever joined, by id.
type Nodes<P, M> = Arc<Mutex<BTreeMap<P, JoinedNode<P, M>>>>;

/// A node that has joined.
struct JoinedNode<P, M> {
    /// True once the node has left or was replaced.
    gone: watch::Sender<bool>,
    open: Open<P, M>,
}

/// One node's end of a [`Local`]. Needs a tokio runtime.
pub struct LocalTransport<P, M> {
    origin: LaneOrigin<P, M>,
    nodes: Nodes<P, M>,
    queue: usize,
    /// True once this node has left or was replaced.
    gone: watch::Sender<bool>,
    cut: watch::Sender<bool>,
    lanes: Mutex<Lanes<P, M>>,
}

/// Dropping the transport makes the node leave.
impl<P, M> Drop for LocalTransport<P, M> {
    fn drop(&mut self) {
        self.gone.send_replace(true);
    }
}

/// The lanes from a node; `None` once it is closed.
type Lanes<P, M> = Option<BTreeMap<P, Lane<M>>>;

struct Lane<M> {
    messages: mpsc::Sender<M>,
    /// True once the receiving node has left.
    gone: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl<P, M> Clone for Local<P, M> {
    fn clone(&self) -> Self {
        Self { nodes: Arc::clone(&self.nodes), queue: self.queue }
    }
}

impl<P, M> Default for Local<P, M> {
    fn default() -> Self {
        Self::with_queue(QUEUE)
    }
}

impl<P, M> Local<P, M> {
    /// A hub without nodes, with at most 1024 messages per lane.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A hub with at most `messages` messages per lane, 1 or more.
    #[must_use]
    pub fn with_queue(messages: usize) -> Self {
        Self { nodes: Arc::default(), queue: messages.max(1) }
    }
}

impl<P, M> Local<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Send + 'static,
{
    /// Adds a node. An existing node with this id leaves, and the messages for it are handed back
    /// as [`UnsentReason::Unreachable`].
    pub fn join<R: Receiver<P, M>>(&self, own: P, receiver: R) -> LocalTransport<P, M> {
        let gone = watch::Sender::new(false);
        let (cut, is_cut) = watch::channel(false);
        let counters = Arc::new(Counters::default());
        let hand_back = Arc::clone(&counters).to(receiver.clone());
        let open: Open<P, M> = {
            let (counters, gone) = (Arc::clone(&counters), gone.clone());
            Arc::new(move |from, messages| {
                let end =
                    LaneEnd { own, from, gone: gone.subscribe(), counters: Arc::clone(&counters) };
                tokio::spawn(end.run(messages, receiver.clone()))
            })
        };
        let node = JoinedNode { gone: gone.clone(), open };
        if let Some(before) = lock(&self.nodes).insert(own, node) {
            before.gone.send_replace(true);
        }
        LocalTransport {
            origin: LaneOrigin { own, hand_back, cut: is_cut, counters },
            nodes: Arc::clone(&self.nodes),
            queue: self.queue,
            gone,
            cut,
            lanes: Mutex::new(Some(BTreeMap::new())),
        }
    }
}

/// The receiving end of a lane.
struct LaneEnd<P, M> {
    own: P,
    from: LaneOrigin<P, M>,
    gone: watch::Receiver<bool>,
    counters: Arc<Counters>,
}

impl<P: Copy + Send + Sync, M: Send> LaneEnd<P, M> {
    async fn run<R: Receiver<P, M>>(mut self, mut messages: mpsc::Receiver<M>, receiver: R) {
        let why = tokio::select! {
            biased;
            () = told(&mut self.gone) => UnsentReason::Unreachable,
            () = told(&mut self.from.cut) => UnsentReason::Closed,
            () = async {
                while let Some(message) = messages.recv().await {
                    self.from.counters.sent(1);
                    receiver.deliver(self.from.own, message).await;
                    self.counters.received();
                }
            } => return,
        };
        messages.close();
        while let Some(message) = messages.recv().await {
            (self.from.hand_back)(Unsent { to: self.own, message, why });
        }
    }
}

/// Completes when the value is true; never if its sender is dropped.
async fn told(flag: &mut watch::Receiver<bool>) {
    if flag.wait_for(|told| *told).await.is_err() {
        std::future::pending().await
    }
}

impl<P, M> LocalTransport<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Send + 'static,
{
    /// The counts of this node.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.origin.counters.counts()
    }

    fn queue_for(&self, to: P, message: M) -> Result<(), (M, UnsentReason)> {
        let mut lanes = lock(&self.lanes);
        let Some(lanes) = lanes.as_mut() else { return Err((message, UnsentReason::Closed)) };
        if *self.gone.borrow() {
            return Err((message, UnsentReason::Closed));
        }
        let lane = lanes.get(&to).filter(|lane| !*lane.gone.borrow());
        let Some(lane) = lane else { return self.open(lanes, to, message) };
        match lane.messages.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(message)) => Err((message, UnsentReason::QueueFull)),
            Err(TrySendError::Closed(message)) => self.open(lanes, to, message),
        }
    }

    /// Opens a lane, also to replace one whose receiver has left.
    fn open(
        &self,
        lanes: &mut BTreeMap<P, Lane<M>>,
        to: P,
        message: M,
    ) -> Result<(), (M, UnsentReason)> {
        let (open, gone) = match lock(&self.nodes).get(&to) {
            None => return Err((message, UnsentReason::UnknownPeer)),
            Some(node) if *node.gone.borrow() => return Err((message, UnsentReason::Unreachable)),
            Some(node) => (Arc::clone(&node.open), node.gone.subscribe()),
        };
        let (messages, waiting) = mpsc::channel(self.queue);
        messages
            .try_send(message)
            .map_err(|error| (error.into_inner(), UnsentReason::QueueFull))?;
        let task = open(self.origin.clone(), waiting);
        lanes.insert(to, Lane { messages, gone, task });
        Ok(())
    }
}

impl<P, M> Transport<P, M> for LocalTransport<P, M>
where
    P: Copy + Ord + Debug + Send + Sync + 'static,
    M: Send + 'static,
{
    fn send(&self, to: P, message: M) -> Result<(), Unsent<P, M>> {
        self.queue_for(to, message).map_err(|back| self.origin.counters.unsent(to, back))
    }

    /// Waits until the queued messages are delivered, and leaves the hub. After `timeout`, the rest
    /// is handed back, except a message that a receiver is processing, which may or may not be
    /// delivered.
    async fn close(&self, timeout: Duration) {
        let lanes = lock(&self.lanes).take().unwrap_or_default();
        let deadline = after(timeout);
        for (_, Lane { messages, mut task, .. }) in lanes {
            drop(messages);
            if tokio::time::timeout_at(deadline, &mut task).await.is_err() {
                self.cut.send_replace(true);
                // An error means that a receiver panicked, which has been reported there.
                let _ended = task.await;
            }
        }
        self.gone.send_replace(true);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
