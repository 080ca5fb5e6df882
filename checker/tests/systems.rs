//! Every system in all its default worlds: every antecedent is reached, every budget is spent, and
//! the state counts are the pinned ones, as written and amended. In the claim system every two
//! kinds of fault occur in one world.
//!
//! The counts are in `counts`; `BLESS=1` regenerates them. A search stops at [`STATES`] states,
//! unless `TURNSTILE_STATES` says otherwise: what it has found until then is among what is pinned.
//! `.ci/run` checks every world of the amended tables to its end, with all reductions and an
//! optimised program; `.ci/soak` compares all counts.

use std::collections::BTreeSet;
use std::path::Path;

use turnstile_checker::SYSTEMS;
use turnstile_harness::options::Options;
use turnstile_harness::results::result::ResultReport;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::judgement::Verdict;
use turnstile_spec::system::System;

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

/// The states at which a search stops, if its world has as many.
const STATES: u64 = 5_000;

fn system(name: &str) -> &'static System {
    let entry = SYSTEMS.entry(name).expect("it is known");
    entry.file.system().expect("bundled systems can be read")
}

/// The results of each default world, searched with no reduction but symmetry, so that counts can
/// be pinned.
fn results(file: &System, as_written: bool) -> Vec<ResultReport> {
    let entry = SYSTEMS.entry(&file.name).expect("it is known");
    let tables = if as_written { turnstile_models::tables(entry) } else { Vec::new() };
    let options = Options {
        as_written,
        limits: Limits { max_states: states(as_written), ..Limits::default() },
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

/// A world, its unique states and the properties that do not hold. A search may be cut, and as
/// written a world may be infinite or exceed a link's capacity: then there is no count to pin.
fn line(result: &ResultReport) -> String {
    let count = match result.complete {
        true => result.states.to_string(),
        false => "incomplete".to_owned(),
    };
    let left_open = [Verdict::Holds, Verdict::Incomplete];
    let failing = result.properties.iter().filter(|one| !left_open.contains(&one.verdict));
    let failing = failing.map(|one| format!("; {} {}", one.name, one.verdict.name()));
    format!("{} {count}{}", result.title(), failing.collect::<String>())
}

/// Whether a search that was cut at a number of states has found what is pinned of its world, as
/// far as it came.
fn is_beginning(found: &str, pinned: &str, states: u64) -> bool {
    let (mut found, mut pinned) = (found.split("; "), pinned.split("; "));
    let heads =
        [found.next(), pinned.next()].map(|head| head.and_then(|head| head.split_once(' ')));
    let [Some((world, _)), Some((pinned_world, count))] = heads else { return false };
    let is_larger = count.parse().map_or(count == "incomplete", |count: u64| count > states);
    let pinned: Vec<&str> = pinned.collect();
    world == pinned_world && is_larger && found.all(|failing| pinned.contains(&failing))
}

/// Compares with the pinned lines, or pins these.
#[track_caller]
fn pinned(name: &str, as_written: bool, results: &[ResultReport]) {
    let name = format!("{name}-{}.txt", if as_written { "as-written" } else { "amended" });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts").join(&name);
    let found: Vec<String> = results.iter().map(line).collect();
    if std::env::var_os("BLESS").is_some() {
        let text: String = found.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&file, text).expect("the folder is there");
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let known: Vec<&str> = known.lines().collect();
    let all = found.join("\n");
    assert_eq!(found.len(), known.len(), "counts/{name}; found:\n{all}");
    for ((found, known), result) in found.iter().zip(known).zip(results) {
        let cut_at = states(as_written).filter(|_| !result.complete);
        let is_same =
            found == known || cut_at.is_some_and(|states| is_beginning(found, known, states));
        assert!(is_same, "counts/{name}; pinned:\n{known}\nfound:\n{all}");
    }
}

/// The states at which a search stops, if it does: as written a world may have no end.
fn states(as_written: bool) -> Option<u64> {
    let is_blessed = std::env::var_os("BLESS").is_some();
    let asked = if is_blessed { None } else { turnstile_models::states(STATES) };
    asked.or(as_written.then_some(Limits::AS_WRITTEN))
}

#[test]
fn a_search_that_is_cut_begins_as_pinned() {
    let pinned = "claim/loss 200000; one fails; two fails only unfairly";
    for found in ["claim/loss incomplete", "claim/loss incomplete; one fails"] {
        assert!(is_beginning(found, pinned, STATES), "{found}");
    }
    assert!(is_beginning("claim/loss incomplete", "claim/loss incomplete", STATES));
    assert!(!is_beginning("claim/small incomplete", pinned, STATES));
    assert!(!is_beginning("claim/loss incomplete; two fails", pinned, STATES));
    // It would have been searched to its end.
    assert!(!is_beginning("claim/loss incomplete", "claim/loss 4999", STATES));
}

/// Every property holds, or holds under fairness; no impossible cell is reached. Of a search that
/// was cut, as far as it came.
#[track_caller]
fn amended(name: &str) {
    let file = system(name);
    let results = results(file, false);
    assert!(
        results.iter().any(|result| result.complete),
        "{name}: no world is searched to its end"
    );
    for (result, world) in results.iter().zip(file.worlds.iter().filter(|world| world.default)) {
        for property in &result.properties {
            let title = format!("{}: {}", result.title(), property.name);
            let passes = match property.verdict {
                Verdict::Holds | Verdict::HoldsUnderFairness => true,
                Verdict::Incomplete => !result.complete,
                Verdict::Fails | Verdict::Vacuous => false,
            };
            assert!(passes, "{title}: {}", property.verdict.name());
            let happened: BTreeSet<&str> =
                property.faults_exercised.iter().map(String::as_str).collect();
            let budgets: BTreeSet<&str> =
                world.budgets.iter().map(|budget| budget.name.as_str()).collect();
            assert!(!result.complete || happened == budgets, "{title}: {happened:?}");
        }
        assert!(result.coverage.impossible_reached.is_empty(), "{}", result.title());
        for name in &world.properties {
            let is_asked = result.properties.iter().any(|property| property.name == *name);
            let property = file.properties.iter().find(|property| property.name == *name);
            let is_of_the_other = property.is_some_and(|property| property.only.is_some());
            assert!(is_asked || is_of_the_other, "{}: {name} is not asked", result.title());
        }
    }
    pinned(name, false, &results);
}

#[track_caller]
fn as_written(name: &str) {
    pinned(name, true, &results(system(name), true));
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
