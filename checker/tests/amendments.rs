//! Every amendment is necessary: without it, and without those that depend on it, each check named
//! in its `shown-by` fails. `turnstile amend --verify` requires that of one check only.

use turnstile_checker::SYSTEMS;
use turnstile_harness::amend::{EvidenceOutcome, Verification, verify};
use turnstile_harness::options::Options;
use turnstile_harness::parallel::parallel_map;
use turnstile_search::bounds::NoProgress;
use turnstile_spec::{Source, System, WrittenTable};

#[test]
fn every_check_in_shown_by_fails_without_the_amendment() {
    let systems: Vec<System> = turnstile_bundled::SYSTEMS
        .iter()
        .map(|text| System::read(Source::new(text.file, text.text)).expect("it can be read"))
        .collect();
    let tables: Vec<WrittenTable> = turnstile_bundled::TABLES
        .iter()
        .map(|text| {
            let source = Source::new(text.file, text.text);
            WrittenTable::read(source).expect("bundled tables can be read")
        })
        .collect();
    let all: Vec<_> = tables
        .iter()
        .flat_map(|literal| literal.amendments.iter().map(move |one| (literal, one)))
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let idle = parallel_map(threads, &all, |(literal, amendment), threads| {
        let options = Options { threads, ..Options::new(&NoProgress) };
        assert!(!amendment.shown_by.is_empty(), "{}: nothing shows it", amendment.id);
        idle(&verify(literal, amendment, (&SYSTEMS, &systems), &options))
    });
    let idle: Vec<String> = idle.into_iter().flatten().collect();
    assert!(idle.is_empty(), "{idle:#?}");
}

/// The checks that do not fail without an amendment.
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
