//! Every amendment is necessary: without it, and without those that depend on it, each check named
//! in its `shown-by` fails. `turnstile amend --verify` requires that of one check only. Likewise
//! the first check that a reading names fails in it. That the others fail, too, and no other
//! verdict differs, takes all worlds: `.ci/readings` runs `turnstile check --reading` for each.
//!
//! A search stops at [`STATES`] states, unless `TURNSTILE_STATES` says otherwise: a check that has
//! not failed by then is left open, which few are; with `all`, as in `.ci/soak`, none is.

use turnstile_checker::SYSTEMS;
use turnstile_harness::amend::{EvidenceOutcome, Verification, verify, verify_reading};
use turnstile_harness::options::Options;
use turnstile_harness::parallel::parallel_map;
use turnstile_search::bounds::{Limits, NoProgress};
use turnstile_spec::versions::Reading;
use turnstile_spec::{Source, System, WrittenTable};

/// The states at which a search stops.
const STATES: u64 = 5_000;
/// At most one of so many checks is left open.
const OPEN_SHARE: usize = 4;
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

fn options(threads: usize) -> Options<'static> {
    let limits = Limits { max_states: turnstile_models::states(STATES), ..Limits::default() };
    Options { threads, limits, ..Options::new(&NoProgress) }
}

#[test]
fn every_check_in_shown_by_fails_without_the_amendment() {
    let (systems, tables) = (systems(), tables());
    let all: Vec<_> = tables
        .iter()
        .flat_map(|literal| literal.amendments.iter().map(move |one| (literal, one)))
        .collect();
    let verified = parallel_map(threads(), &all, |(literal, amendment), threads| {
        assert!(!amendment.shown_by.is_empty(), "{}: nothing shows it", amendment.id);
        verify(literal, amendment, (&SYSTEMS, &systems), &options(threads))
    });
    judge(&verified);
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
    let verified = parallel_map(threads(), &all, |(read, reading), threads| {
        verify_reading(read, reading, (&SYSTEMS, &systems), &options(threads))
    });
    judge(&verified);
}

/// Every check fails, or its search was cut; of few checks it was.
#[track_caller]
fn judge(verified: &[Verification]) {
    let is_limited = turnstile_models::states(STATES).is_some();
    let (mut shown, mut idle, mut open) = (0, Vec::new(), Vec::new());
    for verified in verified {
        for evidence in &verified.shown_by {
            let (id, by, out) = (&verified.id, &evidence.by, &verified.without);
            match &evidence.outcome {
                EvidenceOutcome::Fault(fault) => assert_eq!(fault.code, *by),
                EvidenceOutcome::Counterexample { property, .. } => {
                    assert!(by.ends_with(&property.name));
                }
                EvidenceOutcome::Truncated(_) if is_limited => {
                    open.push(format!("{id}: {by}"));
                    continue;
                }
                other @ (EvidenceOutcome::NotSpecific(_)
                | EvidenceOutcome::NoFailure
                | EvidenceOutcome::Truncated(_)
                | EvidenceOutcome::Unknown(_)) => {
                    idle.push(format!("{id}: {by} without {out:?}: {other:?}"));
                }
            }
            shown += 1;
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
    println!("{shown} checks fail; {} are left open: {open:#?}", open.len());
    assert!(open.len() * OPEN_SHARE <= shown, "{shown} checks fail, and these are open: {open:#?}");
}
