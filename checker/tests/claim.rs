//! The claim system in all its worlds: every two kinds of fault meet, every premise is reached,
//! and every kind of fault happens.

use std::collections::BTreeSet;

use turnstile_checker::report::options::{Options, Silent};
use turnstile_checker::report::result::{ResultReport, Verdict};
use turnstile_checker::systems;
use turnstile_spec::{Source, bundled, system::System};

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

/// Each default world, searched to its end.
fn results() -> Vec<ResultReport> {
    let entry = systems::entry("claim").expect("it is known");
    let file = system();
    let options = Options { threads: 2, ..Options::new(&Silent) };
    let worlds = file.worlds.iter().filter(|world| world.default);
    let results = worlds.map(|world| (entry.run)(&file, world, &options).expect("names are known"));
    results.collect()
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
    let results = results();
    let file = system();
    for (result, world) in results.iter().zip(file.worlds.iter().filter(|world| world.default)) {
        assert!(result.complete, "{}: {:?}", result.title(), result.notes.cut);
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
}
