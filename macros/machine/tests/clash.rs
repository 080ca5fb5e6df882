//! A table may use the words that the emitted module uses itself.

turnstile_machine::machine!("tests/tables/clash.yaml", typestate, step_into);

use clash::{ActionCall_, Event, EventKind_, ForEach_, ResourceKind_, RowId_, State};

#[test]
fn a_table_may_name_what_every_machine_has() {
    let events = [
        (Event::Row { id: RowId_::Two }, State::Machine),
        (Event::Action { call: ActionCall_::Two }, State::Machine),
        (Event::Event { kind: EventKind_::Two }, State::Machine),
        (Event::For { each: ForEach_::Two }, State::Marker),
        (Event::Resource { kind: ResourceKind_::Two }, State::Marker),
        (Event::Machine, State::State),
    ];
    for (event, to) in events {
        let step = clash::step(State::State, event, &|_| true).expect("there is a row");
        assert_eq!(step.to, to, "{event:?}");
    }
    let typed = clash::typestate::begin().row(RowId_::One).machine();
    assert_eq!(State::from(typed), State::State);
}
