//! What a connection does just now, as one word: whoever looks for room reads it without a lock.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

/// The client waits for us.
const WORKING: u64 = 1;
/// A request of this connection was admitted.
const KNOWN: u64 = 2;
/// The connection is to be closed.
const LEAVING: u64 = 4;
/// So many bits are flags; the others are the microseconds from the first connection on.
const FLAGS: u32 = 3;

/// A connection's place.
#[derive(Debug)]
pub(crate) struct Seat {
    word: AtomicU64,
    epoch: Instant,
    leave: Notify,
}

/// What a seat's word says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// When it began to wait for its client, in microseconds.
    pub(crate) since_us: u64,
    pub(crate) is_known: bool,
    pub(crate) is_working: bool,
    pub(crate) is_leaving: bool,
}

impl Seat {
    /// A stranger that we wait for; its times count from an epoch.
    pub(crate) fn new(epoch: Instant) -> Self {
        Self { word: AtomicU64::new(now(epoch)), epoch, leave: Notify::new() }
    }

    /// A request was admitted.
    pub(crate) fn know(&self) {
        self.word.fetch_or(KNOWN, Ordering::AcqRel);
    }

    /// From now on we wait for the client.
    pub(crate) fn wait(&self) {
        let now = now(self.epoch);
        self.change(|word| Some(word & (KNOWN | LEAVING) | now));
    }

    /// From now on the client waits for us. Never done where the connection is to be closed
    /// instead, which ends whoever waits for this.
    pub(crate) async fn begin(&self) {
        if !self.work() {
            std::future::pending::<()>().await;
        }
    }

    /// From now on the client waits for us. False: the connection is to be closed instead.
    pub(crate) fn work(&self) -> bool {
        self.change(|word| (word & LEAVING == 0).then_some(word | WORKING))
    }

    /// The connection is to be closed, unless it works.
    pub(crate) fn ask_to_leave(&self) -> bool {
        let is_asked =
            self.change(|word| (word & (WORKING | LEAVING) == 0).then_some(word | LEAVING));
        if is_asked {
            self.leave.notify_one();
        }
        is_asked
    }

    /// Done once the connection is to be closed.
    pub(crate) async fn is_asked_to_leave(&self) {
        self.leave.notified().await;
    }

    pub(crate) fn standing(&self) -> Standing {
        let word = self.word.load(Ordering::Acquire);
        Standing {
            since_us: word >> FLAGS,
            is_known: word & KNOWN != 0,
            is_working: word & WORKING != 0,
            is_leaving: word & LEAVING != 0,
        }
    }

    fn change(&self, change: impl FnMut(u64) -> Option<u64>) -> bool {
        self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, change).is_ok()
    }
}

/// The time, where a word has it.
fn now(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_micros()).unwrap_or(u64::MAX) << FLAGS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_one_who_waits_for_its_client_leaves() {
        let seat = Seat::new(Instant::now());
        assert!(seat.work() && !seat.ask_to_leave());
        tokio::time::advance(std::time::Duration::from_micros(7)).await;
        seat.know();
        seat.wait();
        let standing = seat.standing();
        assert_eq!((standing.since_us, standing.is_known, standing.is_working), (7, true, false));
        assert!(seat.ask_to_leave() && !seat.ask_to_leave(), "it is asked once");
        assert!(!seat.work(), "too late");
        seat.is_asked_to_leave().await;
        seat.wait();
        assert!(seat.standing().is_leaving && seat.standing().is_known);
    }
}
