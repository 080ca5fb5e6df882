//! The benchmark's hand-written match agrees with the table on every cell; else it proves nothing.

use turnstile_machines::claim::{self, Action, Event, EventKind, State};

#[path = "../benches/step/hand.rs"]
mod hand;

#[test]
fn the_hand_written_match_is_the_table() {
    for (state, event) in cells() {
        let table = claim::step(state, event, &|guard| match guard {}).ok();
        let table: Option<(State, Vec<Action>)> =
            table.map(|step| (step.to, step.does.iter().map(|act| act.action).collect()));
        let returned = hand::step(state, event).map(|(to, does)| (to, does.to_vec()));
        assert_eq!(returned, table, "{state} {event:?}");
        let mut sunk = Vec::new();
        let to = hand::step_into(state, event, |action| sunk.push(action));
        assert_eq!(to.map(|to| (to, sunk)), table, "{state} {event:?}");
    }
}

/// Every state with every event and payload, and with statuses that are none.
fn cells() -> impl Iterator<Item = (State, Event)> {
    let outside = [0, 99, 600, u16::MAX].map(|status| Event::Response { status });
    let inside = EventKind::ALL.iter().flat_map(|kind| {
        let (least, greatest) = kind.bounds();
        (least..=greatest).map(|number| kind.event(number))
    });
    let events: Vec<Event> = inside.chain(outside).collect();
    State::ALL.iter().flat_map(move |&state| events.clone().into_iter().map(move |it| (state, it)))
}
