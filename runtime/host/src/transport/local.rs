//! Messages between nodes of one process. Nothing is encoded, and nothing leaves the process.
//!
//! Each pair of nodes has a lane for each direction: a queue of bounded length, and a task that
//! delivers what is in it, in order. A node that joins again takes the place of the one before.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::counts::{HandBack, Tally};
use super::{Counts, Receiver, Transport, Unsent, Why};
use crate::clock::after;

/// The most messages that wait in a lane, unless [`Local::with_queue`] says otherwise.
const QUEUE: usize = 1024;

/// Starts the task of a lane that ends at one node.
type Open<P, M> = Arc<dyn Fn(Origin<P, M>, mpsc::Receiver<M>) -> JoinHandle<()> + Send + Sync>;

/// Where a lane begins.
struct Origin<P, M> {
    own: P,
    hand_back: HandBack<P, M>,
    /// True once what has not been delivered is to be handed back.
    cut: watch::Receiver<bool>,
    tally: Arc<Tally>,
}

impl<P: Copy, M> Clone for Origin<P, M> {
    fn clone(&self) -> Self {
        let Self { own, hand_back, cut, tally } = self;
        let (hand_back, cut, tally) = (hand_back.clone(), cut.clone(), tally.clone());
        Self { own: *own, hand_back, cut, tally }
    }
}

/// The switchboard that nodes of one process join. Clones share it.
pub struct Local<P, M> {
    nodes: Nodes<P, M>,
    queue: usize,
}

/// The nodes that have joined at some time, by their ids.
type Nodes<P, M> = Arc<Mutex<BTreeMap<P, Node<P, M>>>>;

/// A node that has joined at some time.
struct Node<P, M> {
    /// True once the node has left, or another has taken its place.
    gone: watch::Sender<bool>,
    open: Open<P, M>,
}

/// One node's end of a [`Local`]. Needs a tokio runtime.
pub struct LocalTransport<P, M> {
    origin: Origin<P, M>,
    nodes: Nodes<P, M>,
    queue: usize,
    /// True once this node has left, or another has taken its place.
    gone: watch::Sender<bool>,
    cut: watch::Sender<bool>,
    lanes: Mutex<Lanes<P, M>>,
}

/// A node that is dropped leaves.
impl<P, M> Drop for LocalTransport<P, M> {
    fn drop(&mut self) {
        self.gone.send_replace(true);
    }
}

/// The lanes that begin at a node, or nothing once it is closed.
type Lanes<P, M> = Option<BTreeMap<P, Lane<M>>>;

struct Lane<M> {
    messages: mpsc::Sender<M>,
    /// True once the node at its end has gone.
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
    /// A switchboard that nobody has joined; 1024 messages wait in a lane at most.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with other queues: `messages`, 1 or more, wait in each lane at most.
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
    /// Lets a node join by an id. A node that has this id leaves: messages that wait for it are
    /// handed back as [`Why::Unreachable`].
    pub fn join<R: Receiver<P, M>>(&self, own: P, receiver: R) -> LocalTransport<P, M> {
        let gone = watch::Sender::new(false);
        let (cut, is_cut) = watch::channel(false);
        let tally = Arc::new(Tally::default());
        let hand_back = Arc::clone(&tally).to(receiver.clone());
        let open: Open<P, M> = {
            let (tally, gone) = (Arc::clone(&tally), gone.clone());
            Arc::new(move |from, messages| {
                let end = End { own, from, gone: gone.subscribe(), tally: Arc::clone(&tally) };
                tokio::spawn(end.run(messages, receiver.clone()))
            })
        };
        let node = Node { gone: gone.clone(), open };
        if let Some(before) = lock(&self.nodes).insert(own, node) {
            before.gone.send_replace(true);
        }
        LocalTransport {
            origin: Origin { own, hand_back, cut: is_cut, tally },
            nodes: Arc::clone(&self.nodes),
            queue: self.queue,
            gone,
            cut,
            lanes: Mutex::new(Some(BTreeMap::new())),
        }
    }
}

/// Where a lane ends.
struct End<P, M> {
    own: P,
    from: Origin<P, M>,
    gone: watch::Receiver<bool>,
    tally: Arc<Tally>,
}

impl<P: Copy + Send + Sync, M: Send> End<P, M> {
    async fn run<R: Receiver<P, M>>(mut self, mut messages: mpsc::Receiver<M>, receiver: R) {
        let why = tokio::select! {
            biased;
            () = told(&mut self.gone) => Why::Unreachable,
            () = told(&mut self.from.cut) => Why::Closed,
            () = async {
                while let Some(message) = messages.recv().await {
                    self.from.tally.sent(1);
                    receiver.deliver(self.from.own, message).await;
                    self.tally.received();
                }
            } => return,
        };
        messages.close();
        while let Some(message) = messages.recv().await {
            (self.from.hand_back)(Unsent { to: self.own, message, why });
        }
    }
}

/// Returns once it is true, and never if it cannot become so.
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
    /// What this node has done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.origin.tally.counts()
    }

    fn queue_for(&self, to: P, message: M) -> Result<(), (M, Why)> {
        let mut lanes = lock(&self.lanes);
        let Some(lanes) = lanes.as_mut() else { return Err((message, Why::Closed)) };
        if *self.gone.borrow() {
            return Err((message, Why::Closed));
        }
        let lane = lanes.get(&to).filter(|lane| !*lane.gone.borrow());
        let Some(lane) = lane else { return self.open(lanes, to, message) };
        match lane.messages.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(message)) => Err((message, Why::QueueFull)),
            Err(TrySendError::Closed(message)) => self.open(lanes, to, message),
        }
    }

    /// Opens a lane, the first or one in place of one whose end has gone.
    fn open(&self, lanes: &mut BTreeMap<P, Lane<M>>, to: P, message: M) -> Result<(), (M, Why)> {
        let (open, gone) = match lock(&self.nodes).get(&to) {
            None => return Err((message, Why::UnknownPeer)),
            Some(node) if *node.gone.borrow() => return Err((message, Why::Unreachable)),
            Some(node) => (Arc::clone(&node.open), node.gone.subscribe()),
        };
        let (messages, waiting) = mpsc::channel(self.queue);
        messages.try_send(message).map_err(|error| (error.into_inner(), Why::QueueFull))?;
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
        self.queue_for(to, message).map_err(|back| self.origin.tally.unsent(to, back))
    }

    /// Waits until what is queued is delivered, and leaves the switchboard. What has waited for
    /// all of `patience` is handed back, but for what a receiver is busy with: that may or may not
    /// have been delivered.
    async fn close(&self, patience: Duration) {
        let lanes = lock(&self.lanes).take().unwrap_or_default();
        let deadline = after(patience);
        for (_, Lane { messages, mut task, .. }) in lanes {
            drop(messages);
            if tokio::time::timeout_at(deadline, &mut task).await.is_err() {
                self.cut.send_replace(true);
                // An error says that a receiver panicked, which was told where it happened.
                let _ended = task.await;
            }
        }
        self.gone.send_replace(true);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
