//! What the wire protocol says: what each request is answered, who holds the lock after it.

use turnstile_claim_core::message::{RequestKind, Response, TargetStatus};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{Limits, Status, Timer};
use turnstile_ids::number::CallId;
use turnstile_step::{Effect, Symbolic};

use super::run::{ACTIVE, DOOR, Done, FINAL, GATE, Run, became};

#[test]
fn the_first_post_is_granted_and_the_second_queued() {
    let mut run = Run::new();
    let (status, first) = run.post(DOOR);
    assert_eq!((status, run.status(first)), (201, Some(Status::Active)));
    let (status, second) = run.post(DOOR);
    assert_eq!((status, run.status(second)), (202, Some(Status::Waiting)));
    assert!(second > first, "ids grow");
    assert_eq!(run.post(GATE).0, 201, "resources do not disturb each other");
}

#[test]
fn a_claim_granted_at_once_waits_and_then_is_active() {
    let mut run = Run::new();
    let (answer, effects) = run.asks(RequestKind::Post { resource: DOOR, key: None, wait: false });
    let claim = answer.claim.expect("named");
    let place = |want: &dyn Fn(&Done) -> bool| effects.iter().position(want);
    let saved = place(&|effect| matches!(effect, Effect::Save(_))).expect("saved");
    let waiting = place(&became(claim, Status::Waiting)).expect("waits");
    let active = place(&became(claim, Status::Active)).expect("is active");
    let armed = place(&|effect| *effect == Effect::Arm(Timer::Ttl(claim))).expect("its ttl runs");
    let sent = place(&|effect| matches!(effect, Effect::Send { .. })).expect("answered");
    assert!(saved < sent, "no answer before what it says is safe");
    assert!(waiting < active);
    assert!(saved < armed);
}

#[test]
fn renewal_counts_the_ttl_anew_and_needs_the_lock() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    let (answer, effects) = run.asks(RequestKind::Ttl { claim: holder });
    assert_eq!(answer.status, 200);
    assert!(effects.contains(&Effect::Arm(Timer::Ttl(holder))));
    assert_eq!(run.renew(waiter), 400);
    for to in FINAL {
        let (_, claim) = run.post(GATE);
        run.patch(claim, to);
        assert_eq!(run.renew(claim), 400, "{to:?}");
    }
}

#[test]
fn activation_is_refused_behind_another_and_granted_once_it_is_gone() {
    let mut run = Run::new();
    let (_, first) = run.post(DOOR);
    let (_, second) = run.post(DOOR);
    assert_eq!(run.patch(first, ACTIVE), 200, "it is active already");
    assert_eq!(run.patch(second, ACTIVE), 409);
    assert_eq!(run.state.holder(DOOR), Some(first));
    assert_eq!(run.patch(first, TargetStatus::Released), 204);
    assert_eq!(run.status(second), Some(Status::Waiting), "a release does not promote");
    assert_eq!(run.patch(second, ACTIVE), 200);
    assert_eq!(run.patch(first, ACTIVE), 400, "a final claim stays final");
}

#[test]
fn a_stranger_promotes_the_oldest_waiter() {
    for by_post in [true, false] {
        let mut run = Run::new();
        let (_, holder) = run.post(DOOR);
        let (_, second) = run.post(DOOR);
        let (_, third) = run.post(DOOR);
        run.patch(holder, TargetStatus::Aborted);
        let status = if by_post { run.post(DOOR).0 } else { run.patch(third, ACTIVE) };
        assert_eq!(status, if by_post { 202 } else { 409 });
        assert_eq!(run.status(second), Some(Status::Active), "first in, first out");
        assert_eq!(run.status(third), Some(Status::Waiting));
        run.lapses(second);
    }
}

#[test]
fn a_lapsed_claim_stays_active_until_another_wants_the_lock() {
    let mut run = Run::new();
    let (_, claim) = run.post(DOOR);
    run.lapses(claim);
    assert_eq!(run.status(claim), Some(Status::Active));
    assert_eq!(run.patch(claim, ACTIVE), 200, "its own activation is no contention");
    assert_eq!(run.renew(claim), 200, "a renewal revives it");
    assert_eq!(run.post(DOOR).0, 202, "it is as good as new");
    run.lapses(claim);
    let (status, third) = run.post(DOOR);
    assert_eq!(run.status(claim), Some(Status::Expired));
    assert_eq!((status, run.status(third)), (202, Some(Status::Waiting)), "another waits longer");
    assert_eq!(run.renew(claim), 400, "expired is final");
}

#[test]
fn a_waiters_activation_expires_what_has_lapsed() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    run.lapses(holder);
    assert_eq!(run.status(holder), Some(Status::Active), "a queue alone is no contention");
    let (answer, effects) = run.asks(RequestKind::Status { claim: waiter, to: ACTIVE });
    assert_eq!(answer.status, 200);
    assert!(effects.iter().any(became(holder, Status::Expired)), "{effects:?}");
    assert_eq!(run.state.holder(DOOR), Some(waiter));
}

#[test]
fn a_waiters_activation_behind_another_waiter_promotes_that_one() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, second) = run.post(DOOR);
    let (_, third) = run.post(DOOR);
    run.lapses(holder);
    assert_eq!(run.patch(third, ACTIVE), 409);
    assert_eq!(run.status(holder), Some(Status::Expired));
    assert_eq!(run.state.holder(DOOR), Some(second));
}

#[test]
fn final_statuses_answer_the_same_again_and_refuse_others() {
    for to in FINAL {
        let mut run = Run::new();
        let (_, claim) = run.post(DOOR);
        assert_eq!(run.patch(claim, to), 204, "{to:?}");
        for again in FINAL {
            let status = if again == to { 204 } else { 400 };
            assert_eq!(run.patch(claim, again), status, "{to:?} then {again:?}");
        }
        assert_eq!(run.state.holder(DOOR), None);
        assert_eq!(run.post(DOOR).0, 201, "the lock is free");
    }
}

#[test]
fn a_waiter_may_leave_but_has_nothing_to_release() {
    for to in FINAL {
        let mut run = Run::new();
        run.post(DOOR);
        let (_, waiter) = run.post(DOOR);
        let status = if to == TargetStatus::Released { 400 } else { 204 };
        assert_eq!(run.patch(waiter, to), status, "{to:?}");
        assert_eq!(run.state.waiting(DOOR).count(), usize::from(status == 400));
    }
}

#[test]
fn what_ends_a_claim_stops_its_timer_and_a_lapsed_one_has_none() {
    for to in FINAL {
        let mut run = Run::new();
        let (_, claim) = run.post(DOOR);
        let (_, effects) = run.asks(RequestKind::Status { claim, to });
        assert!(effects.contains(&Effect::Disarm(Timer::Ttl(claim))), "{to:?}");
        let (_, claim) = run.post(DOOR);
        run.lapses(claim);
        let (answer, effects) = run.asks(RequestKind::Status { claim, to });
        assert_eq!(answer.status, 204);
        assert!(!effects.contains(&Effect::Disarm(Timer::Ttl(claim))), "{to:?}");
    }
}

#[test]
fn nobody_knows_a_claim_that_never_was() {
    let mut run = Run::new();
    let claim = ClaimId::new(77);
    assert_eq!(run.renew(claim), 404);
    assert_eq!(run.patch(claim, TargetStatus::Released), 404);
    assert_eq!(run.saved, None, "and nothing is kept of it");
}

#[test]
fn the_oldest_final_claims_are_forgotten_beyond_the_limit() {
    let mut run = Run::with(Limits { waiters_max: 1, finished_max: 2 });
    let claims: Vec<ClaimId> = (0..3)
        .map(|_| {
            let (_, claim) = run.post(DOOR);
            assert_eq!(run.patch(claim, TargetStatus::Released), 204);
            claim
        })
        .collect();
    assert_eq!(run.patch(claims[0], TargetStatus::Released), 404);
    assert_eq!(run.patch(claims[1], TargetStatus::Released), 204);
    let saved = run.saved.as_ref().expect("saved");
    assert_eq!(saved.claims.keys().copied().collect::<Vec<_>>(), claims[1..]);
    assert!(run.post(DOOR).1 > claims[2], "and their ids are not given again");
}

#[test]
fn a_claim_that_is_not_final_is_not_forgotten() {
    let mut run = Run::with(Limits { waiters_max: 1, finished_max: 0 });
    let (_, claim) = run.post(DOOR);
    assert_eq!(run.status(claim), Some(Status::Active));
    assert_eq!(run.patch(claim, TargetStatus::Released), 204);
    assert_eq!(run.status(claim), None);
}

#[test]
fn a_full_queue_refuses_and_still_contends() {
    let mut run = Run::with(Limits { waiters_max: 1, finished_max: 9 });
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    let post = RequestKind::Post { resource: DOOR, key: None, wait: false };
    assert_eq!(run.asks(post).0, Response::bare(CallId::new(0), 429));
    run.lapses(holder);
    assert_eq!(run.asks(post).0.status, 429);
    assert_eq!(run.status(holder), Some(Status::Expired));
    assert_eq!(run.status(waiter), Some(Status::Active));
    assert_eq!(run.asks(post).0.status, 202, "there is room again");
}

#[test]
fn a_restart_knows_every_claim_and_counts_ttls_anew() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    let (_, gone) = run.post(GATE);
    run.patch(gone, TargetStatus::Released);
    let effects = run.crashes();
    let timers = [Timer::Ttl(holder), Timer::Idle(waiter)].map(Effect::Arm);
    assert!(effects.ends_with(&timers), "{effects:?}");
    assert_eq!(run.status(holder), Some(Status::Active));
    assert_eq!(run.status(waiter), Some(Status::Waiting));
    assert_eq!(run.status(gone), Some(Status::Released));
    assert_eq!(run.renew(holder), 200);
    assert_eq!(run.patch(waiter, ACTIVE), 409);
    assert_eq!(run.patch(gone, TargetStatus::Released), 204);
    assert!(run.post(GATE).1 > gone, "ids go on growing");
}

#[test]
fn a_step_saves_what_it_changed_and_no_more() {
    let mut run = Run::new();
    run.post(DOOR);
    let (_, claim) = run.post(GATE);
    let (_, effects) = run.asks(RequestKind::Status { claim, to: TargetStatus::Released });
    let [Effect::Save(saved), ..] = &effects[..] else { panic!("saves first: {effects:?}") };
    assert_eq!(saved.claims.keys().copied().collect::<Vec<_>>(), [claim]);
    let (_, effects) = run.asks(RequestKind::Status { claim, to: TargetStatus::Released });
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Save(_))), "{effects:?}");
}

#[test]
fn renumbering_keeps_who_is_who() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    run.state.visit_ids(&mut |_, number| *number = *number * 10 + 3);
    let moved = |claim: ClaimId| ClaimId::new(claim.number() * 10 + 3);
    assert_eq!(run.state.holder(DOOR), Some(moved(holder)));
    assert_eq!(run.state.waiting(DOOR).collect::<Vec<_>>(), [moved(waiter)]);
    assert_eq!(run.patch(moved(waiter), ACTIVE), 409);
    assert!(run.post(GATE).1 > moved(waiter));
}
