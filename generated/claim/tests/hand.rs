//! The benchmark's hand-written match agrees with the table on every cell; else it proves nothing.

use turnstile_claim_machines::claim::{self, ActionCall, Event, EventKind, Guard, State};

#[path = "../benches/step/acts.rs"]
mod acts;
#[path = "../benches/step/hand.rs"]
mod hand;
#[path = "../benches/step/hand_into.rs"]
mod hand_into;

#[test]
fn the_hand_written_match_is_the_table() {
    for (state, event, answers) in cells() {
        let guards = |guard: Guard| answers >> guard as u32 & 1 == 1;
        let table = claim::step(state, event, &guards).ok();
        let table: Option<(State, Vec<ActionCall<'_>>)> =
            table.map(|step| (step.to, step.actions.iter().collect()));
        let returned = hand::step(state, event, &guards).map(|(to, does)| (to, does.to_vec()));
        assert_eq!(returned, table, "{state} {event:?} {answers:b}");
        let mut sunk = Vec::new();
        let to = hand_into::step_into(state, event, &guards, |act| sunk.push(act));
        assert_eq!(to.map(|to| (to, sunk)), table, "{state} {event:?} {answers:b}");
    }
}

/// Every state with every event and payload, statuses that are none, and every answer of guards.
fn cells() -> impl Iterator<Item = (State, Event, u32)> {
    let outside = [0, 99, 600, u16::MAX].map(|status| Event::Response { status });
    let inside = EventKind::ALL.iter().flat_map(|kind| {
        let (least, greatest) = kind.bounds();
        (least..=greatest).map(|number| kind.event(number))
    });
    let events: Vec<Event> = inside.chain(outside).collect();
    let answers = 0..1_u32 << Guard::ALL.len();
    State::ALL.iter().flat_map(move |&state| {
        let (events, answers) = (events.clone().into_iter(), answers.clone());
        events.flat_map(move |event| answers.clone().map(move |answers| (state, event, answers)))
    })
}
