//! Many operations in one log entry, and one entry in flight.
//!
//! While an entry is in flight, operations accumulate for the next one. Openraft sends a member one
//! request at a time, so a second entry would wait there. So the size of an entry depends on the
//! load alone. What waits is bounded in number and in bytes.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::encoding::batch;
use crate::engine::Engine;
use crate::error::MemberError;
use crate::options::Options;

/// An operation and who waits for its answer.
struct Proposal {
    operation: Bytes,
    answer: oneshot::Sender<Result<Bytes, MemberError>>,
    /// Its bytes, of those that may wait.
    _room: OwnedSemaphorePermit,
}

/// The queue of the proposals. It ends with the last of its clones.
#[derive(Clone)]
pub(crate) struct Proposals {
    queue: mpsc::Sender<Proposal>,
    room: Arc<Semaphore>,
}

/// A queue that does not keep it from ending.
pub(crate) struct WeakProposals {
    queue: mpsc::WeakSender<Proposal>,
    room: Arc<Semaphore>,
}

impl Proposals {
    pub(crate) fn downgrade(&self) -> WeakProposals {
        WeakProposals { queue: self.queue.downgrade(), room: Arc::clone(&self.room) }
    }
}

impl WeakProposals {
    pub(crate) fn upgrade(&self) -> Option<Proposals> {
        Some(Proposals { queue: self.queue.upgrade()?, room: Arc::clone(&self.room) })
    }
}

/// Starts the task that gathers proposals; it ends when no sender is left.
pub(crate) fn start(engine: Arc<Engine>, options: &Options) -> Proposals {
    let (queue, proposals) = mpsc::channel(options.queue_operations.max(1));
    let room = Arc::new(Semaphore::new(options.queue_bytes));
    let (bytes_max, operations_max) = (options.entry_bytes, options.entry_operations);
    tokio::spawn(Proposer { engine, proposals, bytes_max, operations_max }.run());
    Proposals { queue, room }
}

/// Takes so many bytes of those that may wait; `None`: there is no room for them now.
pub(crate) fn try_room(room: &Arc<Semaphore>, bytes: usize) -> Option<OwnedSemaphorePermit> {
    Arc::clone(room).try_acquire_many_owned(u32::try_from(bytes).ok()?).ok()
}

/// Queues an operation and waits for its answer, until the deadline.
pub(crate) async fn submit(
    proposals: &Proposals,
    operation: Bytes,
    deadline: Instant,
) -> Result<Bytes, MemberError> {
    let bytes = u32::try_from(operation.len()).expect("operations are limited far below 4 GiB");
    let room = Arc::clone(&proposals.room).acquire_many_owned(bytes);
    let room = timeout_at(deadline, room).await.map_err(|_| MemberError::QueueFull)?;
    let room = room.map_err(|_| MemberError::stopped())?;
    let place = timeout_at(deadline, proposals.queue.reserve()).await;
    let place = place.map_err(|_| MemberError::QueueFull)?;
    let place = place.map_err(|_| MemberError::stopped())?;
    let (answer, answered) = oneshot::channel();
    place.send(Proposal { operation, answer, _room: room });
    match timeout_at(deadline, answered).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(MemberError::stopped()),
        Err(_) => Err(MemberError::TimedOut),
    }
}

struct Proposer {
    engine: Arc<Engine>,
    proposals: mpsc::Receiver<Proposal>,
    bytes_max: usize,
    operations_max: usize,
}

impl Proposer {
    async fn run(mut self) {
        while let Some(first) = self.proposals.recv().await {
            let mut next = Next::default();
            next.push(first);
            // Let other ready tasks run first: they may add to the entry.
            tokio::task::yield_now().await;
            while !self.is_full(&next)
                && let Ok(proposal) = self.proposals.try_recv()
            {
                next.push(proposal);
            }
            let (entry, answers) = self.entry(next);
            if !answers.is_empty() {
                distribute(self.engine.write(entry).await, answers);
            }
        }
    }

    fn is_full(&self, next: &Next) -> bool {
        next.bytes >= self.bytes_max || next.proposals.len() >= self.operations_max
    }

    /// The entry of the operations that wait; those whose proposer has given up are left out.
    fn entry(&self, next: Next) -> (Bytes, Vec<Answer>) {
        let (mut entry, mut answers) = (batch::begin(self.engine.next_version()), Vec::new());
        for Proposal { operation, answer, .. } in next.proposals {
            if !answer.is_closed() {
                batch::put(&mut entry, &operation);
                answers.push(answer);
            }
        }
        (entry.freeze(), answers)
    }
}

/// The operations of the next entry.
#[derive(Default)]
struct Next {
    proposals: Vec<Proposal>,
    bytes: usize,
}

impl Next {
    fn push(&mut self, proposal: Proposal) {
        self.bytes += proposal.operation.len();
        self.proposals.push(proposal);
    }
}

type Answer = oneshot::Sender<Result<Bytes, MemberError>>;

fn distribute(result: Result<Vec<Bytes>, MemberError>, answers: Vec<Answer>) {
    // A proposer that has given up does not hear its answer.
    match result {
        Ok(values) => {
            for (answer, value) in answers.into_iter().zip(values) {
                let _unheard = answer.send(Ok(value));
            }
        }
        Err(error) => {
            for answer in answers {
                let _unheard = answer.send(Err(error.clone()));
            }
        }
    }
}
