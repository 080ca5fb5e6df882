//! Readings: in each, the first check fails that it names. That the others fail, too, and no other
//! verdict differs, takes all worlds: `.ci/readings` runs `turnstile check --reading` for each.

use turnstile_checker::SYSTEMS;
use turnstile_harness::amend::{EvidenceOutcome, verify_reading};
use turnstile_harness::options::Options;
use turnstile_harness::parallel::parallel_map;
use turnstile_search::bounds::NoProgress;
use turnstile_spec::versions::Reading;
use turnstile_spec::{Source, System, WrittenTable};

/// Readings of documents that change a verdict: no fewer are tried.
const READINGS_MIN: usize = 10;

#[test]
fn the_first_check_that_a_reading_names_fails_in_it() {
    let systems: Vec<System> = turnstile_bundled::SYSTEMS
        .iter()
        .map(|text| System::read(Source::new(text.file, text.text)).expect("it can be read"))
        .collect();
    let mut all = Vec::new();
    for text in turnstile_bundled::TABLES {
        let table = WrittenTable::read(Source::new(text.file, text.text)).expect("it can be read");
        for reading in table.readings.clone() {
            let read = table.in_reading(&reading.id).expect("it has it").expect("it has no errors");
            read.amended().unwrap_or_else(|faults| panic!("{}: {faults}", reading.id));
            let differs = reading.differs.into_iter().take(1).collect();
            all.push((read, Reading { differs, ..reading }));
        }
    }
    let differing = all.iter().filter(|(_, reading)| !reading.differs.is_empty()).count();
    assert!(differing >= READINGS_MIN, "{differing} readings change a verdict");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let same = parallel_map(threads, &all, |(read, reading), threads| {
        let options = Options { threads, ..Options::new(&NoProgress) };
        let verified = verify_reading(read, reading, (&SYSTEMS, &systems), &options);
        let fails = |outcome: &EvidenceOutcome| {
            matches!(outcome, EvidenceOutcome::Counterexample { .. } | EvidenceOutcome::Fault(_))
        };
        let same = verified.shown_by.into_iter().filter(|shown| !fails(&shown.outcome));
        same.map(|shown| format!("{}: {}: {:?}", reading.id, shown.by, shown.outcome)).collect()
    });
    let same: Vec<String> = same.into_iter().flat_map(|one: Vec<String>| one).collect();
    assert!(same.is_empty(), "{same:#?}");
}
