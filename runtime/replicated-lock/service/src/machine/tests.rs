//! The machine on a node, without Raft: operations in any order, with any raft index.

use std::time::Duration;

use turnstile_host::Notices;
use turnstile_ids::number::Token;
use turnstile_raft::{Place, StateMachine as _};
use turnstile_replicated_lock_core::Member;
use turnstile_replicated_lock_core::types::{Address, LockStatus, LogEntry, LogOperation};

use super::Machine;
use crate::name::lock_name;
use crate::node::StartedNode;
use crate::operation::{
    Answer, Command, CommandResult, NamedCommand, NewSession, Operation, Sent, SessionId, decode,
    encode,
};
use crate::presence::Presence;
use crate::sender::Queue;
use crate::shared::Shared;

const A: SessionId = SessionId { address: Address(10), epoch: 1 };
const B: SessionId = SessionId { address: Address(20), epoch: 1 };
/// All operations of one entry of the log have the same index.
const PLACE: Place = Place { index: 7, term: 3, version: 1 };

/// A machine, and what must not be dropped before it.
struct Bench {
    machine: Machine,
    _notices: Notices<Member>,
    _queue: Queue,
}

impl Bench {
    fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.machine.snapshot()(&mut bytes);
        bytes
    }

    /// The machine of a member that takes no part.
    async fn start() -> Self {
        let (me, second) = (Address(1), Duration::from_secs(1));
        let started = StartedNode::start(me, second, second).await.expect("it has no store");
        let StartedNode { node, inbox, notices, queue, told, .. } = started;
        let shared = Shared::new(inbox, told, Presence::new(me, second, Duration::ZERO));
        Self { machine: Machine::new(shared, node), _notices: notices, _queue: queue }
    }

    fn apply(&mut self, operation: &Operation) -> Answer {
        let answer = self.machine.apply(PLACE, &encode(operation)).expect("it is applied");
        decode(&answer).expect("it is an answer")
    }

    fn register(&mut self, session: SessionId, member: u64) {
        let register =
            Operation::Register(NewSession { session, member, lease: Duration::ZERO, after: 0 });
        assert_eq!(self.apply(&register), Answer::Applied(Vec::new()));
    }

    fn execute(&mut self, session: SessionId, sequence: u64, all: &[LogOperation]) -> Answer {
        self.execute_late(Sent { term: PLACE.term, after: u64::MAX }, session, sequence, all)
    }

    fn execute_late(
        &mut self,
        sent: Sent,
        session: SessionId,
        sequence: u64,
        all: &[LogOperation],
    ) -> Answer {
        let entry = |operation: &LogOperation| LogEntry {
            by: session.address,
            call: None,
            operation: operation.clone(),
        };
        let command = |operation: &LogOperation| NamedCommand {
            command: Command { entry: entry(operation), sent },
            id: Some("printer".into()),
        };
        let commands = all.iter().map(command).collect();
        self.apply(&Operation::Envelope { session, sequence, commands })
    }

    async fn two_sessions() -> Self {
        let mut bench = Self::start().await;
        bench.register(A, 2);
        bench.register(B, 3);
        bench
    }
}

fn lock() -> LogOperation {
    LogOperation::Lock(lock_name("printer"))
}

fn unlock() -> LogOperation {
    LogOperation::Unlock(lock_name("printer"))
}

fn results(answer: Answer) -> Vec<CommandResult> {
    match answer {
        Answer::Applied(results) => results,
        Answer::Refused => panic!("it is refused"),
    }
}

#[tokio::test]
async fn tokens_grow_within_one_entry_of_the_log() {
    let mut bench = Bench::two_sessions().await;
    let mut tokens: Vec<Token> = Vec::new();
    for round in 1..4 {
        for session in [A, B] {
            let results = results(bench.execute(session, round, &[lock(), unlock()]));
            assert_eq!(results[0].status, LockStatus::Holding);
            assert_eq!(results[1].status, LockStatus::None);
            tokens.push(results[0].token.expect("it holds the lock"));
        }
    }
    assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
}

#[tokio::test]
async fn a_repeated_envelope_has_the_same_answer_and_no_effect() {
    let mut bench = Bench::two_sessions().await;
    let first = bench.execute(A, 1, &[lock()]);
    assert_eq!(bench.execute(B, 1, &[lock()]), bench.execute(B, 1, &[lock()]));
    assert_eq!(results(bench.execute(A, 2, &[unlock()]))[0].status, LockStatus::None);
    assert_eq!(bench.execute(A, 1, &[lock()]), Answer::Refused, "it is late");
    let again = results(bench.execute(B, 2, &[lock()]));
    assert_eq!(again[0].status, LockStatus::Holding);
    assert!(again[0].token > results(first)[0].token);
}

#[tokio::test]
async fn a_command_after_the_reset_that_excludes_its_member_has_no_effect() {
    let mut bench = Bench::two_sessions().await;
    bench.execute(A, 1, &[LogOperation::Reset(vec![A.address])]);
    assert_eq!(bench.execute(B, 1, &[lock()]), Answer::Refused);
    assert_eq!(results(bench.execute(A, 2, &[lock()]))[0].status, LockStatus::Holding);
}

fn reset(list: &[SessionId]) -> LogOperation {
    LogOperation::Reset(list.iter().map(|session| session.address).collect())
}

#[tokio::test]
async fn a_reset_that_is_late_takes_no_locks_of_those_that_have_joined_since() {
    let mut bench = Bench::two_sessions().await;
    // It was sent when A was there, and not B.
    let sent = Sent { term: PLACE.term, after: 1 };
    assert_eq!(results(bench.execute(B, 1, &[lock()]))[0].status, LockStatus::Holding);
    bench.execute_late(sent, A, 1, &[reset(&[A])]);
    let waits = results(bench.execute(A, 2, &[lock()]));
    assert_eq!(waits[0].status, LockStatus::Waiting, "{waits:?}");
    assert_eq!(results(bench.execute(B, 2, &[unlock()]))[0].status, LockStatus::None);
    bench.execute(B, 3, &[lock()]);
    bench.execute_late(Sent { term: PLACE.term, after: 2 }, A, 3, &[reset(&[A])]);
    assert_eq!(bench.execute(B, 4, &[unlock()]), Answer::Refused, "it was known");
}

#[tokio::test]
async fn a_reset_of_a_former_leader_takes_no_locks() {
    let mut bench = Bench::two_sessions().await;
    let sent_in = |term| Sent { term, after: u64::MAX };
    bench.execute_late(sent_in(PLACE.term), B, 1, &[reset(&[A, B]), lock()]);
    bench.execute_late(sent_in(PLACE.term - 1), A, 1, &[reset(&[])]);
    let waits = results(bench.execute(A, 2, &[lock()]));
    assert_eq!(waits[0].status, LockStatus::Waiting, "{waits:?}");
    bench.execute_late(sent_in(PLACE.term), B, 2, &[reset(&[])]);
    let has = results(bench.execute(A, 3, &[lock()]));
    assert_eq!(has[0].status, LockStatus::Holding, "{has:?}");
}

#[tokio::test]
async fn a_snapshot_is_the_whole_state() {
    let mut bench = Bench::two_sessions().await;
    let first = bench.execute(A, 1, &[lock()]);
    bench.execute(B, 1, &[lock()]);
    let snapshot = bench.snapshot();
    let mut other = Bench::start().await;
    other.machine.install(&snapshot).expect("it is one");
    assert_eq!(other.snapshot(), snapshot);
    assert_eq!(other.execute(A, 1, &[lock()]), first);
    for both in [&mut bench, &mut other] {
        both.execute(A, 2, &[unlock()]);
    }
    assert_eq!(other.snapshot(), bench.snapshot());
    assert!(other.machine.install(b"?").is_err());
}
