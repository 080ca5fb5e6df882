//! The tables of the document that the bundled table `claim` transcribes import as that table.
//!
//! Both files are read, and their tables as written are compared in the reader's model: states with
//! what they hold, which are initial, final and undeclared; events with payload, cause and what
//! they consume; resources; rows with their ids (the document's lines), in order, with source,
//! destination, event, values, guard, actions and the resources that each action works on. What a
//! person added to the bundled file is not: amendments, further lines and texts of prose, comments,
//! and the order of declarations.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_import::{Imported, Options, import};
use turnstile_spec::table::{Op, ResourceId, Vocabulary};
use turnstile_spec::{Source, WrittenTable};

/// The document's headings and tables, at their lines.
const DOCUMENT: &str = include_str!("../documents/claim-client.md");

#[derive(Debug, PartialEq, Eq)]
struct Model {
    machine: String,
    /// Name, ident, resources; whether declared, initial, final.
    states: Vec<(String, String, BTreeSet<String>, [bool; 3])>,
    /// Kind, payload, consumed resources.
    events: BTreeMap<String, (String, String, BTreeSet<String>)>,
    resources: BTreeMap<String, String>,
    /// Id, source, destination, event with values, guard, consumed, actions with operations.
    rows: Vec<[String; 7]>,
    /// Source, destination, event and actions in the words of the file.
    words: Vec<(String, String, String, Vec<String>)>,
}

fn model(text: &WrittenTable) -> Model {
    let (table, names) = (&text.table, &text.vocabulary);
    let states = names.states.iter().zip(&table.states).filter_map(|(name, state)| {
        let state = state.as_ref()?;
        let flags = [name.declared, state.initial, state.is_final];
        assert!(state.may_hold.is_empty(), "neither file has such a state");
        Some((name.name.clone(), name.ident.clone(), held(&state.holds, names), flags))
    });
    let events = table.events.iter().map(|id| {
        let event = &names.events[id.index()];
        let domain = |payload: &turnstile_spec::table::Payload| {
            format!("{}: {}", payload.field, payload.domain.words())
        };
        let payload = event.payload.as_ref().map(domain).unwrap_or_default();
        let kind = format!("{:?}", event.kind);
        (event.name.name.clone(), (kind, payload, of_document(&event.consumes, text)))
    });
    let resources = of_states(text).into_iter().map(|id| {
        let resource = &names.resources[id.index()];
        (resource.name.name.clone(), format!("{:?}", resource.kind))
    });
    let rows = table.rows.iter().map(|row| {
        let source = &names.rows[row.id.index()];
        let actions = row.actions.iter().map(|call| {
            let ops: Vec<String> = call.ops.iter().map(|op| operation(op, names)).collect();
            format!("{}: {}", names.actions[call.action.index()].name, ops.join(", "))
        });
        [
            source.id.clone(),
            names.states[row.from.index()].name.clone(),
            names.states[row.to.index()].name.clone(),
            format!("{} {:?}", names.events[row.event.index()].name.name, row.pattern),
            format!("{:?}", row.guard),
            format!("{:?}", held(&row.consumes, names)),
            actions.collect::<Vec<String>>().join("; "),
        ]
    });
    let used = table.rows.iter().map(|row| &names.rows[row.id.index()]);
    let words =
        used.map(|row| (row.from.clone(), row.to.clone(), row.event.clone(), row.actions.clone()));
    Model {
        machine: names.machine.clone(),
        states: states.collect(),
        events: events.collect(),
        resources: resources.collect(),
        rows: rows.collect(),
        words: words.collect(),
    }
}

fn held(ids: &[ResourceId], names: &Vocabulary) -> BTreeSet<String> {
    ids.iter().map(|id| names.resources[id.index()].name.name.clone()).collect()
}

/// The resources that the document's states hold.
fn of_states(text: &WrittenTable) -> BTreeSet<ResourceId> {
    text.table.states.iter().flatten().flat_map(|state| state.holds.iter().copied()).collect()
}

/// Those of a list that the document's states hold: an amendment may have more of a kind.
fn of_document(ids: &[ResourceId], text: &WrittenTable) -> BTreeSet<String> {
    let known = of_states(text);
    let ids: Vec<ResourceId> = ids.iter().copied().filter(|id| known.contains(id)).collect();
    held(&ids, &text.vocabulary)
}

fn operation(op: &Op, names: &Vocabulary) -> String {
    let (verb, id) = match op {
        Op::Create(id) => ("create", id),
        Op::Delete(id) => ("delete", id),
        Op::Restart(id) => ("restart", id),
        Op::Abandon(id) => ("abandon", id),
    };
    format!("{verb} {}", names.resources[id.index()].name.name)
}

fn imported() -> (Imported, WrittenTable) {
    let source = Source::new("claim-client.md", DOCUMENT);
    let imported = import(&source, Options::default()).expect("the tables import");
    let file = Source::new("claim.yaml", imported.text.as_str());
    let table = WrittenTable::read(file).expect("the file is a table");
    (imported, table)
}

fn bundled() -> WrittenTable {
    let bundled = turnstile_bundled::TABLES.iter().find(|table| table.name == "claim");
    let bundled = bundled.expect("claim is bundled");
    WrittenTable::read(Source::new(bundled.file, bundled.text)).expect("it is a table")
}

#[test]
fn the_document_imports_as_the_bundled_table() {
    let (_, table) = imported();
    let (ours, theirs) = (model(&table), model(&bundled()));
    assert_eq!(theirs.rows.len(), 57);
    assert_eq!(ours.machine, theirs.machine);
    assert_eq!(ours.states, theirs.states);
    assert_eq!(ours.events, theirs.events);
    assert_eq!(ours.resources, theirs.resources);
    for (ours, theirs) in ours.rows.iter().zip(&theirs.rows) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours, theirs);
}

#[test]
fn what_is_wrong_with_the_document_is_found_in_both_files() {
    let findings = |table: &WrittenTable| -> BTreeMap<(String, String), usize> {
        let mut counts = BTreeMap::new();
        for finding in &table.findings {
            *counts.entry((finding.code.to_owned(), finding.message.clone())).or_default() += 1;
        }
        counts
    };
    assert_eq!(findings(&imported().1), findings(&bundled()));
}

#[test]
fn each_guess_is_a_note_and_a_comment() {
    let (imported, _) = imported();
    let comments = imported.text.lines().filter(|line| line.trim().starts_with("# guess: "));
    assert_eq!(comments.count(), imported.notes.len());
    assert_eq!(imported.notes.len(), 12);
    let lines: Vec<u32> = imported
        .notes
        .iter()
        .map(|note| Source::new("claim-client.md", DOCUMENT).position(note.span()).0)
        .collect();
    assert!(lines.is_sorted() && lines.iter().all(|line| (36..=92).contains(line)), "{lines:?}");
}
