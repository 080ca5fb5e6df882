//! The replicated state of one member, and what waits for it in this process.
//!
//! All members that have applied the same operations have the same state, timers and requests that
//! wait. The long polls for the end of a claim decide nothing, and are of each member alone.

mod term;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Records, Timer};
use turnstile_host::{Clock, Engine, HostState, Moment, Outlet as _};

use super::limits::LimitsInForce;
use super::member_clock::MemberClock;
use super::operation::{self, NewTerm, Operation, RequestOperation, Stamp};
use crate::server::access::origin::MemberRun;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::index::ClaimIndex;
use crate::server::state::outlet::ReplyOutlet;
use crate::server::state::saved::Meta;
use crate::server::state::service::ClaimService;
use crate::server::web::call::EngineReply;

/// The replicated state of a member.
pub(super) struct Replica {
    pub(super) own: MemberRun,
    /// The cluster's name, by this member's options.
    cluster: String,
    /// The limits before the first term.
    first_limits: LimitsInForce,
    pub(super) outlet: ReplyOutlet,
    pub(super) host: HostState<ClaimService>,
    pub(super) head: Head,
    pub(super) clock: MemberClock,
    /// The requests of this process whose operations are not applied yet.
    waiters: BTreeMap<u64, oneshot::Sender<EngineReply>>,
    last_number: u64,
    /// The callers of this process that have gone before their requests were applied.
    pub(super) orphans: Vec<u64>,
    /// Why this member does not apply the log any further.
    failure: Option<String>,
}

/// What an operation has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Applied,
    /// Nothing: it is of a former term.
    Refused,
    /// This member does not know: it does not follow the log any more.
    Failed,
}

/// The replicated values beside the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The term of the last leader that has begun.
    pub(super) term: u64,
    /// The time at which it began.
    began_us: u64,
    /// The time of the last operation, up to which timers have fired.
    pub(super) last_us: u64,
    /// What it has set; `None` before the first term.
    in_force: Option<NewTerm>,
    /// The requests of this term that were taken and may be proposed again, by run.
    taken: BTreeMap<MemberRun, TakenRequests>,
}

/// The requests of a run that were taken. A member that hears nothing of one proposes it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TakenRequests {
    /// The least number that the run still carries.
    oldest: u64,
    /// Those from this number on.
    numbers: BTreeSet<u64>,
}

impl TakenRequests {
    /// Whether a request is to be taken: it was not before, and it is still carried.
    fn takes(&mut self, number: u64, oldest: u64) -> bool {
        if oldest > self.oldest {
            self.oldest = oldest;
            self.numbers = self.numbers.split_off(&oldest);
        }
        number >= self.oldest && self.numbers.insert(number)
    }
}

impl Head {
    /// That of a cluster which begins with claims of another time, and has had no leader.
    pub(super) fn restored(cluster: &str, alive: Moment, limits: LimitsInForce) -> Self {
        let Moment { at_us, date_us } = alive;
        let in_force = Some(NewTerm { cluster: cluster.to_owned(), date_us, limits });
        Self { began_us: at_us, last_us: at_us, in_force, ..Self::default() }
    }

    /// A time with its date.
    fn moment(&self, at_us: u64) -> Moment {
        let since_us = at_us.saturating_sub(self.began_us);
        let date_us = self.in_force.as_ref().map_or(0, |new| new.date_us);
        Moment { at_us, date_us: date_us.saturating_add(since_us) }
    }
}

impl Replica {
    pub(super) fn new(
        own: MemberRun,
        cluster: String,
        first_limits: LimitsInForce,
        outlet: ReplyOutlet,
    ) -> Self {
        let retention = first_limits.retention(outlet.0.is_some());
        let service = ClaimService::new(ClaimIndex::default(), Meta::default(), retention);
        let engine = Engine::new(Records::new(retention.limits), service, None);
        Self {
            own,
            cluster,
            first_limits,
            outlet,
            host: host(engine, Moment::default()),
            head: Head::default(),
            clock: MemberClock::new(),
            waiters: BTreeMap::new(),
            last_number: 0,
            orphans: Vec::new(),
            failure: None,
        }
    }

    /// The limits in force.
    pub(super) fn limits(&self) -> LimitsInForce {
        self.head.in_force.as_ref().map_or(self.first_limits, |new| new.limits)
    }

    /// The time of the last operation, with its date.
    pub(super) fn last(&self) -> Moment {
        self.head.moment(self.head.last_us)
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(super) fn next_due_us(&self) -> Option<u64> {
        self.host.engine.next_due_us()
    }

    /// When the next timer is due, by the estimate of the leader's time.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.next_due_us().map(|due_us| self.clock.instant(due_us))
    }

    /// Registers a request of this process, whose operation is to be proposed with the number; and
    /// the least number of those that are registered.
    pub(super) fn expect(&mut self) -> ((u64, u64), oneshot::Receiver<EngineReply>) {
        self.last_number += 1;
        let (waiter, reply) = oneshot::channel();
        self.waiters.insert(self.last_number, waiter);
        let oldest = self.waiters.first_key_value().map_or(self.last_number, |(first, _)| *first);
        ((self.last_number, oldest), reply)
    }

    /// Removes a request that is not waited for any more.
    pub(super) fn expect_no_longer(&mut self, number: u64) {
        self.waiters.remove(&number);
    }

    /// Drops all requests whose operations may be among those that a snapshot has skipped.
    pub(super) fn drop_waiters(&mut self) {
        self.waiters.clear();
    }

    /// The stamp of an operation in a term, if this member leads in it, and not in a later one that
    /// has not begun.
    pub(super) fn stamp(&self, present: u64, term: u64) -> Option<Stamp> {
        let has_begun = self.clock.leads() == Some(term) && self.head.term == term;
        (has_begun && present == term).then(|| Stamp { term, at_us: self.clock.now_us() })
    }

    /// Begins to give the time, and returns the operation that begins the term.
    pub(super) fn lead(&mut self, term: u64, limits: LimitsInForce, date_us: u64) -> bytes::Bytes {
        self.clock.lead(term);
        let new = NewTerm { cluster: self.cluster.clone(), date_us, limits };
        let stamp = Stamp { term, at_us: self.clock.now_us() };
        operation::stamped(stamp, &operation::encode(&Operation::Lead(new)))
    }

    /// Calls a function with the engine, at the estimated time.
    pub(super) fn with<T>(&mut self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        let now_us = self.clock.now_us().max(self.head.last_us);
        self.host.set_now(self.head.moment(now_us));
        let result = act(&mut ClaimEngine(&mut self.host));
        self.deliver();
        result
    }

    /// Applies an operation of the log.
    pub(super) fn apply(&mut self, bytes: &[u8]) -> Effect {
        if self.failure.is_some() {
            return Effect::Failed;
        }
        let applied = operation::read(bytes).and_then(|(stamp, operation)| match operation {
            Operation::Lead(new) => self.begin_term(stamp, new, Self::restart),
            Operation::Request(_)
            | Operation::HangUp(_)
            | Operation::EndWaits(_)
            | Operation::MemberGone(_)
            | Operation::Tick => self.take(stamp, operation),
            Operation::Renew => Ok(self.renew(stamp)),
        });
        self.deliver();
        match applied {
            Ok(true) => Effect::Applied,
            Ok(false) => Effect::Refused,
            Err(why) => {
                // It would have another state than the others.
                tracing::error!(why, "this member does not follow the cluster any more");
                self.waiters.clear();
                self.failure = Some(why);
                Effect::Failed
            }
        }
    }

    /// Whether a state is of this member's cluster.
    pub(super) fn check_cluster(&self, head: &Head) -> io::Result<()> {
        let checked = head.in_force.as_ref().map_or(Ok(()), |new| self.check_name(&new.cluster));
        checked.map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
    }

    fn check_name(&self, theirs: &str) -> Result<(), String> {
        let ours = &self.cluster;
        let is_ours = theirs == ours;
        is_ours
            .then_some(())
            .ok_or_else(|| format!("the log is that of the cluster {theirs:?}, not {ours:?}"))
    }

    /// Takes an operation, unless it is of a former term.
    fn take(&mut self, stamp: Stamp, operation: Operation) -> Result<bool, String> {
        if stamp.term != self.head.term {
            return Ok(false);
        }
        self.head.last_us = self.head.last_us.max(stamp.at_us);
        let now = self.last();
        self.host.set_now(now);
        self.host.engine.fire_due(now);
        match operation {
            Operation::Request(request) => self.request(request)?,
            Operation::HangUp(callers) => self.hang_up(&callers),
            Operation::EndWaits(run) => {
                for caller in self.callers_of(run) {
                    self.end_wait(now, caller);
                }
            }
            Operation::MemberGone(run) => self.hang_up(&self.callers_of(run)),
            Operation::Lead(_) | Operation::Renew | Operation::Tick => {}
        }
        self.clock.applied(stamp.term, self.head.last_us);
        Ok(true)
    }

    /// Takes a request; if it is one of this process, the reply goes to its task.
    fn request(&mut self, operation: RequestOperation) -> Result<(), String> {
        let RequestOperation { number, oldest, .. } = operation;
        let taken = self.head.taken.entry(operation.origin.received_by).or_default();
        if !taken.takes(number, oldest) {
            return Ok(());
        }
        let (request, origin) = operation.decode().ok_or("a request of the log is damaged")?;
        let reply = ClaimEngine(&mut self.host).execute(request, &origin);
        if origin.received_by != Some(self.own) {
            return Ok(());
        }
        let unheard = match self.waiters.remove(&number) {
            Some(waiter) => waiter.send(reply).err(),
            None => Some(reply),
        };
        if let Some(EngineReply::Pending(pending)) = unheard {
            self.orphans.push(pending.caller);
        }
        Ok(())
    }

    fn hang_up(&mut self, callers: &[u64]) {
        for caller in callers {
            ClaimEngine(&mut self.host).hang_up(*caller);
        }
    }

    /// Answers a request that it still waits.
    fn end_wait(&mut self, now: Moment, caller: u64) {
        let call = self.host.engine.service.calls.get(&caller);
        if let Some(claim) = call.and_then(|call| call.claim) {
            self.host.engine.fire_early(now, Timer::Wait(ClaimId::new(claim)));
        }
    }

    /// The callers of a member that wait, oldest first.
    fn callers_of(&self, run: MemberRun) -> Vec<u64> {
        let calls = self.host.engine.service.calls.iter();
        let mut callers: Vec<u64> = calls
            .filter(|(_, call)| call.origin.received_by == Some(run))
            .map(|(caller, _)| *caller)
            .collect();
        callers.sort_unstable();
        callers
    }

    /// Whether callers of a member wait.
    pub(super) fn has_callers_of(&self, run: MemberRun) -> bool {
        let calls = &self.host.engine.service.calls;
        calls.values().any(|call| call.origin.received_by == Some(run))
    }

    /// Whether a caller waits.
    pub(super) fn waits(&self, caller: u64) -> bool {
        self.host.engine.service.calls.contains_key(&caller)
    }

    /// The members' runs that have callers which wait.
    pub(super) fn runs_that_wait(&self) -> Vec<MemberRun> {
        let calls = self.host.engine.service.calls.values();
        let mut runs: Vec<MemberRun> = calls.filter_map(|call| call.origin.received_by).collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    }

    /// Sends the replies that are ready, and writes the lines of the audit log.
    pub(super) fn deliver(&mut self) {
        if let Some(mut outbox) = self.host.take_volatile() {
            self.outlet.log(&outbox.log);
            self.outlet.deliver(&mut outbox.outgoing, true);
        }
    }
}

/// A host whose time is set by its caller.
pub(super) fn host(engine: Engine<ClaimService>, now: Moment) -> HostState<ClaimService> {
    HostState::new(engine, Clock::start(now.date_us, now), true)
}
