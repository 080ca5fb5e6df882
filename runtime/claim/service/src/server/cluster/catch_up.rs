//! Linearizable reads: a read waits until this member has applied all that was committed before it.
//!
//! Reads that come while the leader is being asked share the next question.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;
use tokio::time::timeout;
use turnstile_raft::Role;

use super::forward::{Forwarder, MemberReply, MemberRequest};

/// The questions to the leader, one at a time.
#[derive(Default)]
pub(super) struct ReadRounds {
    /// The number of those that have begun.
    begun: AtomicU64,
    /// The last one that has ended, and whether it was confirmed.
    last: Mutex<(u64, bool)>,
}

impl ReadRounds {
    /// Returns whether this member has all that was committed before the call.
    pub(super) async fn confirm(&self, forwarder: &Forwarder) -> bool {
        let before = self.begun.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        let (number, is_confirmed) = *last;
        if number > before {
            return is_confirmed;
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let is_confirmed = ask(forwarder).await;
        *last = (number, is_confirmed);
        is_confirmed
    }
}

async fn ask(forwarder: &Forwarder) -> bool {
    let now = forwarder.member.leadership();
    if now.role == Role::Leader {
        return forwarder.has_majority(now) && forwarder.member.read_index().await.is_ok();
    }
    let Some(leader) = now.leader else { return false };
    // A question may be lost with its connection: it is asked again.
    let asked = forwarder.ask(leader, &MemberRequest::ReadIndex);
    let reply = timeout(forwarder.lease / 4, asked).await;
    let Ok(Some(MemberReply::ReadIndex(Some(index)))) = reply else { return false };
    let is_applied = |status: &turnstile_raft::Status| status.applied_index >= Some(index);
    forwarder.member.wait_for(forwarder.lease, is_applied).await.is_ok()
}
