//! The bundled tables read as their documents have them.

use turnstile_spec::table::CellContent;
use turnstile_spec::{Source, WrittenTable};

fn literal(name: &str) -> WrittenTable {
    let bundled = turnstile_bundled::table(name).expect("the table is bundled");
    match WrittenTable::read(Source::new(bundled.file, bundled.text)) {
        Ok(literal) => literal,
        Err(faults) => panic!("{faults}"),
    }
}

#[test]
fn the_claim_table_has_the_documents_states_and_rows() {
    let claim = literal("claim");
    // What amendments add comes after what the document names.
    let names = &claim.vocabulary.states;
    assert!(names[..17].iter().all(|name| name.declared));
    let undeclared: Vec<&str> =
        names.iter().filter(|name| !name.declared).map(|name| name.name.as_str()).collect();
    assert_eq!(undeclared, ["aborted", "Aborted", "released", "withdrawn"]);
    assert!(names[17..21].iter().all(|name| !name.declared));
    let ids: Vec<&str> = claim.vocabulary.rows.iter().take(57).map(|row| row.id.as_str()).collect();
    let lines: Vec<String> = (36..=92).map(|line: u32| line.to_string()).collect();
    assert_eq!(ids, lines);
    assert_eq!(claim.table.rows.len(), 57);
}

#[test]
fn a_cell_says_what_its_row_says() {
    let claim = literal("claim");
    let id = |name: &str| {
        let at = claim.vocabulary.states.iter().position(|state| state.name == name);
        turnstile_spec::table::StateId(u16::try_from(at.expect("a state")).expect("few states"))
    };
    let at = claim.vocabulary.events.iter().position(|event| event.name.name == "response");
    let response =
        turnstile_spec::table::EventId(u16::try_from(at.expect("an event")).expect("few events"));
    let taken = |number: u16| match claim.table.at(id("Registering"), response, number) {
        CellContent::Rows(rows) => {
            rows.iter().map(|row| claim.vocabulary.rows[row.id.index()].id.as_str()).collect()
        }
        CellContent::Ignored(_) | CellContent::Impossible(_) | CellContent::Missing => Vec::new(),
    };
    assert_eq!(taken(404), ["51"]);
    assert_eq!(taken(403), ["50"]);
    assert_eq!(taken(503), ["51"]);
    assert_eq!(taken(200), Vec::<&str>::new());
}

/// The macro compiles the amended table: it has no findings.
#[test]
fn every_bundled_table_is_sound_once_amended() {
    for table in turnstile_bundled::TABLES {
        if let Err(faults) = literal(table.name).amended() {
            panic!("{}\n{faults}", table.name);
        }
    }
}

/// What the lint finds in the claim document by itself, by code.
#[test]
fn the_claim_document_has_its_faults() {
    let claim = literal("claim");
    let mut count = std::collections::BTreeMap::<&str, usize>::new();
    for finding in &claim.findings {
        *count.entry(finding.code).or_default() += 1;
    }
    let count: Vec<(&str, usize)> = count.into_iter().collect();
    let expected = [
        ("T010", 4),
        ("T021", 1),
        ("T022", 8),
        ("T040", 24),
        ("T041", 6),
        ("T042", 1),
        ("T044", 1),
    ];
    assert_eq!(count, expected);
}
