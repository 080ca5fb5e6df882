//! The file of `--cells`: its lines are entries of the table, and what is wrong with one is told at
//! its place.

use std::fs;
use std::path::Path;

use turnstile_import::{Options, import};
use turnstile_spec::Source;

/// A document, a file of cells, and the lines of the table from `ignore` on, or the faults.
#[track_caller]
fn check_cells(document: &str, cells: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents").join(document);
    let source = Source::new(document, fs::read_to_string(path).expect("readable"));
    let cells = Source::new("cells.md", cells);
    let options = Options { cells: Some(&cells), ..Options::default() };
    let text = match import(&source, options) {
        Ok(imported) => {
            let keys = ["\nignore:", "\nimpossible:"].iter();
            let place = keys.filter_map(|key| imported.text.find(key)).min();
            imported.text[place.expect("a cell")..].to_owned()
        }
        Err(faults) => turnstile_report::text(&faults),
    };
    assert_eq!(text.trim(), expected.trim());
}

#[test]
fn cells_are_entries_with_their_reasons() {
    check_cells(
        "session.adoc",
        "
| State | Event | Because |
| --- | --- | --- |
| Idle, Open | open timer expires | it does not run |
| any | DATA received, idle timer expires | \"it\" is shut |
| any | user opens, user closes | the user waits |
| Opening | OPEN-ACK received | it is too late |
",
        r#"
ignore:
  - { state: any, event: [user opens, user closes], because: the user waits }

impossible:
  - { state: [Idle, Open], event: open timer expires,                  because: it does not run }
  - { state: any,          event: [DATA received, idle timer expires], because: "\"it\" is shut" }
  - { state: Opening,      event: OPEN-ACK received,                   because: it is too late }
"#,
    );
    check_cells(
        "retry.csv",
        "
| Reason | Kind | Event | State |
| --- | --- | --- | --- |
| late | ignore | reply (busy) | idle |
",
        "
ignore:
  - { state: idle, event: reply (busy), because: late }
",
    );
}

#[test]
fn cells_that_are_none_are_told() {
    check_cells(
        "lamp.txt",
        "
| State | Event | Because |
| --- | --- | --- |
| ligth | off timer elapses | it is dark |
| dark | of timer elapses, dusk | |
| light | button pressed | nobody presses |
",
        "
error[D008]: the document has no state `ligth`
 --> cells.md:4:3
  |
4 | | ligth | off timer elapses | it is dark |
  |   ^^^^^ here
  |
  = help: did you mean `light`?

error[D008]: the document has no event `of timer elapses`
 --> cells.md:5:10
  |
5 | | dark | of timer elapses, dusk | |
  |          ^^^^^^^^^^^^^^^^^^^^^^ here
  |
  = help: did you mean `off timer elapses`?

error[D008]: the document has no event `dusk`
 --> cells.md:5:10
  |
5 | | dark | of timer elapses, dusk | |
  |          ^^^^^^^^^^^^^^^^^^^^^^ here
  |
  = help: name events as the document does, with commas between them

error[D008]: a cell without a reason
 --> cells.md:5:35
  |
5 | | dark | of timer elapses, dusk | |
  |                                   ^ nothing stands here
  |
  = help: say why it cannot happen

error[D008]: `button pressed` in `light` has a row: line 12 of lamp.txt
 --> cells.md:6:3
  |
6 | | light | button pressed | nobody presses |
  |   ^^^^^ this cell
  |
  = help: remove it here, or the row from the document
",
    );
}

#[test]
fn a_file_without_cells_is_told() {
    check_cells(
        "lamp.txt",
        "light: off\n",
        "
error[D008]: no table of cells
 --> cells.md:1:1
  |
1 | light: off
  | ^ no such columns
  |
  = help: name the columns: State, Event, Because
",
    );
}
