//! The bundled tables read as their documents have them.

use turnstile_spec::table::Found;
use turnstile_spec::{Literal, Source, bundled};

fn literal(name: &str) -> Literal {
    let bundled = bundled::table(name).expect("the table is bundled");
    match Literal::read(Source::new(bundled.file, bundled.text)) {
        Ok(literal) => literal,
        Err(faults) => panic!("{faults}"),
    }
}

#[test]
fn the_claim_table_has_the_documents_states_and_rows() {
    let claim = literal("claim");
    let declared = claim.vocabulary.states.iter().filter(|name| name.declared).count();
    assert_eq!(declared, 17);
    let undeclared: Vec<&str> =
        claim.vocabulary.states.iter().filter(|n| !n.declared).map(|n| n.name.as_str()).collect();
    assert_eq!(undeclared, ["aborted", "Aborted", "released", "withdrawn"]);
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
        Found::Rows(rows) => {
            rows.iter().map(|row| claim.vocabulary.rows[row.id.index()].id.as_str()).collect()
        }
        Found::Ignored(_) | Found::Impossible(_) | Found::Missing => Vec::new(),
    };
    assert_eq!(taken(404), ["51"]);
    assert_eq!(taken(403), ["50"]);
    assert_eq!(taken(503), ["51"]);
    assert_eq!(taken(200), Vec::<&str>::new());
}
