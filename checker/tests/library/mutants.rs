//! Mutants of a bundled table, with a bound: each is killed, survives or is left open, the same on
//! any number of threads, and obvious errors are killed.

use std::path::Path;
use std::sync::Arc;

use turnstile_checker::SYSTEMS;
use turnstile_harness::mutate::change::Mutant;
use turnstile_harness::mutate::{
    Baselines, MutationReport, Only, Survivor, mutants, mutate, mutate_from_nothing,
};
use turnstile_harness::options::Options;
use turnstile_harness::{SourceFile, Systems, composed};
use turnstile_search::bounds::{Limits, NoProgress};
use turnstile_spec::{Source, System, WrittenTable};

/// Enough states to kill obvious errors, and fast.
const STATES: u64 = 100;

fn table(name: &str) -> WrittenTable {
    let text = turnstile_bundled::table(name).expect("it is bundled");
    WrittenTable::read(Source::new(text.file, text.text)).expect("bundled tables can be read")
}

fn run(literal: &WrittenTable, threads: usize) -> MutationReport {
    // One runs the table, the other does not.
    let systems = ["replicated-lock", "group-lock"].map(|name| with_worlds(name, &["small"]));
    let sound = literal.amended().expect("bundled tables are sound");
    let limits = Limits { max_states: Some(STATES), ..Limits::default() };
    let options = Options { threads, limits, ..Options::new(&NoProgress) };
    mutate((literal, &sound), &Only::default(), &Baselines::new(&SYSTEMS, &systems), &options)
}

#[test]
fn a_mutant_is_killed_or_lives_or_is_left_open() {
    let literal = table("lock-member");
    let mutated = run(&literal, 2);
    assert_eq!(mutated.fails, Vec::<String>::new());
    assert_eq!(mutated.faults, []);
    assert_eq!(mutated.systems, ["replicated-lock"]);
    let not_killed = mutated.survivors.len() + mutated.incomplete.len();
    assert_eq!(mutated.killed + not_killed, mutated.mutants);
    assert!(mutated.killed < mutated.killed_by.system + mutated.killed_by.lint, "both kill some");
    assert!(mutated.killed_by.system > 0, "something is killed");
    assert!(!mutated.incomplete.is_empty(), "no world has so few states");
    let again = run(&literal, 1);
    assert_eq!(again.killed_by, mutated.killed_by);
    assert_eq!(again.survivors, mutated.survivors);
    assert_eq!(again.incomplete, mutated.incomplete);
}

/// A system with some of its worlds, and no other.
fn with_worlds(system: &str, worlds: &[&str]) -> System {
    let text = turnstile_bundled::system(system).expect("it is bundled");
    let mut file = System::read(Source::new(text.file, text.text)).expect("it can be read");
    file.worlds.retain(|world| worlds.contains(&world.name.as_str()));
    assert_eq!(file.worlds.len(), worlds.len(), "{system} has these worlds");
    file
}

/// A search from nothing does not know whether a world differs.
fn names(survivors: &[Survivor]) -> Vec<(&str, &str)> {
    survivors.iter().map(|one| (one.row.as_str(), one.change.as_str())).collect()
}

/// Judges the mutants of a table by recordings and from nothing.
#[track_caller]
fn compare(
    literal: &WrittenTable,
    max_states: Option<u64>,
    systems: (&Systems, &[System]),
) -> MutationReport {
    compare_only(&Only::default(), literal, max_states, systems)
}

/// The same, of some mutants.
#[track_caller]
fn compare_only(
    only: &Only,
    literal: &WrittenTable,
    max_states: Option<u64>,
    systems: (&Systems, &[System]),
) -> MutationReport {
    let sound = literal.amended().expect("it is sound");
    let limits = Limits { max_states, ..Limits::default() };
    let options = Options { threads: 2, limits, ..Options::new(&NoProgress) };
    let (known, files) = systems;
    let baselines = Baselines::new(known, files);
    let by_recordings = mutate((literal, &sound), only, &baselines, &options);
    let searched = mutate_from_nothing((literal, &sound), only, &baselines, &options);
    assert_eq!(by_recordings.fails, Vec::<String>::new());
    assert_eq!(by_recordings.killed_by, searched.killed_by);
    assert_eq!(names(&by_recordings.survivors), names(&searched.survivors));
    assert_eq!(names(&by_recordings.incomplete), names(&searched.incomplete));
    by_recordings
}

#[test]
fn mutants_of_a_bundled_system_are_judged_as_from_nothing() {
    // The last world is beyond the limit: it leaves mutants open, and with them the rows that the
    // others do not take.
    let file = with_worlds("group-lock", &["small", "coordinator-crash", "partition"]);
    let report = compare(&table("group-lock-client"), Some(4_000), (&SYSTEMS, &[file]));
    assert!(report.killed_by.system > 20 && report.incomplete.len() > 5, "{report:?}");
}

#[test]
fn mutants_of_guards_that_are_formulas_are_judged_as_from_nothing() {
    let file = with_worlds("byte-range-lock", &["reinstated", "two-locks"]);
    let table = table("byte-range-lock");
    let (mut killed, mut incomplete) = (0, 0);
    // The formulas themselves, and rows that have such guards.
    for words in ["guard ", "reassert"] {
        let only = Only(Some(words.into()));
        let report =
            compare_only(&only, &table, Some(1_200), (&SYSTEMS, std::slice::from_ref(&file)));
        killed += report.killed_by.system;
        incomplete += report.incomplete.len();
    }
    assert!(killed > 20 && incomplete > 2, "{killed} are killed, {incomplete} are left open");
}

#[test]
fn mutants_of_a_table_that_replicas_run_are_judged_as_from_nothing() {
    let file = with_worlds("replicated-lock", &["direct-call+two-locks", "direct-call"]);
    let report = compare(&table("lock-status"), Some(1_200), (&SYSTEMS, &[file]));
    assert!(report.killed_by.system > 20, "{report:?}");
}

/// A system of tables, its file, and one of its tables.
fn system_of_tables((root, name, table): (&str, &str, &str)) -> (Systems, System, WrittenTable) {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let source = Source::new(path.to_str().expect("it is text"), text);
        Ok(Arc::new(SourceFile::new("", source)))
    };
    let path = format!("{root}{name}/{name}.yaml");
    let file = read(Path::new(&path)).expect("it is a file");
    let entry = composed::entry(&file, read).expect("it is a system");
    let path = format!("{root}{name}/{table}.yaml");
    let table = read(Path::new(&path)).expect("it is a file");
    let system = System::clone(file.system().expect("it is a system"));
    (Systems::new([entry]), system, table.written().expect("it can be read").clone())
}

/// The folder of tables that only tests have.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables/");

#[test]
fn mutants_of_systems_of_tables_are_judged_as_from_nothing() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/examples/");
    // Rows without an event, and several initial states.
    for one in [
        (examples, "lift", "door"),
        (examples, "two-phase-commit", "participant"),
        (TABLES, "post", "clerk"),
    ] {
        let (systems, file, literal) = system_of_tables(one);
        let report = compare(&literal, None, (&systems, &[file]));
        assert!(report.killed_by.system > 5, "{report:?}");
    }
}

#[test]
fn mutants_that_differ_only_in_new_states_are_judged_apart() {
    let (systems, file, literal) = system_of_tables((TABLES, "knob", "counter"));
    // Lint refuses both, so that they are no survivors: what the system says of each is counted.
    let judged = |words: &str| {
        let only = Only(Some(words.to_owned()));
        let report = compare_only(&only, &literal, None, (&systems, std::slice::from_ref(&file)));
        (report.mutants, report.killed_by.system)
    };
    assert_eq!(judged("if low or not one"), (1, 1), "it counts to 3");
    let (mutants, killed) = judged("if low");
    assert_eq!(mutants - killed, 1, "the other counts to 2");
}

#[test]
fn mutants_have_unique_names() {
    for bundled in turnstile_bundled::TABLES {
        let literal =
            WrittenTable::read(Source::new(bundled.file, bundled.text)).expect("it is read");
        let sound = literal.amended().expect("it is sound");
        let all = mutants(&sound.vocabulary, &sound.table);
        assert!(all.len() > 20, "{}", bundled.name);
        for (at, one) in all.iter().enumerate() {
            let is_twin = |other: &Mutant| (&other.row, &other.change) == (&one.row, &one.change);
            assert!(!all[..at].iter().any(is_twin), "{}: {}", one.row, one.change);
            assert_ne!(one.edit.table(&sound.table), sound.table, "{}, {}", one.row, one.change);
        }
    }
}
