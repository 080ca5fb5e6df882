//! What the README shows: the gate beside Cargo.toml, by value and by type.

turnstile_macros::machine!("gate.yaml");

use gate::typestate::begin;
use gate::{Event, State, step};

fn main() {
    let coin = step(State::Locked, Event::Coin, &|_| true).expect("there is a row");
    assert_eq!((coin.to, coin.does[0].action.name()), (State::Unlocked, "unlock"));

    // The same, with states as types: `begin().push()` would not compile.
    assert_eq!(State::from(begin().coin().push()), State::Locked);
}
