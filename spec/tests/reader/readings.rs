//! Readings: what a table is in one, amended and as written, and what is wrong with one.

use turnstile_spec::table::Table;
use turnstile_spec::{Diagnostics, Source, WrittenTable};

const GATE: &str = "
language: 1
machine: gate
states:
  shut: { initial: true }
  open: {}
events:
  coin: { kind: command }
  push: { kind: command }
actions:
  thank: {}
  ring: {}
guards:
  it is paid: the coin fits
transitions:
  - { from: shut, to: open, event: coin, if: it is paid, do: [thank], cite: 1 }
  - { from: open, to: shut, event: push, cite: 2 }
ignore:
  - { state: open, event: coin, because: the coin is lost }
  - { state: shut, event: push, because: the arm does not give }
amendments:
  - id: gate-01
    add:
      transitions:
        - { from: shut, to: same, event: coin, if: { not: it is paid }, do: [ring] }
    because: a coin that does not fit goes unnoticed
    shown-by: [T022]
  - id: gate-02
    row: { from: shut, event: coin, if: { not: it is paid } }
    set: { do: [ring, thank] }
    because: whoever errs is thanked, too
    needs: [gate-01]
    shown-by: [T022]
";

fn gate(readings: &str) -> WrittenTable {
    let text = format!("{GATE}readings:\n{readings}");
    match WrittenTable::read(Source::new("gate.yaml", text)) {
        Ok(written) => written,
        Err(faults) => panic!("{faults}"),
    }
}

/// The rows of a table, by their ids.
fn rows(written: &WrittenTable, table: &Table) -> Vec<String> {
    table.rows.iter().map(|row| written.vocabulary.rows[row.id.index()].id.clone()).collect()
}

/// What is wrong with the only reading of a file, as it is told.
fn wrong(readings: &str) -> String {
    let written = gate(readings);
    let list = match written.in_reading("other").expect("it is there") {
        Err(faults) => faults,
        Ok(read) => Diagnostics { list: read.without(&[]).findings, source: read.source },
    };
    list.to_string()
}

const OTHER: &str = "
  - id: other
    is: a coin opens the gate whether or not it fits
    cite: 1
    differs: [gate/it is shut]
    without: [gate-02]
    needs: [gate-01]
    row: { from: shut, event: coin, if: { not: it is paid } }
    set: { to: open }
";

#[test]
fn a_reading_changes_the_amended_table() {
    let written = gate(OTHER);
    let [reading] = &written.readings[..] else { panic!("{:?}", written.readings) };
    assert_eq!(
        (&*reading.id, &*reading.is),
        ("other", "a coin opens the gate whether or not it fits")
    );
    assert_eq!(
        (&reading.differs[..], &reading.without[..]),
        (&["gate/it is shut".to_owned()][..], &["gate-02".to_owned()][..])
    );
    let before = written.amended().expect("it has no findings");
    assert_eq!(
        rows(&written, &before.table),
        ["1", "2", "gate-01.1/gate-02"],
        "the table itself has no reading"
    );
    let read = written.in_reading("other").expect("it is there").expect("it has no errors");
    let after = read.amended().expect("it fits the table");
    assert_eq!(rows(&read, &after.table), ["1", "2", "gate-01.1/other"]);
    assert!(read.readings.is_empty() && written.in_reading("another").is_none());
}

/// What the document means is no amendment: the table as written has it, too, with what it needs.
#[test]
fn a_reading_changes_the_table_as_written() {
    let written = gate(OTHER);
    let read = written.in_reading("other").expect("it is there").expect("it has no errors");
    assert_eq!(rows(&written, &written.table), ["1", "2"]);
    assert_eq!(rows(&read, &read.table), ["1", "2", "gate-01.1/other"]);
}

#[test]
fn what_is_wrong_with_a_reading_is_told_at_its_place() {
    let of = |keys: &str| format!("  - {{ id: other, is: it differs, differs: [], {keys} }}\n");
    let unknown = wrong(&of("without: [gate-3], remove: { rows: [{ cite: 2 }] }"));
    assert!(unknown.contains("amendment `gate-3` does not exist"), "{unknown}");
    let empty = wrong(&of("cite: 1"));
    assert!(empty.contains("reading `other` changes nothing"), "{empty}");
    let nothing = wrong(&of("row: { cite: 7 }, set: { to: open }"));
    assert!(nothing.contains("the reading matches no row"), "{nothing}");
    let row = "row: { from: shut, event: coin, if: { not: it is paid } }, set: { to: open }";
    let changed = wrong(&of(&format!("needs: [gate-01], {row}")));
    assert!(changed.contains("two amendments change the same row"), "{changed}");
    let twice = of("remove: { rows: [{ cite: 2 }] }").repeat(2);
    let twice = wrong(&twice);
    assert!(twice.contains("duplicate reading id `other`"), "{twice}");
    let undone = wrong(&of("remove: { rows: [{ cite: 2 }] }"));
    assert!(undone.contains("`push`"), "a cell without a row is a finding: {undone}");
}
