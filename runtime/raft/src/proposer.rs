//! Many operations in one log entry, and at most two entries in flight.
//!
//! The leader awaits the sync of each entry. While one is in flight, operations accumulate for the
//! next, which begins at its end, or earlier as soon as it has as many: it is synced while the one
//! before is being acknowledged. So the size of an entry depends on the load alone. What waits is
//! bounded in number and in bytes.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::batch;
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
        // Each entry in flight says at its end how many operations it had.
        let (end, mut ends) = mpsc::unbounded_channel();
        let (mut in_flight, mut next, mut is_open) = (Vec::new(), Next::default(), true);
        while is_open || !next.proposals.is_empty() {
            tokio::select! {
                biased;
                Some(ended) = ends.recv() => {
                    let place = in_flight.iter().position(|operations| *operations == ended);
                    place.map(|place| in_flight.swap_remove(place));
                }
                proposal = self.proposals.recv(), if is_open && !self.is_full(&next) => {
                    is_open = proposal.is_some();
                    next.extend(proposal);
                }
            }
            if may_begin(next.proposals.len(), self.is_full(&next), &in_flight) {
                // Let other ready tasks run first: they may add to the entry.
                tokio::task::yield_now().await;
                while !self.is_full(&next)
                    && let Ok(proposal) = self.proposals.try_recv()
                {
                    next.extend(Some(proposal));
                }
                let (entry, answers) = self.entry(std::mem::take(&mut next));
                if !answers.is_empty() {
                    in_flight.push(answers.len());
                    self.write(entry, answers, end.clone()).await;
                }
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

    async fn write(&self, entry: Bytes, answers: Vec<Answer>, end: mpsc::UnboundedSender<usize>) {
        let operations = answers.len();
        // Errors mean that the member stops.
        match self.engine.write(entry).await {
            Ok(pending) => {
                tokio::spawn(async move {
                    distribute(pending.answers().await, answers);
                    let _stops = end.send(operations);
                });
            }
            Err(error) => {
                distribute(Err(error), answers);
                let _stops = end.send(operations);
            }
        }
    }
}

/// Whether an entry begins with so many operations, while entries with these numbers of them are in
/// flight.
const fn may_begin(waiting: usize, is_full: bool, in_flight: &[usize]) -> bool {
    match in_flight {
        [] => waiting > 0,
        [operations] => waiting >= *operations || is_full,
        [_, _, ..] => false,
    }
}

/// The operations of the next entry.
#[derive(Default)]
struct Next {
    proposals: Vec<Proposal>,
    bytes: usize,
}

impl Extend<Proposal> for Next {
    fn extend<T: IntoIterator<Item = Proposal>>(&mut self, proposals: T) {
        for proposal in proposals {
            self.bytes += proposal.operation.len();
            self.proposals.push(proposal);
        }
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

#[cfg(test)]
mod tests {
    use super::may_begin;

    #[test]
    fn an_entry_begins_at_once_or_with_as_many_operations_as_the_one_in_flight() {
        assert!(!may_begin(0, false, &[]), "there is none");
        assert!(may_begin(1, false, &[]), "a single operation waits for no other");
        assert!(!may_begin(3, false, &[4]) && may_begin(4, false, &[4]));
        assert!(may_begin(3, true, &[4]), "no more fit into the entry");
        assert!(!may_begin(9, true, &[4, 4]), "at most two are in flight");
    }
}
