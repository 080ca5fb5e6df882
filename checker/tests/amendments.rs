//! Every amendment is necessary: without it, and without those that depend on it, each check named
//! in its `shown-by` fails. `turnstile amend --verify` requires that of one check only.

use turnstile_checker::SYSTEMS;
use turnstile_harness::amend::{EvidenceOutcome, verify};
use turnstile_harness::options::Options;
use turnstile_search::bounds::NoProgress;
use turnstile_spec::{Source, System, WrittenTable};

#[test]
fn every_check_in_shown_by_fails_without_the_amendment() {
    let systems: Vec<System> = turnstile_bundled::SYSTEMS
        .iter()
        .map(|text| System::read(Source::new(text.file, text.text)).expect("it can be read"))
        .collect();
    let options = Options { threads: 2, ..Options::new(&NoProgress) };
    let mut idle = Vec::new();
    for bundled in turnstile_bundled::TABLES {
        let source = Source::new(bundled.file, bundled.text);
        let literal = WrittenTable::read(source).expect("bundled tables can be read");
        for amendment in &literal.amendments {
            assert!(!amendment.shown_by.is_empty(), "{}: nothing shows it", amendment.id);
            let verified = verify(&literal, amendment, (SYSTEMS, &systems), &options);
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
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}
