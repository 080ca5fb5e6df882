//! Every amendment is load-bearing: left out, with those that build on it, each thing that is
//! said to show it does fail.

use std::collections::BTreeSet;

use turnstile_checker::report::options::{Limits, Options, Replacement, Silent};
use turnstile_checker::report::result::{PropertyReport, Verdict};
use turnstile_checker::{systems, table};
use turnstile_spec::literal::{Amendment, Partial};
use turnstile_spec::{Literal, Source, bundled, system::System};

/// How far a world is followed without an amendment: that may lead to ever more messages, and
/// another world may show the same sooner.
const WITHOUT_MAX: u64 = 400_000;

fn options<'a>(tables: Vec<Replacement>) -> Options<'a> {
    let limits = Limits { max_states: Some(WITHOUT_MAX), ..Limits::default() };
    Options { threads: 2, tables, limits, ..Options::new(&Silent) }
}

/// The amendment and those that need it, directly or through others.
fn left_out<'a>(id: &'a str, all: &'a [Amendment]) -> Vec<&'a str> {
    let mut ids = vec![id];
    let mut nth = 0;
    while nth < ids.len() {
        let needs = |other: &&Amendment| other.needs.iter().any(|need| need == ids[nth]);
        let more: Vec<&str> = all.iter().filter(needs).map(|other| other.id.as_str()).collect();
        ids.extend(more);
        nth += 1;
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
    }
    ids
}

fn fails(property: &PropertyReport, name: &str) -> bool {
    property.name == name && property.verdict == Verdict::Fails
}

/// Whether some default world of a system that has the property shows it to fail.
fn some_world_fails(system: &str, property: &str, replaced: &Replacement) -> bool {
    let text = bundled::system(system).expect("shown-by names a bundled system");
    let file = System::read(Source::new(text.file, text.text)).expect("it can be read");
    let entry = systems::entry(system).expect("it is known");
    let options = options(vec![replaced.clone()]);
    file.worlds.iter().filter(|world| world.default).any(|world| {
        let result = (entry.run)(&file, world, &options).expect("the core knows these names");
        result.properties.iter().any(|one| fails(one, property))
    })
}

fn is_shown(literal: &Literal, partial: &Partial, by: &str) -> bool {
    let Partial { table, findings } = partial;
    if let Some((system, property)) = by.split_once('/') {
        let source = literal.source.clone();
        let vocabulary = literal.vocabulary.clone();
        let replaced = Replacement { vocabulary, table: table.clone(), source };
        return some_world_fails(system, property, &replaced);
    }
    let result = table::check(&literal.vocabulary, table, &options(Vec::new()));
    findings.iter().any(|finding| finding.code == by)
        || result.properties.iter().any(|one| fails(one, by))
}

#[test]
fn what_shows_an_amendment_fails_without_it() {
    let mut idle = Vec::new();
    for bundled in bundled::TABLES {
        let source = Source::new(bundled.file, bundled.text);
        let literal = Literal::read(source).expect("bundled tables can be read");
        for amendment in &literal.amendments {
            let out = left_out(&amendment.id, &literal.amendments);
            let partial = literal.without(&out);
            assert!(!amendment.shown_by.is_empty(), "{}: nothing shows it", amendment.id);
            for by in &amendment.shown_by {
                if !is_shown(&literal, &partial, by) {
                    idle.push(format!("{}: {by} does not fail without {out:?}", amendment.id));
                }
            }
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}
