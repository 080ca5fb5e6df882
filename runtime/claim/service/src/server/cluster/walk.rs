//! Random logs, applied by members with different options: one applies all of it, one begins with a
//! snapshot again and again, one starts again from the whole log, and one restarts its core at each
//! term from what is saved. Their states are equal, byte by byte, after each operation.

use std::sync::Arc;

use bytes::Bytes;
use turnstile_claim_core::message::{ResourceName, TargetStatus};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Limits, SavedClaim, Timer};
use turnstile_ids::number::Token;
use turnstile_raft::{LogPosition, StateMachine as _};

use super::limits::LimitsInForce;
use super::machine::ClaimMachine;
use super::operation::{
    EncodedOrigin, NewTerm, Operation, RequestOperation, Stamp, encode, read, stamped,
};
use super::options::ClusterOptions;
use super::replica::{Effect, Replica};
use super::shared::Shared;
use super::snapshot::describe;
use crate::client::Rng;
use crate::server::access::auth::Identity;
use crate::server::access::origin::{MemberRun, RequestOrigin};
use crate::server::state::outlet::ReplyOutlet;
use crate::server::state::retention::{Quotas, Retention};
use crate::server::web::call::{ClaimRequest, EngineReply};
use crate::wire::request::{Bounds, Patch, Post};

const LOGS: u64 = 300;
const OPERATIONS: u64 = 80;

/// The run of a member.
fn run(member: u64) -> MemberRun {
    MemberRun { member, run: 100 * member }
}

/// The options of a member: each has others.
fn limits(member: u64) -> LimitsInForce {
    let size = |number: u64| usize::try_from(number).expect("it is small");
    let retention = Retention {
        limits: Limits { waiters_max: size(1 + member), finished_max: size(2 * member) },
        leave_us: 300_000 * member,
        unasked_us: 4_000_000 / member,
        lapse_us: 1_000_000 * member,
        quotas: Quotas { claims_max: size(8 + 2 * member), claims_per_owner_max: size(6 + member) },
        waits_max: 1,
        is_volatile: true,
        is_audited: false,
    };
    LimitsInForce::new(&retention, &Bounds::default())
}

fn member(number: u64) -> Replica {
    Replica::new(run(number), "c".into(), limits(number), ReplyOutlet(None))
}

fn origin(roll: &mut impl FnMut(u64) -> u64) -> RequestOrigin {
    let name = [None, Some("a".into()), Some("b".into())][roll(3) as usize].clone();
    RequestOrigin {
        base: "http://h/v1/claims/".into(),
        wait_us: (roll(3) > 0).then_some(2_000_000),
        timeout_us: (roll(3) == 0).then_some(3_500_000),
        identity: Identity { name, has_all_rights: true, from: ([127, 0, 0, 1], 1).into() },
        received_by: None,
    }
}

fn request(roll: &mut impl FnMut(u64) -> u64, number: u64) -> Operation {
    let origin = origin(roll);
    let wait = origin.wait_us.is_some();
    let request = if roll(2) == 0 {
        let resource = format!("r{}", roll(4));
        let post = Post { resource, ttl_us: 200_000 + roll(4) * 900_000, user_data: None };
        let key = (roll(3) == 0).then(|| IdempotencyKey::new(roll(4)));
        ClaimRequest::Post { post, key }
    } else {
        let patch = match roll(7) {
            0 => Patch::Ttl(300_000 + roll(3) * 900_000),
            1 | 2 => Patch::Status(TargetStatus::Active { wait }),
            3 => Patch::Status(TargetStatus::Released),
            4 => Patch::Status(TargetStatus::Aborted),
            5 => Patch::Status(TargetStatus::Withdrawn),
            _ => Patch::Status(TargetStatus::Revoked),
        };
        ClaimRequest::Patch { id: 1 + roll(20), patch }
    };
    let origin = EncodedOrigin::new(&origin, run(1 + roll(3)));
    // Some are proposed twice.
    let numbers = (number - number.min(roll(3)), number.saturating_sub(2));
    Operation::Request(RequestOperation::new(numbers, origin, &request))
}

fn lead(member: u64, date_us: u64) -> Operation {
    Operation::Lead(NewTerm { cluster: "c".into(), date_us, limits: limits(member) })
}

/// A log: each operation with the stamp of its leader, some of them late, or of a former term.
fn log(rng: &mut Rng) -> Vec<Bytes> {
    let mut roll = |sides: u64| rng.number() % sides;
    let (mut term, mut at_us) = (1, roll(5_000_000));
    let mut log = vec![stamped(Stamp { term, at_us }, &encode(&lead(1 + roll(3), 7)))];
    for number in 1..OPERATIONS {
        at_us += roll(400_000);
        let (operation, of) = match roll(30) {
            0 => {
                term += 1 + roll(2);
                (lead(1 + roll(3), 1_000 * roll(9)), term)
            }
            1 | 2 => (Operation::Tick, term),
            3 | 4 => (Operation::HangUp(vec![1 + roll(number), 1 + roll(number)]), term),
            5 => (Operation::EndWaits(run(1 + roll(3))), term),
            6 => (Operation::MemberGone(run(1 + roll(3))), term),
            9 if roll(3) == 0 => (Operation::Renew, term),
            7 | 8 => (request(&mut roll, number), term - 1),
            _ => (request(&mut roll, number), term),
        };
        let late_us = if roll(5) == 0 { roll(100_000) } else { 0 };
        let stamp = Stamp { term: of, at_us: at_us.saturating_sub(late_us) };
        log.push(stamped(stamp, &encode(&operation)));
    }
    log
}

fn apply_all(member: &mut Replica, log: &[Bytes]) {
    for operation in log {
        let _effect = member.apply(operation);
    }
}

/// The encoded state.
fn bytes(member: &Replica) -> Vec<u8> {
    let mut bytes = Vec::new();
    member.capture().encode(&mut bytes);
    bytes
}

/// Applies an operation, the beginning of a term by a restart from what the core has saved.
fn apply_by_saved(member: &mut Replica, operation: &[u8]) -> Effect {
    match read(operation) {
        Ok((stamp, Operation::Lead(new))) => match member.begin_term_from_saved(stamp, new) {
            true => Effect::Applied,
            false => Effect::Refused,
        },
        Ok(_) | Err(_) => member.apply(operation),
    }
}

/// Each record has what the core has of its claim.
#[track_caller]
fn check_kept(member: &Replica, at: &str) {
    let engine = &member.host.engine;
    let index = &engine.service.index;
    let mut claims = 0;
    for (id, record) in engine.state().claims() {
        let entry = index.entry(id.number()).expect("each claim has its record");
        let kept = SavedClaim {
            resource: ResourceName(entry.number),
            at: entry.at,
            token: entry.token.map(Token::new),
            key: entry.key,
        };
        assert_eq!(kept, SavedClaim::of(record), "{at}: claim {id:?}");
        claims += 1;
    }
    assert_eq!(index.counts().0, claims, "{at}");
}

#[track_caller]
fn check_equal(one: &Replica, other: &Replica, at: &str) {
    let (one, other) = (bytes(one), bytes(other));
    if one != other {
        let (one, other) = (describe(&one), describe(&other));
        let first = one.iter().zip(&other).find(|(one, other)| one != other);
        panic!("{at}: {first:#?}, {} and {} parts", one.len(), other.len());
    }
}

#[tokio::test]
async fn members_with_the_same_log_have_the_same_bytes() {
    let (mut applied, mut refused, mut waiting, mut tokens) = (0, 0, 0, 0);
    for seed in 0..LOGS {
        let mut rng = Rng::seeded(seed);
        let log = log(&mut rng);
        let (mut first, mut second, mut fourth) = (member(1), member(2), member(1));
        for (step, operation) in log.iter().enumerate() {
            let effect = first.apply(operation);
            applied += u64::from(effect == Effect::Applied);
            refused += u64::from(effect == Effect::Refused);
            // The second one has callers of its own, who wait for the ends of claims.
            let origin = origin(&mut |sides| rng.number() % sides);
            let watch = second.with(|engine| engine.watch(1 + rng.number() % 20, &origin));
            assert!(matches!(watch, EngineReply::Ready(_) | EngineReply::Pending(_)));
            if rng.number().is_multiple_of(4) {
                if rng.number().is_multiple_of(2) {
                    second = member(2);
                }
                second.install(&bytes(&first)).expect("it was captured");
            } else {
                assert_eq!(second.apply(operation), effect, "seed {seed}, step {step}");
            }
            let at = format!("seed {seed}, step {step}");
            check_equal(&first, &second, &at);
            assert_eq!(apply_by_saved(&mut fourth, operation), effect, "{at}");
            check_equal(&first, &fourth, &format!("{at}, restarted from what is saved"));
            check_kept(&first, &at);
        }
        let mut third = member(3);
        apply_all(&mut third, &log);
        check_equal(&first, &third, &format!("seed {seed}, all of it again"));
        waiting += first.runs_that_wait().len();
        tokens += first.host.engine.service.meta.last_token;
    }
    // What the logs are about has happened in them.
    let happened = (applied > 20_000, refused > 1_000, waiting > 100, tokens > 1_000);
    assert_eq!(happened, (true, true, true, true), "{applied} {refused} {waiting} {tokens}");
}

#[test]
fn a_snapshot_is_the_state_at_its_operation_while_others_are_applied() {
    let mut changed = 0;
    for seed in 0..LOGS {
        let mut rng = Rng::seeded(seed);
        let log = log(&mut rng);
        let (orphans, _orphaned) = tokio::sync::mpsc::unbounded_channel();
        let shared = Arc::new(Shared::new(member(1), orphans));
        let mut machine = ClaimMachine { shared, version: ClusterOptions::VERSION };
        let mut other = member(2);
        let mut snapshots = Vec::new();
        for operation in &log {
            let place = LogPosition { index: 0, term: 1, version: ClusterOptions::VERSION };
            machine.apply(place, operation).expect("it is applied");
            let _effect = other.apply(operation);
            if rng.number().is_multiple_of(8) {
                let (encode, expected) = (machine.snapshot(), bytes(&other));
                // Each is encoded while operations are applied, and some after all of them.
                let encode = move || {
                    let mut bytes = Vec::new();
                    encode(&mut bytes);
                    bytes
                };
                snapshots.push((std::thread::spawn(encode), expected));
            }
        }
        let last = bytes(&other);
        for (at, (encoded, expected)) in snapshots.into_iter().enumerate() {
            let encoded = encoded.join().expect("it is encoded");
            assert!(encoded == expected, "seed {seed}, snapshot {at}");
            changed += u64::from(encoded != last);
        }
    }
    assert!(changed > 1_000, "{changed} of them differ from the last state");
}

#[tokio::test]
async fn an_operation_of_a_former_leader_has_no_effect() {
    let mut member = member(1);
    let mut roll = |_: u64| 0;
    let late = encode(&request(&mut roll, 1));
    let stamp = |term, at_us| Stamp { term, at_us };
    assert_eq!(member.apply(&stamped(stamp(1, 5), &late)), Effect::Refused, "no term has begun");
    assert_eq!(member.apply(&stamped(stamp(1, 5), &encode(&lead(1, 0)))), Effect::Applied);
    assert_eq!(member.apply(&stamped(stamp(3, 9), &encode(&lead(2, 0)))), Effect::Applied);
    let before = bytes(&member);
    assert_eq!(member.apply(&stamped(stamp(1, 50), &late)), Effect::Refused);
    assert_eq!(member.apply(&stamped(stamp(2, 60), &encode(&lead(3, 0)))), Effect::Refused);
    assert!(bytes(&member) == before, "it has left no trace");
    assert_eq!(member.apply(&stamped(stamp(3, 50), &late)), Effect::Applied);
    assert!(bytes(&member) != before, "in its own term it has an effect");
}

#[tokio::test]
async fn a_member_of_another_cluster_or_with_a_damaged_log_stops() {
    let mut stranger = Replica::new(run(1), "d".into(), limits(1), ReplyOutlet(None));
    let begin = stamped(Stamp { term: 1, at_us: 5 }, &encode(&lead(1, 0)));
    assert_eq!(stranger.apply(&begin), Effect::Failed);
    assert!(stranger.failure().is_some_and(|why| why.contains("the cluster \"c\", not \"d\"")));
    let mut own = member(1);
    assert_eq!(own.apply(&begin), Effect::Applied);
    let mut stranger = Replica::new(run(2), "d".into(), limits(1), ReplyOutlet(None));
    let refused = stranger.install(&bytes(&own)).expect_err("it is of another cluster");
    assert!(refused.to_string().contains("the cluster \"c\", not \"d\""), "{refused}");
    let mut member = member(1);
    assert_eq!(member.apply(&begin[..begin.len() - 1]), Effect::Failed);
    assert_eq!(member.failure(), Some("an operation of the log is damaged"));
    assert_eq!(member.apply(&begin), Effect::Failed, "it does not go on after a gap");
}

#[tokio::test]
async fn a_snapshot_that_is_changed_anywhere_is_refused() {
    let mut first = member(1);
    apply_all(&mut first, &log(&mut Rng::seeded(1)));
    let snapshot = bytes(&first);
    for at in 0..snapshot.len() {
        let mut changed = snapshot.clone();
        changed[at] ^= 1;
        assert!(member(2).install(&changed).is_err(), "changed at {at}");
        assert!(member(2).install(&snapshot[..at]).is_err(), "cut at {at}");
    }
}

fn post(number: u64, ttl_us: u64) -> Operation {
    let post = Post { resource: format!("r{number}"), ttl_us, user_data: None };
    let origin = EncodedOrigin::new(&origin(&mut |_| 0), run(1));
    let request = ClaimRequest::Post { post, key: None };
    Operation::Request(RequestOperation::new((number, number), origin, &request))
}

#[tokio::test]
async fn a_new_leader_gives_each_lease_its_whole_ttl_again() {
    let mut member = member(1);
    let mut apply = |term, at_us, operation: &Operation| {
        let effect = member.apply(&stamped(Stamp { term, at_us }, &encode(operation)));
        assert_eq!(effect, Effect::Applied);
        let timers = [1, 2].map(|claim| Timer::Ttl(ClaimId::new(claim)));
        timers.map(|timer| member.host.engine.armed_until_us(timer))
    };
    apply(1, 0, &lead(1, 0));
    apply(1, 0, &post(1, 500));
    assert_eq!(apply(1, 0, &post(2, 1_000)), [Some(500), Some(1_000)]);
    assert_eq!(apply(1, 600, &Operation::Tick), [None, Some(1_000)], "the first one has lapsed");
    // The leader was lost for long, and the time has passed: nobody could renew.
    assert_eq!(apply(2, 5_000, &lead(2, 0)), [None, Some(6_000)], "what has lapsed stays so");
    assert_eq!(apply(2, 5_999, &Operation::Tick), [None, Some(6_000)]);
    assert_eq!(apply(2, 6_000, &Operation::Tick), [None, None]);
}

#[tokio::test]
async fn a_leader_that_was_without_a_majority_gives_each_lease_its_whole_ttl_again() {
    let mut member = member(1);
    let mut apply = |at_us, operation: &Operation| {
        let effect = member.apply(&stamped(Stamp { term: 1, at_us }, &encode(operation)));
        assert_eq!(effect, Effect::Applied);
        let timers = [1, 2].map(|claim| Timer::Ttl(ClaimId::new(claim)));
        timers.map(|timer| member.host.engine.armed_until_us(timer))
    };
    apply(0, &lead(1, 0));
    apply(0, &post(1, 500));
    assert_eq!(apply(0, &post(2, 1_000)), [Some(500), Some(1_000)]);
    assert_eq!(apply(600, &Operation::Tick), [None, Some(1_000)], "the first one has lapsed");
    assert_eq!(apply(5_000, &Operation::Renew), [None, Some(6_000)], "what has lapsed stays so");
    assert_eq!(apply(6_000, &Operation::Tick), [None, None]);
    let late = stamped(Stamp { term: 2, at_us: 7_000 }, &encode(&Operation::Renew));
    assert_eq!(member.apply(&late), Effect::Refused);
}

#[tokio::test]
async fn a_leader_gives_no_time_in_a_former_term() {
    let mut member = member(1);
    let begin = member.lead(3, limits(1), 0);
    assert_eq!(member.stamp(3, 3), None, "it has not begun");
    assert_eq!(member.apply(&begin), Effect::Applied);
    assert!(member.stamp(3, 3).is_some());
    // It was elected again, and the new term has not begun.
    assert_eq!(member.stamp(4, 3), None);
    assert_eq!(member.stamp(4, 4), None);
}

#[tokio::test]
async fn a_request_that_is_proposed_twice_is_taken_once() {
    let mut member = member(1);
    let stamp = Stamp { term: 1, at_us: 5 };
    let mut apply = |operation: &Operation| {
        assert_eq!(member.apply(&stamped(stamp, &encode(operation))), Effect::Applied);
        member.host.engine.service.meta.last_claim
    };
    let post = |numbers| {
        let post = Post { resource: "r".into(), ttl_us: 500, user_data: None };
        let origin = EncodedOrigin::new(&origin(&mut |_| 0), run(1));
        let request = ClaimRequest::Post { post, key: None };
        Operation::Request(RequestOperation::new(numbers, origin, &request))
    };
    apply(&lead(1, 0));
    assert_eq!(apply(&post((1, 1))), 1);
    assert_eq!(apply(&post((1, 1))), 1, "it was taken");
    assert_eq!(apply(&post((3, 2))), 2, "its member carries the first one no longer");
    assert_eq!(apply(&post((1, 1))), 2, "nor does a late copy of it count");
    assert_eq!(apply(&post((2, 2))), 3, "one that was overtaken counts");
    assert_eq!(apply(&post((3, 2))), 3);
}
