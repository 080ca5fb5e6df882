//! Every system in all its default worlds: every antecedent is reached, every budget is spent, and
//! the state counts are the pinned ones, as written and amended. In the claim system every two
//! kinds of fault occur in one world.
//!
//! The counts are in `counts`; `BLESS=1` regenerates them.

mod literal;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::Options;
use turnstile_harness::result::ResultReport;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::judgement::Verdict;
use turnstile_spec::{Source, system::System};

/// The kinds of fault that the claim system is checked against in pairs. A refused request is none
/// of them: its caller knows that it had no effect.
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

fn system(name: &str) -> System {
    let text = turnstile_bundled::system(name).expect("it is bundled");
    System::read(Source::new(text.file, text.text)).expect("bundled systems can be read")
}

/// The results of each default world, searched exhaustively with no reduction but symmetry, so that
/// counts can be pinned.
fn results(file: &System, as_written: bool) -> Vec<ResultReport> {
    let entry = SYSTEMS.entry(&file.name).expect("it is known");
    let tables = if as_written { literal::tables(entry) } else { Vec::new() };
    let limits = Limits::default();
    let options = Options {
        as_written,
        limits: if as_written { limits.as_written() } else { limits },
        reduce: Reductions { symmetry: true, ..Reductions::NONE },
        // The tests run in parallel: a thread for each.
        threads: 1,
        tables,
        ..Options::new(&NoProgress)
    };
    let worlds = file.worlds.iter().filter(|world| world.default);
    let results = worlds.map(|world| entry.run(file, world, &options).expect("names are known"));
    results.collect()
}

/// A line for each world: its unique states and the properties that do not hold. As written, a
/// world may be infinite or exceed a link's capacity: then there is no count to pin.
fn summary(results: &[ResultReport]) -> String {
    let mut text = String::new();
    for result in results {
        write!(text, "{} ", result.title()).expect("a string takes it");
        match (result.complete, result.as_written) {
            (true, _) => write!(text, "{}", result.states).expect("a string takes it"),
            (false, true) => text.push_str("incomplete"),
            (false, false) => panic!("{}: {:?}", result.title(), result.notes.cut),
        }
        let left_open = [Verdict::Holds, Verdict::Incomplete];
        let failing = result.properties.iter().filter(|one| !left_open.contains(&one.verdict));
        for property in failing {
            let (name, verdict) = (&property.name, property.verdict.name());
            write!(text, "; {name} {verdict}").expect("a string takes it");
        }
        text.push('\n');
    }
    text
}

/// Compares with the pinned text, or pins it.
#[track_caller]
fn pinned(name: &str, results: &[ResultReport]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts").join(name);
    let found = summary(results);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &found).expect("the folder is there");
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, known, "counts/{name}; found:\n{found}");
}

/// Every property holds, or holds under fairness; no impossible cell is reached.
#[track_caller]
fn amended(name: &str) {
    let file = system(name);
    let results = results(&file, false);
    for (result, world) in results.iter().zip(file.worlds.iter().filter(|world| world.default)) {
        for property in &result.properties {
            let title = format!("{}: {}", result.title(), property.name);
            let passes = matches!(property.verdict, Verdict::Holds | Verdict::HoldsUnderFairness);
            assert!(passes, "{title}: {}", property.verdict.name());
            let happened: BTreeSet<&str> =
                property.faults_exercised.iter().map(String::as_str).collect();
            let budgets: BTreeSet<&str> =
                world.budgets.iter().map(|budget| budget.name.as_str()).collect();
            assert_eq!(happened, budgets, "{title}");
        }
        assert!(result.coverage.impossible_reached.is_empty(), "{}", result.title());
        for name in &world.properties {
            let is_asked = result.properties.iter().any(|property| property.name == *name);
            let property = file.properties.iter().find(|property| property.name == *name);
            let is_of_the_other = property.is_some_and(|property| property.only.is_some());
            assert!(is_asked || is_of_the_other, "{}: {name} is not asked", result.title());
        }
    }
    pinned(&format!("{name}-amended.txt"), &results);
}

#[track_caller]
fn as_written(name: &str) {
    pinned(&format!("{name}-as-written.txt"), &results(&system(name), true));
}

macro_rules! every {
    ($($module:ident, $name:literal;)*) => {
        #[test]
        fn every_system_is_here() {
            let known: Vec<&str> = SYSTEMS.entries().map(|entry| entry.name.as_str()).collect();
            assert_eq!(known, [$($name),*]);
        }

        $(mod $module {
            #[test]
            fn holds_with_every_fault_and_every_premise_amended() {
                super::amended($name);
            }

            #[test]
            fn fails_as_it_did_as_written() {
                super::as_written($name);
            }
        })*
    };
}

every! {
    byte_range_lock, "byte-range-lock";
    claim, "claim";
    group_lock, "group-lock";
    replicated_lock, "replicated-lock";
    view_handler, "view-handler";
}

#[test]
fn every_two_kinds_of_fault_meet_in_a_world_of_claim() {
    let file = system("claim");
    let mut apart = Vec::new();
    for (nth, one) in KINDS.iter().enumerate() {
        for other in &KINDS[nth + 1..] {
            let meet = file.worlds.iter().filter(|world| world.default).any(|world| {
                let has = |kind: &str| {
                    world.budgets.iter().any(|one| one.name == kind && one.limit != Some(0))
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
