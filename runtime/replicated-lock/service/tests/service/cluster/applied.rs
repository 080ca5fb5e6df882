//! What the machine makes of operations in the log: those of two sessions of which no member runs.

use std::time::Duration;

use turnstile_host::store::Disk;
use turnstile_ids::number::Token;
use turnstile_raft::{Member as RaftMember, Members, Status as RaftStatus};
use turnstile_replicated_lock::operation::{
    Answer, Command, CommandResult, NamedCommand, NewSession, Operation, Sent, SessionId, decode,
    encode,
};
use turnstile_replicated_lock::{Address, LockService, LockStatus, lock_name};
use turnstile_replicated_lock_core::types::{LogEntry, LogOperation};

use crate::cluster::group::{Group, LOCK, PATIENCE, options};

const A: SessionId = SessionId { address: Address(10), epoch: 1 };
const B: SessionId = SessionId { address: Address(20), epoch: 1 };
/// Nobody waits so long for the two to report.
const LEASE: Duration = Duration::from_secs(3600);

/// The log of one member, to which a test proposes as members do that are elsewhere.
struct Bench {
    group: Group,
    term: u64,
    /// How many commands were applied when the session of A had begun, and that of B not.
    without_b: u64,
}

impl Bench {
    async fn two_sessions() -> Self {
        // What a snapshot has is no more in the log.
        let group = Group::start(1, |options| options.raft.keep_entries = 0).await;
        let term = group.members[&1].raft().status().term;
        let mut bench = Self { group, term, without_b: 0 };
        bench.register(A, 2).await;
        let first = results(bench.execute(A, 0, &[unlock()]).await);
        bench.without_b = first[0].index.number();
        bench.register(B, 3).await;
        bench.execute(B, 0, &[unlock()]).await;
        bench
    }

    fn service(&self) -> &LockService {
        &self.group.members[&1]
    }

    fn raft(&self) -> &RaftMember {
        self.service().raft()
    }

    async fn apply(&self, operation: &Operation) -> Answer {
        let answer = self.raft().propose(encode(operation)).await.expect("it leads");
        decode(&answer).expect("it is an answer")
    }

    async fn register(&self, session: SessionId, member: u64) {
        let new = NewSession { session, member, lease: LEASE, after: 0 };
        assert_eq!(self.apply(&Operation::Register(new)).await, Answer::Applied(Vec::new()));
    }

    /// The envelope of a session with this number; that of [`Bench::two_sessions`] had 0.
    async fn execute(&self, session: SessionId, number: u64, all: &[LogOperation]) -> Answer {
        let sent = Sent { term: self.term, after: u64::MAX };
        self.execute_late(sent, session, number, all).await
    }

    async fn execute_late(
        &self,
        sent: Sent,
        session: SessionId,
        number: u64,
        all: &[LogOperation],
    ) -> Answer {
        let entry = |operation: &LogOperation| LogEntry {
            by: session.address,
            call: None,
            operation: operation.clone(),
        };
        let command = |operation: &LogOperation| NamedCommand {
            command: Command { entry: entry(operation), sent },
            id: Some(LOCK.into()),
        };
        let commands = all.iter().map(command).collect();
        self.apply(&Operation::Envelope { session, sequence: number + 1, commands }).await
    }

    /// A RESET to some, and to the member that runs: otherwise it would begin anew.
    fn reset(&self, list: &[SessionId]) -> LogOperation {
        let list = list.iter().map(|session| session.address);
        LogOperation::Reset(list.chain([self.service().status().address]).collect())
    }
}

fn lock() -> LogOperation {
    LogOperation::Lock(lock_name(LOCK))
}

fn unlock() -> LogOperation {
    LogOperation::Unlock(lock_name(LOCK))
}

fn results(answer: Answer) -> Vec<CommandResult> {
    match answer {
        Answer::Applied(results) => results,
        Answer::Refused => panic!("it is refused"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_grow_within_one_entry_of_the_log() {
    let bench = Bench::two_sessions().await;
    let mut tokens: Vec<Token> = Vec::new();
    for round in 1..4 {
        for session in [A, B] {
            let twice = [lock(), unlock(), lock(), unlock()];
            let results = results(bench.execute(session, round, &twice).await);
            for pair in results.chunks(2) {
                assert_eq!(pair[0].status, LockStatus::Holding);
                assert_eq!(pair[1].status, LockStatus::None);
                tokens.push(pair[0].token.expect("it holds the lock"));
            }
        }
    }
    assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_envelope_has_the_same_answer_and_no_effect() {
    let bench = Bench::two_sessions().await;
    let first = bench.execute(A, 1, &[lock()]).await;
    assert_eq!(bench.execute(B, 1, &[lock()]).await, bench.execute(B, 1, &[lock()]).await);
    assert_eq!(results(bench.execute(A, 2, &[unlock()]).await)[0].status, LockStatus::None);
    assert_eq!(bench.execute(A, 1, &[lock()]).await, Answer::Refused, "it is late");
    let again = results(bench.execute(B, 2, &[lock()]).await);
    assert_eq!(again[0].status, LockStatus::Holding);
    assert!(again[0].token > results(first)[0].token);
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_after_the_reset_that_excludes_its_member_has_no_effect() {
    let bench = Bench::two_sessions().await;
    bench.execute(A, 1, &[bench.reset(&[A])]).await;
    assert_eq!(bench.execute(B, 1, &[lock()]).await, Answer::Refused);
    let has = results(bench.execute(A, 2, &[lock()]).await);
    assert_eq!(has[0].status, LockStatus::Holding);
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_that_is_late_takes_no_locks_of_those_that_have_joined_since() {
    let bench = Bench::two_sessions().await;
    // It was sent when A was there, and not B.
    let sent = Sent { term: bench.term, after: bench.without_b };
    let reset = bench.reset(&[A]);
    let has = results(bench.execute(B, 1, &[lock()]).await);
    assert_eq!(has[0].status, LockStatus::Holding);
    bench.execute_late(sent, A, 1, std::slice::from_ref(&reset)).await;
    let waits = results(bench.execute(A, 2, &[lock()]).await);
    assert_eq!(waits[0].status, LockStatus::Waiting, "{waits:?}");
    assert_eq!(results(bench.execute(B, 2, &[unlock()]).await)[0].status, LockStatus::None);
    bench.execute(B, 3, &[lock()]).await;
    let known = Sent { after: bench.without_b + 2, ..sent };
    bench.execute_late(known, A, 3, &[reset]).await;
    assert_eq!(bench.execute(B, 4, &[unlock()]).await, Answer::Refused, "it was known");
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_of_a_former_leader_takes_no_locks() {
    let bench = Bench::two_sessions().await;
    let sent_in = |term| Sent { term, after: u64::MAX };
    let to_nobody = [LogOperation::Reset(Vec::new())];
    bench.execute(B, 1, &[bench.reset(&[A, B]), lock()]).await;
    bench.execute_late(sent_in(bench.term - 1), A, 1, &to_nobody).await;
    let waits = results(bench.execute(A, 2, &[lock()]).await);
    assert_eq!(waits[0].status, LockStatus::Waiting, "{waits:?}");
    bench.execute_late(sent_in(bench.term), B, 2, &to_nobody).await;
    let has = results(bench.execute(A, 3, &[lock()]).await);
    assert_eq!(has[0].status, LockStatus::Holding, "{has:?}");
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_the_whole_state() {
    let mut bench = Bench::two_sessions().await;
    let first = bench.execute(A, 1, &[lock()]).await;
    bench.execute(B, 1, &[lock()]).await;
    let locks = bench.service().status().locks;
    let applied = bench.raft().snapshot().await.expect("it is made").snapshot_index;
    let is_purged = |status: &RaftStatus| status.purged_index >= applied;
    bench.raft().wait_for(PATIENCE, is_purged).await.expect("nothing is kept");
    bench.group.stop(1).await;
    bench.group.join(1).await;
    bench.group.leader().await;
    bench.term = bench.raft().status().term;
    assert_eq!(bench.execute(A, 1, &[lock()]).await, first);
    assert_eq!(bench.service().status().locks, locks);
    assert_eq!(results(bench.execute(A, 2, &[unlock()]).await)[0].status, LockStatus::None);
    let has = results(bench.execute(B, 2, &[lock()]).await);
    assert_eq!(has[0].status, LockStatus::Holding, "it has waited");
    assert!(has[0].token > results(first)[0].token);
    bench.group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_of_something_else_is_refused() {
    let bench = Bench::two_sessions().await;
    let backup = bench.raft().backup().await.expect("it has applied something");
    bench.group.end().await;
    let (disk, members) = (Disk::default(), Members::from([(1, "first".to_owned())]));
    let other = || backup.clone().with_state("\u{1}?");
    let later = backup.clone().with_state([&[2], &backup.state()[1..]].concat());
    for (state, why) in [
        (other(), "the snapshot is not one of locks"),
        (later, "the snapshot of locks has version 2, and this program reads version 1: use"),
    ] {
        let restored =
            LockService::restore(&options(1), Box::new(disk.open()), state, &members).await;
        let error = restored.expect_err("it is none of locks").to_string();
        assert!(error.contains(why), "{error}");
    }
    let restored =
        RaftMember::restore(&options(1).raft, Box::new(disk.open()), &other(), &members).await;
    restored.expect("the log knows no locks");
    let network = turnstile_raft::network::hub::Hub::new().join(1);
    let started = LockService::start(options(1), Box::new(disk.open()), network).await;
    let error = started.expect_err("it is none of locks").to_string();
    assert!(error.contains("the snapshot is not one of locks"), "{error}");
}
