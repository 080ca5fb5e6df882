//! Proposing operations: here, if this member leads, or else at the leader.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use turnstile_raft::{Leadership, Member, Role};

use super::machine::{APPLIED, REFUSED};
use super::operation::{decode, encode, stamped};
use super::shared::Shared;
use crate::server::access::origin::MemberRun;

/// What became of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Attempt {
    /// It had its effect.
    Applied,
    /// It had none, and will have none.
    NotExecuted,
    /// It was not proposed: the leader does not hear from a majority.
    NoMajority,
    /// It may still have its effect, until another term begins.
    Unknown,
}

/// A request to another member.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum MemberRequest {
    /// Propose an operation in this term.
    Propose { term: u64, operation: Bytes },
    /// Up to which index must a read have applied the log?
    ReadIndex,
    /// Which run is it?
    Run,
}

/// The reply of a member.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum MemberReply {
    Proposed(Attempt),
    /// `None`: it does not lead, or does not hear from a majority.
    ReadIndex(Option<u64>),
    Run(MemberRun),
}

/// Proposes operations for this member, and for others if it leads.
#[derive(Clone)]
pub(super) struct Forwarder {
    pub(super) member: Member,
    pub(super) shared: Arc<Shared>,
    /// How long a leader without contact to a majority proposes.
    pub(super) lease: Duration,
}

impl Forwarder {
    /// Proposes an operation at the leader.
    pub(super) async fn attempt(&self, term: u64, operation: &Bytes) -> Attempt {
        let now = self.member.leadership();
        if now.role == Role::Leader {
            return self.propose(now, term, operation).await;
        }
        let Some(leader) = now.leader else { return Attempt::NotExecuted };
        let request = MemberRequest::Propose { term, operation: operation.clone() };
        match self.ask(leader, &request).await {
            Some(MemberReply::Proposed(attempt)) => attempt,
            Some(MemberReply::ReadIndex(_) | MemberReply::Run(_)) | None => Attempt::Unknown,
        }
    }

    /// Proposes an operation in a term in which this member leads.
    pub(super) async fn propose(&self, now: Leadership, term: u64, operation: &[u8]) -> Attempt {
        let Some(contact) = self.contact(now) else { return Attempt::NoMajority };
        if !self.shared.contact().goes_on(contact, self.lease) {
            // The leases are renewed first.
            return Attempt::NotExecuted;
        }
        self.propose_now(now, term, operation).await
    }

    /// The same, also if the leases are to be renewed first.
    pub(super) async fn propose_now(
        &self,
        now: Leadership,
        term: u64,
        operation: &[u8],
    ) -> Attempt {
        let stamp = self.shared.lock().stamp(now.term, term);
        let Some(stamp) = stamp else { return Attempt::NotExecuted };
        match self.member.propose(stamped(stamp, operation)).await {
            Ok(answer) if answer == APPLIED => Attempt::Applied,
            Ok(answer) if answer == REFUSED => Attempt::NotExecuted,
            Err(error) if error.is_not_executed() => Attempt::NotExecuted,
            Ok(_) | Err(_) => Attempt::Unknown,
        }
    }

    /// Whether this member leads, and has heard from a majority within the lease.
    pub(super) fn has_majority(&self, now: Leadership) -> bool {
        self.contact(now).is_some()
    }

    /// When this member, which leads, has heard from a majority, if that is within the lease.
    pub(super) fn contact(&self, now: Leadership) -> Option<Instant> {
        let age = now.millis_since_quorum_ack.map(Duration::from_millis);
        let age = age.filter(|age| now.role == Role::Leader && *age <= self.lease)?;
        Instant::now().checked_sub(age)
    }

    /// Sends a request to another member; `None` if it does not answer.
    pub(super) async fn ask(&self, to: u64, request: &MemberRequest) -> Option<MemberReply> {
        let reply = self.member.call(to, &encode(request)).await.ok()?;
        decode(&reply)
    }
}
