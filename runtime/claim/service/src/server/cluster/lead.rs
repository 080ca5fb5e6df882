//! The tasks of a leader: it begins its term, has timers fire, and tells that members have gone.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use turnstile_raft::{Leadership, Role, Status};

use super::forward::{Attempt, Forwarder, MemberReply, MemberRequest};
use super::limits::LimitsInForce;
use super::machine::APPLIED;
use super::operation::{Operation, encode};
use crate::server::access::origin::MemberRun;

/// What a leader does, whenever this member is one.
pub(super) struct Leading {
    pub(super) forwarder: Forwarder,
    pub(super) limits: LimitsInForce,
    pub(super) wall_us: fn() -> u64,
    pub(super) heartbeat: Duration,
}

impl Leading {
    /// Runs until the member stops.
    pub(super) async fn run(self) {
        let member = &self.forwarder.member;
        // All that former leaders have committed is applied, before this one gives the time.
        let begins = |status: &Status| {
            status.role == Role::Leader && status.applied_term == Some(status.term)
        };
        while let Ok(Status { term, .. }) = member.wait_for_change(begins).await {
            if self.begin(term).await {
                let is_over = |status: &Status| status.role != Role::Leader || status.term != term;
                tokio::select! {
                    biased;
                    _over = member.wait_for_change(is_over) => {}
                    () = self.fire_timers(term) => {}
                    () = self.miss_members(term) => {}
                    () = self.renew_leases(term) => {}
                }
            } else {
                sleep(self.heartbeat).await;
            }
        }
    }

    /// Proposes the beginning of a term. Returns whether it has begun.
    async fn begin(&self, term: u64) -> bool {
        let date_us = (self.wall_us)();
        // The leases start anew at the time that the operation has, however late it is applied.
        let at = Instant::now();
        let begin = self.forwarder.shared.lock().lead(term, self.limits, date_us);
        match self.forwarder.member.propose(begin).await {
            Ok(answer) => {
                // One that is refused comes after one that was applied: it renews no lease.
                if answer == APPLIED {
                    self.forwarder.shared.contact().resume(at);
                }
                true
            }
            Err(error) => {
                tracing::warn!(term, %error, "the term of this leader has not begun");
                false
            }
        }
    }

    /// Proposes that timers are due.
    async fn fire_timers(&self, term: u64) {
        let shared = &self.forwarder.shared;
        loop {
            let rearmed = shared.is_rearmed.notified();
            let due = shared.lock().next_due();
            match due {
                Some(due) if due <= Instant::now() => {
                    if !self.propose(term, &Operation::Tick).await {
                        sleep(self.heartbeat).await;
                    }
                }
                // In both cases check the timers again.
                Some(due) => drop(tokio::time::timeout_at(due, rearmed).await),
                None => rearmed.await,
            }
        }
    }

    /// Proposes that leases start again whenever the leader has not heard from a majority for more
    /// than a lease: they could not be renewed meanwhile.
    async fn renew_leases(&self, term: u64) {
        let Forwarder { member, shared, lease } = &self.forwarder;
        loop {
            sleep(self.heartbeat).await;
            let now = member.leadership();
            let Some(contact) = self.forwarder.contact(now) else { continue };
            if shared.contact().goes_on(contact, *lease) {
                continue;
            }
            let mut last = contact;
            let renewed = tokio::select! {
                renewed = self.renew(now, term) => renewed,
                () = self.follow(&mut last) => false,
            };
            if renewed {
                tracing::info!("a majority answers again: all leases start anew");
                shared.contact().resume(last);
            }
        }
    }

    async fn renew(&self, now: Leadership, term: u64) -> bool {
        let renew = encode(&Operation::Renew);
        self.forwarder.propose_now(now, term, &renew).await == Attempt::Applied
    }

    /// Follows a contact while there is no break, without an end.
    async fn follow(&self, last: &mut Instant) {
        let Forwarder { member, lease, .. } = &self.forwarder;
        loop {
            sleep(self.heartbeat).await;
            let contact = self.forwarder.contact(member.leadership());
            if let Some(contact) = contact.filter(|at| *at <= *last + *lease) {
                *last = contact.max(*last);
            }
        }
    }

    /// Tells that members have gone whose callers wait.
    async fn miss_members(&self, term: u64) {
        let shared = &self.forwarder.shared;
        loop {
            sleep(self.forwarder.lease).await;
            let (own, runs) = {
                let replica = shared.lock();
                (replica.own, replica.runs_that_wait())
            };
            for run in runs.into_iter().filter(|run| *run != own) {
                if self.is_gone(run).await {
                    tracing::info!(
                        member = run.member,
                        "a member has gone: its callers do not wait"
                    );
                    self.propose(term, &Operation::MemberGone(run)).await;
                }
            }
        }
    }

    /// Whether a member does not answer within the lease, or is another process by now.
    async fn is_gone(&self, run: MemberRun) -> bool {
        let asked = async {
            loop {
                match self.forwarder.ask(run.member, &MemberRequest::Run).await {
                    Some(MemberReply::Run(now)) => return now != run,
                    Some(MemberReply::Proposed(_) | MemberReply::ReadIndex(_)) | None => {
                        sleep(self.heartbeat).await;
                    }
                }
            }
        };
        timeout(self.forwarder.lease, asked).await.unwrap_or(true)
    }

    async fn propose(&self, term: u64, operation: &Operation) -> bool {
        let now = self.forwarder.member.leadership();
        let attempt = self.forwarder.propose(now, term, &encode(operation)).await;
        attempt == Attempt::Applied
    }
}
