//! Amendments: the order in which they apply, the amended table, and their descriptions.

use turnstile_spec::table::{CellContent, Vocabulary};
use turnstile_spec::table::{EventId, StateId, Table};
use turnstile_spec::versions::Change;
use turnstile_spec::{Source, WrittenTable};

const GATE: &str = "
language: 1
machine: gate
states:
  shut: { initial: true }
  open: { holds: [arm timer] }
events:
  coin: { kind: command, payload: { cents: 1..200 } }
  push: { kind: command }
  arm timer triggers: { consumes: arm timer }
actions:
  start: { creates: arm timer }
resources:
  arm timer: timer
transitions:
  - { from: shut, to: open, event: coin (1xx), do: [start], cite: 1 }
  - { from: open, to: shut, event: push, cite: 2 }
  - { from: open, to: shut, event: arm timer triggers, cite: 2 }
ignore:
  - { state: open, event: coin, because: the coin is lost }
  - { state: shut, event: push, because: the arm does not give }
impossible:
  - { state: shut, event: arm timer triggers, because: nothing starts it here }
amendments:
  - id: gate-01
    row: { cite: 2, event: push }
    set: { do: [stop] }
    add: { actions: { stop: { deletes: arm timer } } }
    because: a person who has passed leaves the timer running
    shown-by: [T040]
  - id: gate-02
    add:
      actions: { give back: {} }
      transitions:
        - { from: shut, to: same, event: coin (any except 1xx), do: [give back] }
    because: coins that do not fit are given back
    shown-by: [T022]
  - id: gate-03
    remove: { ignore: [{ state: open, event: coin }] }
    add: { transitions: [{ from: open, to: same, event: coin, do: [give back] }] }
    because: no coin is lost
    needs: [gate-02]
    shown-by: [no unhandled event]
";

fn literal(text: &str) -> WrittenTable {
    match WrittenTable::read(Source::new("gate.yaml", text)) {
        Ok(literal) => literal,
        Err(faults) => panic!("{faults}"),
    }
}

/// The ids of the rows that take a payload; `ignored`, `impossible` or `missing` where none does.
fn taken(names: &Vocabulary, table: &Table, state: &str, event: &str, number: u16) -> Vec<String> {
    let at = |found: Option<usize>| u16::try_from(found.expect("a name")).expect("few names");
    let state = StateId(at(names.states.iter().position(|name| name.name == state)));
    let event = EventId(at(names.events.iter().position(|e| e.name.name == event)));
    match table.at(state, event, number) {
        CellContent::Rows(rows) => {
            rows.iter().map(|row| names.rows[row.id.index()].id.clone()).collect()
        }
        CellContent::Ignored(_) => vec!["ignored".to_owned()],
        CellContent::Impossible(_) => vec!["impossible".to_owned()],
        CellContent::Missing => vec!["missing".to_owned()],
    }
}

fn codes(faults: &[turnstile_spec::Diagnostic]) -> Vec<&str> {
    faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn the_literal_table_knows_no_amendment() {
    let gate = literal(GATE);
    assert_eq!(codes(&gate.findings), ["T022", "T040"]);
    let of = |state, event, number| taken(&gate.vocabulary, &gate.table, state, event, number);
    assert_eq!(of("shut", "coin", 100), ["1"]);
    assert_eq!(of("shut", "coin", 200), ["missing"]);
    assert_eq!(of("open", "coin", 5), ["ignored"]);
    assert_eq!(of("open", "push", 0), ["2a"]);
    assert_eq!(of("shut", "arm timer triggers", 0), ["impossible"]);
}

#[test]
fn every_amendment_is_put_to_the_literal_table() {
    let gate = literal(GATE);
    let sound = gate.amended().unwrap_or_else(|faults| panic!("{faults}"));
    let of = |state, event, number| taken(&sound.vocabulary, &sound.table, state, event, number);
    assert_eq!(of("shut", "coin", 100), ["1"]);
    assert_eq!(of("shut", "coin", 200), ["gate-02.1"]);
    assert_eq!(of("open", "coin", 5), ["gate-03.1"]);
    assert_eq!(of("open", "push", 0), ["2a/gate-01"]);
    let changed = sound.vocabulary.rows.iter().find(|row| row.id == "2a/gate-01").expect("a row");
    assert_eq!(
        (changed.actions.as_slice(), changed.amended_by.as_deref()),
        (&["stop".to_owned()][..], Some("gate-01"))
    );
}

#[test]
fn an_amendment_can_be_left_out() {
    let gate = literal(GATE);
    assert_eq!(codes(&gate.without(&["gate-01"]).findings), ["T040"]);
    assert_eq!(codes(&gate.without(&["gate-02", "gate-03"]).findings), ["T022"]);
    let partial = gate.without(&["gate-03"]);
    assert_eq!(partial.findings, []);
    assert_eq!(taken(&gate.vocabulary, &partial.table, "open", "coin", 5), ["ignored"]);
}

#[test]
fn an_amendment_says_what_it_does() {
    let gate = literal(GATE);
    let id = |row: turnstile_spec::table::RowId| gate.vocabulary.rows[row.index()].id.as_str();
    let words = |nth: usize| -> Vec<String> {
        let changes = gate.amendments[nth].changes.iter();
        changes
            .map(|change| match change {
                Change::Row { before, after } => format!("{} becomes {}", id(*before), id(*after)),
                Change::RowAdded(row) => format!("adds {}", id(*row)),
                Change::RowRemoved(row) => format!("removes {}", id(*row)),
                Change::Entry { how, section, name, .. } => format!("{how} {section}: {name}"),
            })
            .collect()
    };
    assert_eq!(words(0), ["2a becomes 2a/gate-01", "added actions: stop"]);
    assert_eq!(words(1), ["adds gate-02.1", "added actions: give back"]);
    assert_eq!(words(2), ["adds gate-03.1", "removed ignore: open: coin"]);
    assert_eq!(gate.amendments[2].needs, ["gate-02"]);
}

#[test]
fn declarations_are_changed_key_by_key() {
    let text = GATE.to_owned()
        + "  - id: gate-04
    change: { states: { shut: { holds: [arm timer] } }, actions: { start: { creates: [] } } }
    remove: { rows: [{ cite: 2, event: arm timer triggers }] }
    add: { ignore: [{ state: open, event: arm timer triggers, because: it runs on }] }
    because: the timer never ends
    shown-by: [no deadlock]
";
    let gate = literal(&text);
    let table = gate.without(&[]).table;
    let shut = table.states[0].as_ref().expect("a state");
    assert_eq!((shut.holds.len(), shut.initial), (1, true));
    assert_eq!(taken(&gate.vocabulary, &table, "open", "arm timer triggers", 0), ["ignored"]);
    let row = table.rows.iter().find(|row| gate.vocabulary.rows[row.id.index()].id == "1");
    let turnstile_spec::table::ActionCall { ops, .. } = &row.expect("a row").actions[0];
    assert_eq!(ops.as_slice(), []);
}

/// A predicate that the document's formulas do not ask is no relic where an amendment's do.
#[test]
fn what_only_an_amendment_uses_is_used() {
    let predicates = "predicates:\n  is paid: { of: [gate], about: somebody paid }\ntransitions:";
    let rule =
        "      invariants: { open is paid: { is: { every: gate in open, is: is paid(gate) } } }\n";
    let text = GATE.replacen("transitions:", predicates, 1);
    assert_eq!(codes(&literal(&text).findings), ["T022", "T040", "T050"]);
    let text = text.replace(
        "      actions: { give back: {} }\n",
        &format!("      actions: {{ give back: {{}} }}\n{rule}"),
    );
    assert_eq!(codes(&literal(&text).findings), ["T022", "T040"]);
    assert!(literal(&text).amended().is_ok());
}

/// What builds on others changes the rows, cells and declarations that they add or change.
const MORE: &str = "  - id: gate-04
    needs: [gate-01, gate-03]
    change:
      rows:
        - { row: { cite: 2, event: push }, set: { do: [stop, bow] } }
        - { row: { from: shut, event: coin (any except 1xx) }, set: { do: [give back, bow] } }
        - { row: { from: open, event: coin }, set: { do: [give back, bow] } }
    add: { actions: { bow: {} } }
    because: a gate is polite
    shown-by: [no deadlock]
";

/// The codes of the findings on an amended table.
fn wrong(text: &str) -> Vec<&'static str> {
    literal(text).without(&[]).findings.iter().map(|fault| fault.code).collect()
}

#[test]
fn an_amendment_builds_on_those_that_it_needs() {
    let gate = literal(&(GATE.to_owned() + MORE));
    assert_eq!(wrong(&(GATE.to_owned() + MORE)), [""; 0]);
    let table = gate.without(&[]).table;
    let row = |state, event, cents| taken(&gate.vocabulary, &table, state, event, cents);
    assert_eq!(row("open", "push", 0), ["2a/gate-04"]);
    assert_eq!(row("shut", "coin", 5), ["gate-02.1/gate-04"]);
    assert_eq!(row("open", "coin", 5), ["gate-03.1/gate-04"]);
    let without = gate.without(&["gate-04"]);
    assert_eq!(codes(&without.findings), [""; 0]);
    assert_eq!(taken(&gate.vocabulary, &without.table, "open", "push", 0), ["2a/gate-01"]);
    let rows: Vec<&str> = gate.vocabulary.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(rows[rows.len() - 3..], ["2a/gate-04", "gate-02.1/gate-04", "gate-03.1/gate-04"]);
}

#[test]
fn who_does_not_need_it_does_not_see_it() {
    let unneeded = MORE.replace("needs: [gate-01, gate-03]", "needs: [gate-01]");
    // The coins' rows are those of gate-02 and gate-03.
    let found = wrong(&(GATE.to_owned() + &unneeded));
    assert_eq!(found, ["T060", "T060"]);
    let unneeded = MORE.replace("needs: [gate-01, gate-03]", "needs: [gate-03]");
    let found = wrong(&(GATE.to_owned() + &unneeded));
    assert_eq!(found, ["T062"]);
    // Two that build on the same one, and not on each other.
    let twice = MORE.to_owned() + &MORE.replace("gate-04", "gate-05").replace("bow", "nod");
    let found = wrong(&(GATE.to_owned() + &twice));
    assert_eq!(found, ["T062"; 3]);
    let chain = twice.replacen("[gate-01, gate-03]", "[gate-03, gate-01]", 1);
    let chain = chain.replace("needs: [gate-01, gate-03]", "needs: [gate-04]");
    let gate = literal(&(GATE.to_owned() + &chain));
    let table = gate.without(&[]).table;
    assert_eq!(taken(&gate.vocabulary, &table, "open", "push", 0), ["2a/gate-05"]);
}

/// What stands behind the one that needs it is no ground to build on.
#[test]
fn needs_look_back() {
    let (first, rest) = GATE.split_at(GATE.find("  - id: gate-01").expect("the first"));
    let text = first.to_owned() + MORE + rest;
    let found = wrong(&text);
    assert_eq!(found, ["T060", "T060", "T062"]);
}

#[test]
fn cells_and_names_of_a_need_can_be_changed() {
    let text = GATE.to_owned()
        + "  - id: gate-04
    needs: [gate-01]
    change: { actions: { stop: { restarts: arm timer } } }
    add: { ignore: [{ state: open, event: arm timer triggers, because: it runs on }] }
    because: the timer never ends
    shown-by: [no deadlock]
  - id: gate-05
    needs: [gate-04]
    remove: { ignore: [{ state: open, event: arm timer triggers }], actions: [stop] }
    because: it ends
    shown-by: [no deadlock]
";
    let found = wrong(&text);
    assert!(!found.iter().any(|code| ["T060", "T062", "T066"].contains(code)), "{found:?}");
    let alone = text.replace("    needs: [gate-04]\n", "");
    let found = wrong(&alone);
    assert_eq!(found, ["T012", "T060", "T060"]);
}
