//! A network that counts the answers that a member has had.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::timeout;
use turnstile_raft::network::hub::HubPort;
use turnstile_raft::network::{Boxed, CallError, Handler, Network};

use super::group::PATIENCE;

/// The end of a hub, with the number of answers by member.
pub(crate) struct Answered {
    port: Arc<HubPort>,
    counts: watch::Sender<BTreeMap<u64, u64>>,
}

impl Answered {
    pub(crate) fn new(port: Arc<HubPort>) -> Arc<Self> {
        Arc::new(Self { port, counts: watch::Sender::new(BTreeMap::new()) })
    }

    /// How many answers of a member there were.
    pub(crate) fn count(&self, by: u64) -> u64 {
        self.counts.borrow().get(&by).copied().unwrap_or(0)
    }

    /// Waits until there were so many answers of a member.
    pub(crate) async fn reach(&self, by: u64, count: u64) {
        let mut counts = self.counts.subscribe();
        let reached = counts.wait_for(|counts| counts.get(&by).copied().unwrap_or(0) >= count);
        timeout(PATIENCE, reached).await.expect("it answers").expect("the sender is kept");
    }
}

impl Network for Answered {
    fn serve(&self, handler: Arc<dyn Handler>) {
        self.port.serve(handler);
    }

    fn set_members(&self, members: &BTreeMap<u64, String>) {
        self.port.set_members(members);
    }

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        Box::pin(async move {
            let answer = self.port.call(to, request).await?;
            self.counts.send_modify(|counts| *counts.entry(to).or_default() += 1);
            Ok(answer)
        })
    }

    fn close(&self) -> Boxed<'_, ()> {
        self.port.close()
    }
}
