//! The example's claim goes where the document says.

use turnstile_machines::claim::State;

#[expect(dead_code, reason = "the example's own `main` is not run")]
#[path = "../examples/whole_claim.rs"]
mod whole_claim;

use whole_claim::{Statuses, claim};

const GOOD: Statuses = Statuses { register: 202, activate: 200, renew: 200, release: 204 };

#[track_caller]
fn check(statuses: Statuses, states: &[State]) {
    let run = claim(statuses).expect("every status has a row");
    let entered: Vec<State> = run.into_iter().map(|(state, _)| state).collect();
    assert_eq!(entered, states);
}

#[test]
fn a_lock_is_awaited_held_and_given_back() {
    use State::{Activating, Active, Registering, Released, Releasing, Renewing, Waiting};
    check(GOOD, &[Registering, Waiting, Activating, Active, Renewing, Active, Releasing, Released]);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let statuses = Statuses { register: 503, ..GOOD };
    check(statuses, &[State::Registering, State::RetryingRegister]);
}

#[test]
fn a_refusal_ends_the_claim() {
    let statuses = Statuses { activate: 400, ..GOOD };
    check(statuses, &[State::Registering, State::Waiting, State::Activating, State::Fail]);
}

#[test]
fn a_status_without_a_row_is_told() {
    let refusal = claim(Statuses { renew: 302, ..GOOD }).expect_err("302 has no row");
    assert_eq!(refusal.to_string(), "Renewing: response (302): no row");
}
