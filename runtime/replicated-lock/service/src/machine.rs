//! The state machine of the log: the sessions, and the core's replica in its node.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use turnstile_host::{Inbox, unsupported_version};
use turnstile_ids::number::Token;
use turnstile_raft::{Encode, LogPosition, StateMachine};
use turnstile_replicated_lock_core::message::{Cluster, Message};
use turnstile_replicated_lock_core::types::{LockName, LockStatus, LogOperation};
use turnstile_replicated_lock_core::{Locks, Member};

use crate::node::CoreNode;
use crate::operation::{
    Answer, Command, CommandResult, NamedCommand, NewSession, Operation, SessionId, decode, encode,
    lock_of,
};
use crate::sessions::{Admission, Registration, Sessions};
use crate::shared::{Data, Shared, tell};

/// The reason why a node always takes what the machine gives it.
const NODE_RUNS: &str = "the machine keeps its node, whose core does not panic";

/// The machine. It keeps the node running.
pub(crate) struct Machine {
    shared: Arc<Shared>,
    _node: Arc<CoreNode>,
}

/// The version of the state in a snapshot, which is its first byte.
const VERSION: u8 = 1;

/// The state in a snapshot.
#[derive(Serialize, Deserialize)]
struct Captured {
    sessions: Sessions,
    ids: BTreeMap<LockName, String>,
    locks: Locks,
}

/// The numbers that a restored state leaves out: more than the commands that the former cluster can
/// have executed after the backup, so that the tokens grow.
const SKIPPED: u64 = 1 << 40;

/// The state with which a cluster begins that is restored: nobody holds a lock, since the members
/// that did are those of another cluster.
///
/// # Errors
/// When the bytes are no state of locks.
pub(crate) fn restored(state: &[u8]) -> io::Result<Vec<u8>> {
    let Captured { sessions, .. } = read(state)?;
    let (ids, locks) = (BTreeMap::new(), Locks::new());
    Ok(Captured { sessions: sessions.restored(SKIPPED), ids, locks }.encode())
}

fn read(state: &[u8]) -> io::Result<Captured> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the snapshot is not one of locks");
    let (version, captured) = state.split_first().ok_or_else(damaged)?;
    if *version != VERSION {
        let remedy = "use the program that saved it";
        return Err(unsupported_version("the snapshot of locks", *version, VERSION, remedy));
    }
    decode(captured).ok_or_else(damaged)
}

impl Captured {
    fn encode(&self) -> Vec<u8> {
        [&[VERSION][..], &encode(self)].concat()
    }
}

impl Machine {
    pub(crate) const fn new(shared: Arc<Shared>, node: Arc<CoreNode>) -> Self {
        Self { shared, _node: node }
    }

    fn register(&self, new: NewSession) -> Answer {
        let now = self.shared.now();
        self.shared.with(|data, inbox| match data.sessions.register(new) {
            Registration::Refused => Answer::Refused,
            Registration::Repeated => Answer::Applied(Vec::new()),
            Registration::New => {
                data.presence.registered(now, new.session.address, data.sessions.count());
                data.tell_of_sessions(inbox);
                Answer::Applied(Vec::new())
            }
        })
    }

    fn execute(
        &self,
        term: u64,
        session: SessionId,
        sequence: u64,
        commands: Vec<NamedCommand>,
    ) -> Answer {
        self.shared.with(|data, inbox| match data.sessions.admit(session, sequence) {
            Admission::Refused => Answer::Refused,
            Admission::Repeated(results) => Answer::Applied(results),
            Admission::Apply => {
                let mut results = Vec::with_capacity(commands.len());
                for command in commands {
                    // A RESET of its own may have excluded it.
                    if command.command.entry.by == session.address && data.sessions.is_live(session)
                    {
                        results.push(data.apply(term, command, inbox));
                    }
                }
                data.sessions.answered(session, &results);
                Answer::Applied(results)
            }
        })
    }
}

impl Data {
    fn tell_of_sessions(&mut self, inbox: &Inbox<Member>) {
        for message in self.presence.sessions_changed(&self.sessions) {
            tell(inbox, message);
        }
    }

    fn apply(&mut self, term: u64, command: NamedCommand, inbox: &Inbox<Member>) -> CommandResult {
        let NamedCommand { command: Command { mut entry, sent }, id } = command;
        if let LogOperation::Reset(list) = &mut entry.operation {
            let Some(executed) = self.sessions.reset(sent, term, list) else {
                let index = self.sessions.next_number();
                return CommandResult { index, status: LockStatus::None, token: None };
            };
            *list = executed;
            // An excluded member learns of its minority before it learns what the others did.
            self.tell_of_sessions(inbox);
            if entry.by == self.presence.session().address {
                self.presence.has_reset(list);
            }
        }
        let (index, member) = (self.sessions.next_number(), entry.by);
        let lock = lock_of(&entry.operation);
        let ids = &mut self.ids;
        let applied = inbox.take(Cluster, Message::Apply { index, entry }, |state| {
            let locks = &state.replica;
            match lock {
                Some(lock) if locks.lock(lock).is_none() => {
                    ids.remove(&lock);
                }
                Some(lock) => {
                    if let Some(id) = id {
                        ids.entry(lock).or_insert(id);
                    }
                }
                None => ids.retain(|lock, _| locks.lock(*lock).is_some()),
            }
            let status = lock.map_or(LockStatus::None, |lock| locks.status(lock, member));
            let token = lock.and_then(|lock| locks.token(lock, member));
            CommandResult { index, status, token }
        });
        applied.expect(NODE_RUNS)
    }
}

impl StateMachine for Machine {
    fn application(&self) -> &'static str {
        "raftlock"
    }

    fn apply(&mut self, place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        let answer = match decode(operation) {
            Some(Operation::Register(new)) => self.register(new),
            Some(Operation::Envelope { session, sequence, commands }) => {
                self.execute(place.term, session, sequence, commands)
            }
            // No member of this version has written it.
            None => Answer::Refused,
        };
        Ok(encode(&answer))
    }

    fn snapshot(&self) -> Encode {
        let captured = self.shared.with(|data, _| {
            let locks = self.shared.read(|state| state.replica.clone()).expect(NODE_RUNS);
            Captured { sessions: data.sessions.clone(), ids: data.ids.clone(), locks }
        });
        Box::new(move |out| out.extend_from_slice(&captured.encode()))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        let Captured { sessions, ids, locks } = read(snapshot)?;
        self.shared.with(|data, inbox| {
            (data.sessions, data.ids) = (sessions, ids);
            data.tell_of_sessions(inbox);
            let count = data.sessions.count();
            let index = (count > 0).then(|| Token::new(count));
            let message = Message::Snapshot { index, locks };
            inbox.take(Cluster, message, |_| ()).expect(NODE_RUNS);
        });
        Ok(())
    }
}
