//! The claim system in all its worlds: every two kinds of fault meet, every premise is reached,
//! every kind of fault happens, and each world has as many states as it had, as written and
//! amended.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use turnstile_checker::report::options::{Options, Reductions, Replacement, Silent};
use turnstile_checker::report::result::{ResultReport, Verdict};
use turnstile_checker::systems;
use turnstile_spec::{Literal, Source, bundled, system::System};

/// The kinds of fault that the system is checked against.
const KINDS: [&str; 12] = [
    "lost request",
    "lost answer",
    "late answer",
    "server error",
    "duplicate",
    "ttl lapse",
    "client crash",
    "server restart",
    "client pause",
    "drift",
    "signal",
    "release",
];

fn system() -> System {
    let text = bundled::system("claim").expect("it is bundled");
    System::read(Source::new(text.file, text.text)).expect("bundled systems can be read")
}

fn literal_tables(machines: &[&str]) -> Vec<Replacement> {
    let tables = machines.iter().map(|name| {
        let table = bundled::table(name).expect("every machine of a system is bundled");
        let source = Source::new(table.file, table.text);
        let literal = Literal::read(source.clone()).expect("bundled tables can be read");
        Replacement { vocabulary: literal.vocabulary, table: literal.table, source }
    });
    tables.collect()
}

/// Each default world searched to its end, without reductions, so that counts can be pinned.
fn results(as_written: bool) -> Vec<ResultReport> {
    let entry = systems::entry("claim").expect("it is known");
    let file = system();
    let tables = if as_written { literal_tables(entry.machines) } else { Vec::new() };
    let options = Options {
        as_written,
        reduce: Reductions::NONE,
        threads: 2,
        tables,
        ..Options::new(&Silent)
    };
    let worlds = file.worlds.iter().filter(|world| world.default);
    let results = worlds.map(|world| (entry.run)(&file, world, &options).expect("names are known"));
    results.collect()
}

/// A line a world: its unique states and what does not hold in it.
fn summary(results: &[ResultReport]) -> String {
    let mut text = String::new();
    for result in results {
        assert!(result.complete, "{}: {:?}", result.title(), result.notes.cut);
        write!(text, "{} {}", result.title(), result.states).expect("a string takes it");
        let failing = result.properties.iter().filter(|one| one.verdict != Verdict::Holds);
        for property in failing {
            let (name, verdict) = (&property.name, property.verdict.name());
            write!(text, "; {name} {verdict}").expect("a string takes it");
        }
        text.push('\n');
    }
    text
}

#[track_caller]
fn check(as_written: bool, pinned: &str) {
    let found = summary(&results(as_written));
    assert_eq!(found, pinned, "found:\n{found}");
}

#[test]
fn every_two_kinds_of_fault_meet_in_a_world() {
    let file = system();
    let mut apart = Vec::new();
    for (nth, one) in KINDS.iter().enumerate() {
        for other in &KINDS[nth + 1..] {
            let meet = file.worlds.iter().filter(|world| world.default).any(|world| {
                let has = |kind: &str| {
                    world.budgets.iter().any(|(name, most)| name == kind && *most != Some(0))
                };
                has(one) && has(other)
            });
            if !meet {
                apart.push((one, other));
            }
        }
    }
    assert!(apart.is_empty(), "these never meet: {apart:?}");
}

#[test]
fn amended_every_world_holds_with_every_fault_and_every_premise() {
    let results = results(false);
    let file = system();
    for (result, world) in results.iter().zip(file.worlds.iter().filter(|world| world.default)) {
        for property in &result.properties {
            let title = format!("{}: {}", result.title(), property.name);
            assert_eq!(property.verdict, Verdict::Holds, "{title}");
            let happened: BTreeSet<&str> =
                property.faults_exercised.iter().map(String::as_str).collect();
            let budgets: BTreeSet<&str> =
                world.budgets.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(happened, budgets, "{title}");
        }
        assert!(result.coverage.impossible_reached.is_empty(), "{}", result.title());
    }
    let found = summary(&results);
    assert_eq!(found, include_str!("claim/amended.txt"), "found:\n{found}");
}

#[test]
fn as_written_every_world_fails_as_it_did() {
    check(true, include_str!("claim/as-written.txt"));
}
