//! The World beside four other checkers: the lock protocol has as many states here as there.

use std::sync::Arc;

use turnstile_harness::options::Options;
use turnstile_search::bounds::NoProgress;
use turnstile_search::judgement::Verdict;

#[track_caller]
fn check(clients: usize, rounds: u8, states: u64) {
    let world = Arc::new(turnstile_models::world(clients, rounds));
    let found = turnstile_reference::check(&world, ("lock", "rounds"), &Options::new(&NoProgress));
    assert_eq!(found.result.states, states, "{clients} clients, {rounds} rounds");
    let [one_holds] = &found.result.properties[..] else { panic!("it has one property") };
    assert_eq!((one_holds.name.as_str(), one_holds.verdict), ("one holds", Verdict::Holds));
}

#[test]
fn two_clients_one_round() {
    check(2, 1, 2_345);
}

#[test]
fn three_clients_one_round() {
    check(3, 1, 101_675);
}
