//! What prose needs: sets and lists of states, `any`, `same`, conditions inside `do`, a machine
//! that has a life.

use turnstile_spec::table::{ActionCall, Row};
use turnstile_spec::{Source, WrittenTable};

const LOCK: &str = "
language: 1
machine: lock
states:
  not exist:  {}
  ACTIVE:     {}
  WAITLOCK:   {}
  DELETED:    {}
sets:
  ACCEPTED: [ACTIVE, WAITLOCK]
events:
  requested: { kind: command }
  granted:   { kind: message }
  refused:   { kind: message }
  released:  { kind: command }
  removed:   { kind: command }
actions:
  ask the server:  {}
  tell the server: {}
  tell the client: {}
guards:
  server has it: {}
  someone waits: {}
transitions:
  - { from: not exist, to: ACTIVE, event: requested, if: server has it, do: [tell the client] }
  - from: not exist
    to: WAITLOCK
    event: requested
    if: { not: server has it }
    do: [ask the server]
  - from: ACCEPTED
    to: DELETED
    event: [refused, released]
    do:
      - tell the client
      - if: server has it
        do: [tell the server, { if: someone waits, do: [ask the server] }]
  - { from: WAITLOCK, to: ACTIVE,    event: granted, do: [tell the client] }
  - { from: DELETED,  to: not exist, event: removed }
  - { from: any,      to: same,      event: requested }
ignore:
  - state: any
    event: [granted, refused, released, removed]
    because: it is too late or too early
";

fn literal() -> WrittenTable {
    let literal = match WrittenTable::read(Source::new("lock.yaml", LOCK)) {
        Ok(literal) => literal,
        Err(faults) => panic!("{faults}"),
    };
    assert_eq!(
        literal.findings,
        [],
        "{}",
        turnstile_report::frames(&literal.findings, &literal.source)
    );
    literal
}

/// The rows out of a state for an event, each as its destination and its actions.
fn rows<'l>(literal: &'l WrittenTable, state: &str, event: &str) -> Vec<(&'l Row, String)> {
    let names = &literal.vocabulary;
    let is_meant = |row: &&Row| {
        names.states[row.from.index()].name == state
            && names.events[row.event.index()].name.name == event
    };
    let words = |row: &Row| {
        let actions = row
            .actions
            .iter()
            .map(|ActionCall { action, .. }| names.actions[action.index()].name.as_str());
        let actions: Vec<&str> = actions.collect();
        format!("{}: {}", names.states[row.to.index()].name, actions.join(", "))
    };
    literal.table.rows.iter().filter(is_meant).map(|row| (row, words(row))).collect()
}

#[test]
fn a_machine_with_a_life_begins_before_it() {
    let lock = literal();
    let initial: Vec<bool> =
        lock.table.states.iter().map(|state| state.as_ref().is_some_and(|s| s.initial)).collect();
    assert_eq!(initial, [true, false, false, false]);
}

#[test]
fn any_is_every_state_that_exists() {
    let lock = literal();
    for state in ["ACTIVE", "WAITLOCK", "DELETED"] {
        let words: Vec<String> =
            rows(&lock, state, "requested").into_iter().map(|row| row.1).collect();
        assert_eq!(words, [format!("{state}: ")]);
    }
    assert_eq!(rows(&lock, "not exist", "requested").len(), 2);
}

#[test]
fn sets_and_lists_are_written_out() {
    let lock = literal();
    for (state, event) in [
        ("ACTIVE", "refused"),
        ("ACTIVE", "released"),
        ("WAITLOCK", "refused"),
        ("WAITLOCK", "released"),
    ] {
        assert!(!rows(&lock, state, event).is_empty(), "{state}, {event}");
    }
    assert!(rows(&lock, "DELETED", "released").is_empty());
}

/// Whatever the guards answer, just one row is taken, and it does what the sentence says.
#[test]
fn conditions_inside_do_are_asked_before_the_row() {
    let lock = literal();
    for (has_it, waits, expected) in [
        (false, false, "DELETED: tell the client"),
        (false, true, "DELETED: tell the client"),
        (true, false, "DELETED: tell the client, tell the server"),
        (true, true, "DELETED: tell the client, tell the server, ask the server"),
    ] {
        let mut answer = |guard: turnstile_spec::table::GuardId| [has_it, waits][guard.index()];
        let taken = rows(&lock, "ACTIVE", "released");
        let taken: Vec<String> = taken
            .into_iter()
            .filter(|(row, _)| row.guard.holds(&mut answer))
            .map(|row| row.1)
            .collect();
        assert_eq!(taken, [expected], "{has_it}, {waits}");
    }
}

#[test]
fn a_row_keeps_the_words_of_its_conditions() {
    let lock = literal();
    let row = &lock.vocabulary.rows[2];
    assert_eq!(
        row.actions,
        [
            "tell the client",
            "if server has it: tell the server",
            "if server has it and someone waits: ask the server"
        ]
    );
}
