//! Mutants of a bundled table, with a bound: each is killed, survives or is left open, the same on
//! any number of threads, and obvious errors are killed.

use turnstile_checker::SYSTEMS;
use turnstile_harness::mutate::change::Mutant;
use turnstile_harness::mutate::{Baselines, MutationReport, mutants, mutate};
use turnstile_harness::options::Options;
use turnstile_search::bounds::{Limits, NoProgress};
use turnstile_spec::{Source, System, WrittenTable};

/// Enough states to kill obvious errors, and fast.
const STATES: u64 = 100;

fn table(name: &str) -> WrittenTable {
    let text = turnstile_bundled::table(name).expect("it is bundled");
    WrittenTable::read(Source::new(text.file, text.text)).expect("bundled tables can be read")
}

fn run(literal: &WrittenTable, threads: usize) -> MutationReport {
    let systems: Vec<System> = turnstile_bundled::SYSTEMS
        .iter()
        .map(|text| System::read(Source::new(text.file, text.text)).expect("it can be read"))
        .collect();
    let sound = literal.amended().expect("bundled tables are sound");
    let limits = Limits { max_states: Some(STATES), ..Limits::default() };
    let options = Options { threads, limits, ..Options::new(&NoProgress) };
    mutate(literal, &sound, &mut Baselines::new(SYSTEMS, &systems), &options)
}

#[test]
fn a_mutant_is_killed_or_lives_or_is_left_open() {
    let literal = table("lock-member");
    let mutated = run(&literal, 2);
    assert_eq!(mutated.fails, Vec::<String>::new());
    assert_eq!(mutated.faults, []);
    assert_eq!(mutated.systems, ["replicated-lock"]);
    let not_killed = mutated.survivors.len() + mutated.incomplete.len();
    assert_eq!(mutated.killed_by.system + not_killed, mutated.mutants);
    assert!(mutated.killed_by.system > 0, "something is killed");
    assert!(!mutated.incomplete.is_empty(), "no world has so few states");
    let again = run(&literal, 1);
    assert_eq!(again.killed_by, mutated.killed_by);
    assert_eq!(again.survivors, mutated.survivors);
    assert_eq!(again.incomplete, mutated.incomplete);
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
