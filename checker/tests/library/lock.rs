//! The World beside four other checkers: the lock protocol has as many states here as there.

use std::sync::Arc;

use stateright::{Checker, Model as _};
use turnstile_reference::Model;

#[track_caller]
fn check(clients: usize, rounds: u8, states: usize) {
    let model = Model::new(Arc::new(turnstile_models::world(clients, rounds)))
        .expect("it has one property");
    let checker = model.checker().spawn_bfs().join();
    assert_eq!(checker.unique_state_count(), states, "{clients} clients, {rounds} rounds");
    assert!(checker.discovery("one holds").is_none());
}

#[test]
fn two_clients_one_round() {
    check(2, 1, 2_345);
}

#[test]
fn three_clients_one_round() {
    check(3, 1, 101_675);
}
