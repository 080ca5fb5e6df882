//! The other members, as this one knows them, and the requests to them.
//!
//! A handshake precedes the first request to or from a member. So a member of another group is
//! refused, and one that has lost its log, and a second process that has its id. Each request names
//! the process that sends it and the one that it is for; after a restart of either the handshake is
//! repeated.

mod acknowledged;
mod envelope;
mod founding;
mod handshake;
mod refusals;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use tokio::time::Instant;
use turnstile_host::Rng;

use crate::error::Members;
use crate::group::{Founding, Group};
use crate::identity::{GroupIdentity, Identity};
use crate::log::Log;
use crate::machine::StateMachine;
use crate::network::{CallError, Network, Trouble};
use crate::news::News;
use crate::options::Options;
pub(crate) use acknowledged::Acknowledged;
use acknowledged::AcknowledgedEntries;
use envelope::{ANSWER, OTHER_PROCESS, REFUSED, REMOVED, refusal};
pub(crate) use envelope::{Head, answer, refused};
use refusals::{Refusal, Refusals, Refuser, lost_entries, removed, two_processes, unknown};

/// So long a majority does not know a member that is none of its members: a network repeats each
/// attempt to connect within a second.
const UNKNOWN_LEAST: Duration = Duration::from_secs(5);

/// The first byte of a handshake.
pub(crate) const HANDSHAKE: u8 = 4;

/// How often a request is sent to a member that has restarted.
const ATTEMPTS: usize = 2;

/// What this member knows of the others.
pub(crate) struct Peers {
    id: u64,
    application: &'static str,
    version: u32,
    log: Arc<Log>,
    network: Arc<dyn Network>,
    /// The timeout of a handshake.
    handshake_max: Duration,
    /// The pause between attempts.
    pause: Duration,
    state: Mutex<PeersState>,
    /// One group is accepted at a time, and only the first.
    accepting: tokio::sync::Mutex<()>,
    /// Rings with each refusal, and with all else that is new of this member.
    news: Arc<News>,
}

struct PeersState {
    process: u64,
    group: GroupIdentity,
    known: BTreeMap<u64, Identity>,
    /// The last process of each member, and the one before it: a request of that one is late, or it
    /// still runs.
    processes: BTreeMap<u64, (u64, Option<u64>)>,
    refused: Refusals,
    /// The members by the applied log, and those that were once.
    members: Members,
    former: BTreeSet<u64>,
    /// The numbers of the logs of the members, by the last change of them, applied or not.
    logs: BTreeMap<u64, u64>,
    acknowledged: AcknowledgedEntries,
    /// Since when a majority does not know this member.
    unknown: Option<Instant>,
    /// One handshake with each member is made at a time.
    asking: BTreeMap<u64, Arc<tokio::sync::Mutex<()>>>,
}

impl Peers {
    /// # Errors
    /// When the log is of a group with another name.
    pub(crate) fn new(
        options: &Options,
        machine: &impl StateMachine,
        log: Arc<Log>,
        network: Arc<dyn Network>,
    ) -> io::Result<Arc<Self>> {
        let (id, handshake_max, pause) = (options.id, options.election_least, options.heartbeat);
        let group = log.group().and_then(|group| Group::decode(&group));
        let founding = log.founding().and_then(|founding| Founding::decode(&founding));
        let group = match (group, founding) {
            (Some(group), _) => GroupIdentity::In(group),
            (None, Some(founding)) => GroupIdentity::Founding(founding),
            (None, None) => GroupIdentity::Joining(options.group.clone()),
        };
        if let Some(name) = group.name()
            && !options.group.is_empty()
            && options.group != name
        {
            let text = format!("the data are of a group with the name {name:?}");
            let text = format!("{text}, and not {:?}", options.group);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let logs = group.group().map(|group| group.logs.clone()).unwrap_or_default();
        let state = PeersState {
            process: Rng::from_entropy().number(),
            group,
            known: BTreeMap::new(),
            processes: BTreeMap::new(),
            refused: Refusals::default(),
            members: Members::new(),
            former: BTreeSet::new(),
            logs,
            acknowledged: AcknowledgedEntries::default(),
            unknown: None,
            asking: BTreeMap::new(),
        };
        let (state, news) = (Mutex::new(state), Arc::new(News::default()));
        let (application, version) = (machine.application(), machine.version());
        Ok(Arc::new(Self {
            id,
            application,
            version,
            log,
            network,
            handshake_max,
            pause,
            state,
            accepting: tokio::sync::Mutex::default(),
            news,
        }))
    }

    /// The number of this process.
    pub(crate) fn process(&self) -> u64 {
        self.lock().process
    }

    /// The version of a member, if it is known.
    pub(crate) fn version(&self, id: u64) -> Option<u32> {
        self.lock().known.get(&id).map(|peer| peer.version)
    }

    /// Rings with each refusal, and with all else that is new of this member.
    pub(crate) fn news(&self) -> Arc<News> {
        Arc::clone(&self.news)
    }

    /// The group of this member.
    pub(crate) fn group(&self) -> Option<Group> {
        self.lock().group.group().cloned()
    }

    /// The members with which this one does not work, and why.
    pub(crate) fn refused(&self) -> BTreeMap<u64, String> {
        let state = self.lock();
        state.refused.all(self.id, state.members.get(&self.id))
    }

    /// Notes whether a majority takes no connection of this member. Returns whether that has
    /// lasted: a member that starts does not know the members of its log at once. It is logged if
    /// this one is a voter by its own log.
    pub(crate) fn note_unknown(&self, is_unknown: bool, is_voter: bool) -> bool {
        let mut state = self.lock();
        let since = is_unknown.then(|| state.unknown.unwrap_or_else(Instant::now));
        state.unknown = since;
        let has_lasted = since.is_some_and(|since| since.elapsed() >= UNKNOWN_LEAST);
        if has_lasted && is_voter {
            state.refused.log(self.id, &unknown(self.id));
        }
        has_lasted
    }

    /// Whether another member has said that this one was removed.
    pub(crate) fn is_removed(&self) -> bool {
        self.lock().refused.is_removed()
    }

    /// Why another member is not connected.
    pub(crate) fn trouble(&self, id: u64) -> Option<Trouble> {
        self.network.trouble(id)
    }

    /// The members by the log, of which this one has applied the last change.
    pub(crate) fn set_members(&self, members: &Members) {
        let mut state = self.lock();
        let PeersState { group, former, .. } = &mut *state;
        let first = group.group().into_iter().flat_map(|group| group.logs.keys());
        former.extend(first.chain(members.keys()));
        state.members.clone_from(members);
    }

    /// The numbers of the logs of the members, by the last change of them, applied or not.
    pub(crate) fn set_logs(&self, logs: BTreeMap<u64, u64>) {
        self.lock().logs = logs;
    }

    /// A member has acknowledged entries.
    pub(crate) fn acknowledged(&self, id: u64, more: Acknowledged) {
        self.lock().acknowledged.add(id, more);
    }

    /// A member says to this one, the leader of a term, that it lacks an entry.
    ///
    /// # Errors
    /// When it had acknowledged that entry to this leader: only a later one could have taken it
    /// away, whose term it would know.
    pub(crate) fn lacks(&self, id: u64, term: u64, index: u64) -> Result<(), CallError> {
        if self.lock().acknowledged.has(id, term, index) {
            let (why, by) = (lost_entries(id), Refuser::This);
            return Err(self.refuse(id, Refusal { why, by }));
        }
        Ok(())
    }

    /// Sends a request to a member, whose log must have this number if there is one, and waits for
    /// the content of its answer. `put` appends the content of the request.
    pub(crate) async fn call(
        self: &Arc<Self>,
        (to, log): (u64, Option<u64>),
        kind: u8,
        put: impl Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Bytes, CallError> {
        for _ in 0..ATTEMPTS {
            if let Some(answer) = self.attempt((to, log), kind, &put).await? {
                return Ok(answer);
            }
        }
        Err(CallError::new(format!("member {to} restarts")))
    }

    /// Sends a request; `None`: one of the two has restarted, and the request is not handled.
    async fn attempt(
        self: &Arc<Self>,
        (to, log): (u64, Option<u64>),
        kind: u8,
        put: impl Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Option<Bytes>, CallError> {
        self.look_for_rival();
        let known = self.lock().known.get(&to).cloned();
        let peer = match known {
            Some(peer) => peer,
            None => self.ask(to, |_| true).await?,
        };
        // A vote or an acknowledgement of another log is none of this member.
        if log.is_some_and(|log| log != peer.log) {
            return Err(self.refuse(to, Refusal { why: self.lost_log(to), by: Refuser::This }));
        }
        let process = self.lock().process;
        let head = Head { kind, from: self.id, process, to_process: peer.process };
        let mut answer = self.network.call(to, put(head.encode()).into()).await?;
        if answer.is_empty() {
            return Err(CallError::new(format!("member {to} is of another version")));
        }
        match answer.get_u8() {
            ANSWER => {
                self.lock().refused.answered(to);
                Ok(Some(answer))
            }
            // Its group has become known since.
            REFUSED if self.lock().process != process => Ok(None),
            code @ (REFUSED | REMOVED) => {
                let text = String::from_utf8_lossy(&answer);
                let why = format!("member {to} refuses this one: {text}");
                let by = if code == REMOVED { Refuser::Remover } else { Refuser::Other };
                Err(self.refuse(to, Refusal { why, by }))
            }
            OTHER_PROCESS => {
                self.lock().known.remove(&to);
                Ok(None)
            }
            4.. => Err(CallError::new(format!("member {to} is of another version"))),
        }
    }

    /// Checks the sender of a request; an error is the answer to it, if it has one.
    pub(crate) async fn admit(self: &Arc<Self>, head: &Head) -> Result<Identity, Option<Bytes>> {
        self.look_for_rival();
        let Head { from, process, to_process, .. } = *head;
        let (known, is_former, is_removed) = {
            let state = self.lock();
            if to_process != state.process {
                return Err(Some(Bytes::from_static(&[OTHER_PROCESS])));
            }
            let before = state.processes.get(&from).and_then(|(_, before)| *before);
            let is_former = before == Some(process);
            let is_removed = state.former.contains(&from) && !state.members.contains_key(&from);
            (state.known.get(&from).cloned(), is_former || from == self.id, is_removed)
        };
        if is_removed {
            return Err(Some(refusal(REMOVED, &removed(from))));
        }
        if is_former {
            return Err(Some(refusal(
                REFUSED,
                &two_processes(from, "another one has started since"),
            )));
        }
        let is_sender = |peer: &Identity| peer.process == process;
        // It was known before the log's members were.
        let known = known.filter(|peer| !self.has_lost_log(peer));
        let asked = match known.filter(is_sender) {
            Some(peer) => Ok(peer),
            None => self.ask(from, is_sender).await,
        };
        match asked {
            Ok(peer) if is_sender(&peer) => {
                self.lock().refused.admitted(from);
                Ok(peer)
            }
            Ok(_) => {
                let why = two_processes(from, "another one than the sender is at its address");
                Err(Some(refusal(
                    REFUSED,
                    &self.refuse(from, Refusal { why, by: Refuser::This }).why,
                )))
            }
            // It does not hear an answer, either, unless it is refused.
            Err(error) => {
                let is_refused = self.lock().refused.why(from) == Some(error.why.as_str());
                Err(is_refused.then(|| refusal(REFUSED, &error.why)))
            }
        }
    }

    /// Notes whether another process with the id of this member takes over its connections.
    fn look_for_rival(&self) {
        let taken_over = self.network.replaced();
        let mut state = self.lock();
        let PeersState { refused, members, .. } = &mut *state;
        if refused.taken_over(taken_over, self.id, members.get(&self.id)) {
            self.news.ring();
        }
    }

    fn refuse(&self, id: u64, refusal: Refusal) -> CallError {
        let mut state = self.lock();
        state.known.remove(&id);
        let why = refusal.why.clone();
        if state.refused.add(id, refusal) {
            self.news.ring();
        }
        CallError { why }
    }

    fn lock(&self) -> MutexGuard<'_, PeersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
