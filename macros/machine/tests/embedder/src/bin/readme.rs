//! What the README shows: the gate beside Cargo.toml, by value and by type.

turnstile_machine::machine!("gate.yaml", typestate);

use gate::typestate::begin;
use gate::{Event, State, step};

fn main() {
    let coin = step(State::Locked, Event::Coin, &|_| true).expect("there is a row");
    let actions: Vec<&str> = coin.actions.iter().map(|act| act.action.name()).collect();
    assert_eq!((coin.to, actions), (State::Unlocked, vec!["unlock"]));

    // The same, with states as types: `begin().push()` would not compile.
    assert_eq!(State::from(begin().coin().push()), State::Locked);
}
