//! The example's claim goes where the document says.

use turnstile_claim_machines::claim::State;

#[expect(dead_code, reason = "the example's own `main` is not run")]
#[path = "../examples/whole_claim.rs"]
mod whole_claim;

use whole_claim::{Statuses, claim};

const GOOD: Statuses =
    Statuses { register: 202, activate: &[409, 200], confirm: 200, renew: 200, release: 204 };

#[track_caller]
fn check(statuses: Statuses, states: &[State]) {
    let run = claim(statuses).expect("every status has a row");
    let entered: Vec<State> = run.into_iter().map(|(state, _)| state).collect();
    assert_eq!(entered, states);
}

#[test]
fn a_lock_is_awaited_held_and_given_back() {
    use State::{
        Activating, Active, Confirming, Registering, Released, Releasing, Renewing, Waiting,
    };
    let asked = [Registering, Waiting, Activating, Waiting, Activating, Confirming];
    let held = [Active, Renewing, Active, Releasing, Released];
    check(GOOD, &[&asked[..], &held[..]].concat());
}

#[test]
fn a_free_lock_is_held_at_once() {
    use State::{Active, Registering, Released, Releasing, Renewing};
    let statuses = Statuses { register: 201, ..GOOD };
    check(statuses, &[Registering, Active, Renewing, Active, Releasing, Released]);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let statuses = Statuses { register: 503, ..GOOD };
    check(statuses, &[State::Registering, State::RetryingRegister]);
}

#[test]
fn a_refusal_ends_the_claim() {
    let statuses = Statuses { activate: &[400], ..GOOD };
    check(statuses, &[State::Registering, State::Waiting, State::Activating, State::Fail]);
}

#[test]
fn a_status_that_is_none_is_told() {
    let refusal = claim(Statuses { renew: 700, ..GOOD }).expect_err("700 is no status");
    assert_eq!(refusal.to_string(), "Renewing: response (700): no row");
}
