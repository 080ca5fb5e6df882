//! What this server adds to the protocol: fencing tokens, idempotency keys, requests that wait.

use turnstile_claim_core::message::{Caller, RequestKind, Response, TargetStatus};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Command, Limits, Status, Timer};
use turnstile_ids::number::{CallId, Token};
use turnstile_step::{Effect, Input};

use super::run::{ACTIVE, DOOR, FINAL, GATE, Run, answers, became};

const KEY: IdempotencyKey = IdempotencyKey::new(5);
const WAIT: TargetStatus = TargetStatus::Active { wait: true };

fn post_with_key(run: &mut Run) -> Response {
    run.asks(RequestKind::Post { resource: DOOR, key: Some(KEY), wait: false }).0
}

fn post_waiting(run: &mut Run, caller: u64) -> Vec<Response> {
    let effects = run.calls(caller, RequestKind::Post { resource: DOOR, key: None, wait: true });
    answers(&effects, caller)
}

fn newest(run: &Run) -> ClaimId {
    run.state.claims().last().expect("there is a claim").0
}

#[test]
fn tokens_grow_with_each_activation_and_over_a_restart() {
    let mut run = Run::new();
    let mut last = None;
    for round in 0..6 {
        if round % 2 == 1 {
            run.crashes();
        }
        let (answer, _) = run.asks(RequestKind::Post { resource: DOOR, key: None, wait: false });
        assert_eq!(answer.status, 201);
        assert!(answer.token > last, "{answer:?} after {last:?}");
        last = answer.token;
        run.patch(answer.claim.expect("named"), TargetStatus::Released);
    }
}

#[test]
fn a_token_stays_the_same_while_the_claim_is_active() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let token = run.state.claim(holder).expect("kept").token;
    assert!(token.is_some());
    for kind in
        [RequestKind::Ttl { claim: holder }, RequestKind::Status { claim: holder, to: ACTIVE }]
    {
        assert_eq!(run.asks(kind).0.token, token, "{kind:?}");
    }
    run.lapses(holder);
    assert_eq!(
        run.asks(RequestKind::Ttl { claim: holder }).0.token,
        token,
        "a revived claim is the same"
    );
}

#[test]
fn a_waiter_has_no_token_until_it_is_promoted() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    assert_eq!(run.asks(RequestKind::Status { claim: waiter, to: ACTIVE }).0.token, None);
    run.patch(holder, TargetStatus::Released);
    run.post(DOOR);
    let token = |claim| run.state.claim(claim).expect("kept").token;
    assert!(token(waiter) > token(holder), "a stranger promoted it");
}

#[test]
fn a_repeated_post_is_the_same_claim() {
    let mut run = Run::new();
    let first = post_with_key(&mut run);
    let again = post_with_key(&mut run);
    assert_eq!(first, again);
    assert_eq!(run.state.claims().count(), 1);
    run.lapses(first.claim.expect("named"));
    assert_eq!(post_with_key(&mut run), first);
    assert_eq!(run.post(DOOR).0, 202, "and its ttl runs anew");
    assert_eq!(run.status(first.claim.expect("named")), Some(Status::Active));
}

#[test]
fn a_repeated_post_of_a_waiter_contends_as_the_first_did() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let first = post_with_key(&mut run);
    assert_eq!((first.status, post_with_key(&mut run)), (202, first));
    run.patch(holder, TargetStatus::Released);
    let again = post_with_key(&mut run);
    assert_eq!((again.status, again.claim), (201, first.claim));
}

#[test]
fn a_repeated_post_of_a_final_claim_makes_no_new_one() {
    for to in FINAL {
        let mut run = Run::with(Limits { waiters_max: 1, finished_max: 1 });
        let claim = post_with_key(&mut run).claim.expect("named");
        run.patch(claim, to);
        run.crashes();
        assert_eq!(post_with_key(&mut run).status, 409, "{to:?}");
        assert_eq!(run.state.claims().count(), 1);
        let (_, newer) = run.post(DOOR);
        run.patch(newer, TargetStatus::Released);
        assert_eq!(post_with_key(&mut run).status, 201, "a forgotten key is free");
    }
}

#[test]
fn a_request_that_waits_is_answered_by_the_release() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    assert_eq!(post_waiting(&mut run, 1), []);
    let waiter = newest(&run);
    assert_eq!(run.status(waiter), Some(Status::Waiting));
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Released });
    let [granted] = answers(&effects, 1)[..] else { panic!("woken: {effects:?}") };
    assert_eq!((granted.status, granted.claim), (201, Some(waiter)));
    assert_eq!(granted.token, run.state.claim(waiter).expect("kept").token);
    assert!(effects.contains(&Effect::Disarm(Timer::Wait(waiter))), "{effects:?}");
    assert!(effects.contains(&Effect::Arm(Timer::Ttl(waiter))), "{effects:?}");
    assert_eq!(run.state.holder(DOOR), Some(waiter));
}

#[test]
fn a_patch_that_waits_is_answered_as_a_patch() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, waiter) = run.post(DOOR);
    let effects = run.calls(1, RequestKind::Status { claim: waiter, to: WAIT });
    assert_eq!(answers(&effects, 1), []);
    assert!(effects.contains(&Effect::Arm(Timer::Wait(waiter))), "{effects:?}");
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Aborted });
    assert_eq!(answers(&effects, 1)[0].status, 200);
}

#[test]
fn one_waiter_is_woken_the_oldest_that_listens() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    let (_, polls) = run.post(DOOR);
    post_waiting(&mut run, 1);
    post_waiting(&mut run, 2);
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Released });
    assert_eq!(answers(&effects, 1).len(), 1);
    assert_eq!(answers(&effects, 2), []);
    assert_eq!(run.status(polls), Some(Status::Waiting), "nobody listens for it");
    assert_eq!(run.state.waiting(DOOR).count(), 2);
}

#[test]
fn a_lapse_wakes_a_waiter_that_listens() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    post_waiting(&mut run, 1);
    let effects = run.step(Input::Fired(Timer::Ttl(holder)));
    assert_eq!(answers(&effects, 1)[0].status, 201);
    assert!(effects.iter().any(became(holder, Status::Expired)), "{effects:?}");
}

#[test]
fn a_server_that_is_patient_no_more_answers_that_the_claim_waits() {
    let mut run = Run::new();
    run.post(DOOR);
    post_waiting(&mut run, 1);
    let waiter = newest(&run);
    let effects = run.step(Input::Fired(Timer::Wait(waiter)));
    assert_eq!(answers(&effects, 1)[0].status, 202);
    run.calls(1, RequestKind::Status { claim: waiter, to: WAIT });
    let effects = run.step(Input::Fired(Timer::Wait(waiter)));
    assert_eq!(answers(&effects, 1)[0], Response::bare(CallId::new(0), 409));
    assert_eq!(run.state.waiting(DOOR).collect::<Vec<_>>(), [waiter]);
}

#[test]
fn who_hung_up_is_not_woken() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    post_waiting(&mut run, 1);
    let waiter = newest(&run);
    let hung_up = |caller| {
        let from = Caller(caller);
        Input::Command(Command::HungUp { claim: waiter, from, call: CallId::new(0) })
    };
    assert_eq!(run.step(hung_up(2)), [], "that was another's request");
    assert!(run.step(hung_up(1)).contains(&Effect::Disarm(Timer::Wait(waiter))));
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Released });
    assert_eq!(answers(&effects, 1), []);
    assert_eq!(run.status(waiter), Some(Status::Waiting));
    assert_eq!(run.patch(waiter, ACTIVE), 200, "it may ask again");
    assert_eq!(run.step(hung_up(1)), [], "nothing is open any more");
}

#[test]
fn a_second_request_that_waits_takes_the_place_of_the_first() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    post_waiting(&mut run, 1);
    let waiter = newest(&run);
    let effects = run.calls(2, RequestKind::Status { claim: waiter, to: WAIT });
    assert_eq!(answers(&effects, 1)[0].status, 202);
    assert_eq!(answers(&effects, 2), []);
    let effects = run.calls(3, RequestKind::Status { claim: waiter, to: ACTIVE });
    assert_eq!(answers(&effects, 2)[0].status, 409);
    assert_eq!(answers(&effects, 3)[0].status, 409);
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Released });
    assert_eq!(effects.iter().filter(|effect| matches!(effect, Effect::Send { .. })).count(), 1);
}

#[test]
fn who_leaves_while_it_listens_is_answered_twice() {
    for to in [TargetStatus::Aborted, TargetStatus::Withdrawn, TargetStatus::Revoked] {
        let mut run = Run::new();
        run.post(DOOR);
        post_waiting(&mut run, 1);
        let (answer, effects) = run.asks(RequestKind::Status { claim: newest(&run), to });
        assert_eq!(answer.status, 204, "{to:?}");
        assert_eq!(answers(&effects, 1)[0].status, 400, "{to:?}");
        assert_eq!(run.state.waiting(DOOR).count(), 0);
    }
}

#[test]
fn a_listener_holds_no_lock_to_renew_or_release() {
    let mut run = Run::new();
    run.post(DOOR);
    post_waiting(&mut run, 1);
    let waiter = newest(&run);
    assert_eq!(run.renew(waiter), 400);
    assert_eq!(run.patch(waiter, TargetStatus::Released), 400);
}

#[test]
fn no_connection_survives_a_restart() {
    let mut run = Run::new();
    let (_, holder) = run.post(DOOR);
    post_waiting(&mut run, 1);
    let waiter = newest(&run);
    let effects = run.crashes();
    assert!(effects.contains(&Effect::Arm(Timer::Ttl(holder))), "{effects:?}");
    assert_eq!(answers(&effects, 1), []);
    let (_, effects) = run.asks(RequestKind::Status { claim: holder, to: TargetStatus::Released });
    assert_eq!(answers(&effects, 1), []);
    assert_eq!(run.status(waiter), Some(Status::Waiting), "but the claim still waits");
    assert_eq!(run.post(DOOR).0, 201, "and holds nobody up until its client asks again");
    assert_eq!(run.patch(waiter, ACTIVE), 409);
    assert_eq!(run.state.waiting(DOOR).collect::<Vec<_>>(), [waiter], "then it has its place");
}

#[test]
fn tokens_of_two_resources_come_from_one_counter() {
    let mut run = Run::new();
    let token = |run: &mut Run, resource| {
        run.asks(RequestKind::Post { resource, key: None, wait: false }).0.token
    };
    let door = token(&mut run, DOOR);
    assert_eq!(door, Some(Token::new(1)));
    assert!(token(&mut run, GATE) > door);
}
