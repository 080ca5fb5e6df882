//! Requests whose clients have gone while they waited: the cluster is told, so that no claim is
//! granted to a client that does not hear of it.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use super::forward::{Attempt, Forwarder};
use super::operation::{Operation, encode};
use crate::server::abort_on_drop::AbortOnDrop;

/// The maximum number of callers in one operation.
const CALLERS_MAX: usize = 1_000;

/// The callers that have gone, in the order of their going. Each waits in the replica, which bounds
/// their number.
pub(super) struct HangUps {
    gone: UnboundedSender<u64>,
    _task: AbortOnDrop<()>,
}

impl HangUps {
    pub(super) fn channel() -> (UnboundedSender<u64>, UnboundedReceiver<u64>) {
        unbounded_channel()
    }

    pub(super) fn start(
        forwarder: Forwarder,
        (gone, callers): (UnboundedSender<u64>, UnboundedReceiver<u64>),
    ) -> Self {
        Self { gone, _task: AbortOnDrop::spawn(run(forwarder, callers)) }
    }

    /// Tells the cluster that a caller has gone.
    pub(super) fn hang_up(&self, caller: u64) {
        // An error means that the member stops.
        let _stopping = self.gone.send(caller);
    }
}

async fn run(forwarder: Forwarder, mut callers: UnboundedReceiver<u64>) {
    while let Some(first) = callers.recv().await {
        let mut gone = vec![first];
        while gone.len() < CALLERS_MAX
            && let Ok(next) = callers.try_recv()
        {
            gone.push(next);
        }
        tell(&forwarder, gone).await;
    }
}

/// Proposes until it is applied. A term that begins ends all waits, and so the task.
async fn tell(forwarder: &Forwarder, mut gone: Vec<u64>) {
    loop {
        let term = {
            let replica = forwarder.shared.lock();
            gone.retain(|caller| replica.waits(*caller));
            replica.head.term
        };
        if gone.is_empty() {
            return;
        }
        let operation = encode(&Operation::HangUp(gone.clone())).into();
        match forwarder.attempt(term, &operation).await {
            Attempt::Applied => return,
            Attempt::NotExecuted | Attempt::NoMajority | Attempt::Unknown => {
                sleep(forwarder.lease / 4).await;
            }
        }
    }
}
