//! Each word that Rust keeps for itself can be a name of each kind.

turnstile_machine::machine!("tests/tables/reserved.yaml", typestate, step_into);

use reserved::{Action, AsAs, Event, State};

#[test]
fn a_reserved_word_is_a_name() {
    let step = reserved::step(State::Gen, Event::As { as_: AsAs::As }, &|_| true);
    let step = step.expect("there is a row");
    assert_eq!(step.to, State::Async);
    assert!(step.actions.into_iter().map(|call| call.action).eq([Action::As]));
}
