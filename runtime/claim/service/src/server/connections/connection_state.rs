//! The state of a connection, in one atomic word that can be read without a lock.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

/// A request is being processed: the client waits for the server.
const WORKING: u64 = 1;
/// A request of this connection was authenticated.
const KNOWN: u64 = 2;
/// The connection is being closed.
const CLOSING: u64 = 4;
/// The number of flag bits; the other bits are microseconds since the epoch of the slots.
const FLAGS: u32 = 3;

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    word: AtomicU64,
    epoch: Instant,
    close: Notify,
}

/// The decoded word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionFlags {
    /// Since when the server has waited for the client, in microseconds.
    pub(crate) since_us: u64,
    pub(crate) is_known: bool,
    pub(crate) is_working: bool,
    pub(crate) is_closing: bool,
}

impl ConnectionState {
    /// The state of a new, unauthenticated connection; times are relative to `epoch`.
    pub(crate) fn new(epoch: Instant) -> Self {
        Self { word: AtomicU64::new(now(epoch)), epoch, close: Notify::new() }
    }

    /// Marks the connection as authenticated.
    pub(crate) fn mark_known(&self) {
        self.word.fetch_or(KNOWN, Ordering::AcqRel);
    }

    /// The server waits for the client from now on.
    pub(crate) fn wait(&self) {
        let now = now(self.epoch);
        self.change(|word| Some(word & (KNOWN | CLOSING) | now));
    }

    /// Marks a request as being processed. Never completes if the connection is being closed, which
    /// cancels the caller.
    pub(crate) async fn begin(&self) {
        if !self.try_begin() {
            std::future::pending::<()>().await;
        }
    }

    /// Marks a request as being processed. Returns `false` if the connection is being closed.
    pub(crate) fn try_begin(&self) -> bool {
        self.change(|word| (word & CLOSING == 0).then_some(word | WORKING))
    }

    /// Requests the close of the connection, unless a request is being processed.
    pub(crate) fn request_close(&self) -> bool {
        let is_asked =
            self.change(|word| (word & (WORKING | CLOSING) == 0).then_some(word | CLOSING));
        if is_asked {
            self.close.notify_one();
        }
        is_asked
    }

    /// Completes when the close of the connection is requested.
    pub(crate) async fn close_requested(&self) {
        self.close.notified().await;
    }

    pub(crate) fn flags(&self) -> ConnectionFlags {
        let word = self.word.load(Ordering::Acquire);
        ConnectionFlags {
            since_us: word >> FLAGS,
            is_known: word & KNOWN != 0,
            is_working: word & WORKING != 0,
            is_closing: word & CLOSING != 0,
        }
    }

    fn change(&self, change: impl FnMut(u64) -> Option<u64>) -> bool {
        self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, change).is_ok()
    }
}

/// The time since the epoch, shifted to its bits.
fn now(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_micros()).unwrap_or(u64::MAX) << FLAGS
}

#[cfg(test)]
mod tests {
    use crate::server::connections::connection_state::*;

    #[tokio::test(start_paused = true)]
    async fn only_one_who_waits_for_its_client_leaves() {
        let state = ConnectionState::new(Instant::now());
        assert!(state.try_begin() && !state.request_close());
        tokio::time::advance(std::time::Duration::from_micros(7)).await;
        state.mark_known();
        state.wait();
        let flags = state.flags();
        assert_eq!((flags.since_us, flags.is_known, flags.is_working), (7, true, false));
        assert!(state.request_close() && !state.request_close(), "it is asked once");
        assert!(!state.try_begin(), "too late");
        state.close_requested().await;
        state.wait();
        assert!(state.flags().is_closing && state.flags().is_known);
    }
}
