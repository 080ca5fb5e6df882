//! Every amendment is necessary: without it, and without those that depend on it, each check named
//! in its `shown-by` fails. `turnstile amend --verify` requires that of one check only. Likewise
//! the first check that a reading names fails in it. That the others fail, too, and no other
//! verdict differs, takes all worlds: `.ci/readings` runs `turnstile check --reading` for each.

use turnstile_checker::SYSTEMS;
use turnstile_harness::amend::{EvidenceOutcome, Verification, verify, verify_reading};
use turnstile_harness::options::Options;
use turnstile_harness::parallel::parallel_map;
use turnstile_search::bounds::NoProgress;
use turnstile_spec::versions::Reading;
use turnstile_spec::{Source, System, WrittenTable};

/// Readings of documents that change a verdict: no fewer are tried.
const READINGS_MIN: usize = 10;

fn systems() -> Vec<System> {
    let texts = turnstile_bundled::SYSTEMS.iter();
    let read = |source| System::read(source).expect("bundled systems can be read");
    texts.map(|text| read(Source::new(text.file, text.text))).collect()
}

fn tables() -> Vec<WrittenTable> {
    let texts = turnstile_bundled::TABLES.iter();
    let read = |source| WrittenTable::read(source).expect("bundled tables can be read");
    texts.map(|text| read(Source::new(text.file, text.text))).collect()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn every_check_in_shown_by_fails_without_the_amendment() {
    let (systems, tables) = (systems(), tables());
    let all: Vec<_> = tables
        .iter()
        .flat_map(|literal| literal.amendments.iter().map(move |one| (literal, one)))
        .collect();
    let idle = parallel_map(threads(), &all, |(literal, amendment), threads| {
        let options = Options { threads, ..Options::new(&NoProgress) };
        assert!(!amendment.shown_by.is_empty(), "{}: nothing shows it", amendment.id);
        idle(&verify(literal, amendment, (&SYSTEMS, &systems), &options))
    });
    let idle: Vec<String> = idle.into_iter().flatten().collect();
    assert!(idle.is_empty(), "{idle:#?}");
}

#[test]
fn the_first_check_that_a_reading_names_fails_in_it() {
    let systems = systems();
    let mut all = Vec::new();
    for table in tables() {
        for reading in table.readings.clone() {
            let read = table.in_reading(&reading.id).expect("it has it").expect("it has no errors");
            read.amended().unwrap_or_else(|faults| panic!("{}: {faults}", reading.id));
            let differs = reading.differs.into_iter().take(1).collect();
            all.push((read, Reading { differs, ..reading }));
        }
    }
    let differing = all.iter().filter(|(_, reading)| !reading.differs.is_empty()).count();
    assert!(differing >= READINGS_MIN, "{differing} readings change a verdict");
    let idle = parallel_map(threads(), &all, |(read, reading), threads| {
        let options = Options { threads, ..Options::new(&NoProgress) };
        idle(&verify_reading(read, reading, (&SYSTEMS, &systems), &options))
    });
    let idle: Vec<String> = idle.into_iter().flatten().collect();
    assert!(idle.is_empty(), "{idle:#?}");
}

/// The checks that do not fail without an amendment, or in a reading.
fn idle(verified: &Verification) -> Vec<String> {
    let mut idle = Vec::new();
    for shown in &verified.shown_by {
        match &shown.outcome {
            EvidenceOutcome::Fault(fault) => assert_eq!(fault.code, shown.by),
            EvidenceOutcome::Counterexample { property, .. } => {
                assert!(shown.by.ends_with(&property.name));
            }
            other @ (EvidenceOutcome::NotSpecific(_)
            | EvidenceOutcome::NoFailure
            | EvidenceOutcome::Truncated(_)
            | EvidenceOutcome::Unknown(_)) => {
                let (id, by, out) = (&verified.id, &shown.by, &verified.without);
                idle.push(format!("{id}: {by} without {out:?}: {other:?}"));
            }
        }
    }
    idle
}
