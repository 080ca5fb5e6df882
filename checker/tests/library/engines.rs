//! The interned engine compared with stateright on the same World: in every small world of every
//! system, as written and amended, the same states and transitions without reductions, and the same
//! verdicts with them.

use turnstile_checker::SYSTEMS;
use turnstile_harness::check::{SearchFn, check as interned};
use turnstile_harness::options::Options;
use turnstile_harness::results::result::ResultReport;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::judgement::Verdict;

/// The name, verdict and counterexample length of each property that stateright can decide. It does
/// not check liveness under fairness.
fn verdicts<'a>(
    result: &'a ResultReport,
    reference: &ResultReport,
) -> Vec<(&'a str, &'a str, usize)> {
    let decided = |name: &str| {
        let mut known = reference.properties.iter();
        known.any(|known| known.name == name && known.verdict != Verdict::Incomplete)
    };
    let properties = result.properties.iter().filter(|property| decided(&property.name));
    properties
        .map(|property| {
            let steps = property.counterexample.len();
            (property.name.as_str(), property.verdict.name(), steps)
        })
        .collect()
}

#[track_caller]
fn check(as_written: bool) {
    for entry in SYSTEMS.entries() {
        let file = entry.file.system().expect("bundled systems can be read");
        let world = file.world("small").expect("every system has a small world");
        let options = Options {
            as_written,
            reduce: Reductions::NONE,
            tables: if as_written { turnstile_models::tables(entry) } else { Vec::new() },
            ..Options::new(&NoProgress)
        };
        let run = |search: SearchFn, options: &Options<'_>| {
            let result = entry.run_by(search, file, world, options);
            let result = result.expect("its names are known");
            assert!(result.complete, "{}: {:?}", result.title(), result.notes.cut);
            result
        };
        let reference = run(turnstile_reference::check, &options);
        assert_eq!(reference.engine, "stateright");
        assert!(reference.states <= 200_000, "{} states are not small", reference.states);
        for threads in 1..=2 {
            let own = run(interned, &Options { threads, ..options.clone() });
            assert_eq!(own.engine, "interned");
            assert_eq!(own.states, reference.states, "{}", reference.title());
            assert_eq!(own.depth, reference.depth, "{}", reference.title());
            assert_eq!(own.coverage, reference.coverage, "{}", reference.title());
            let decided = verdicts(&reference, &reference);
            assert_eq!(verdicts(&own, &reference), decided);
            let reduced =
                run(interned, &Options { threads, reduce: Reductions::ALL, ..options.clone() });
            assert_eq!(verdicts(&reduced, &reference), decided, "reduced");
        }
    }
}

#[test]
fn as_written_both_engines_agree() {
    check(true);
}

#[test]
fn amended_both_engines_agree() {
    check(false);
}

/// The reductions that the engine makes of those requested by `--reduce`, and its reasons.
#[track_caller]
fn reduced(system: &str, world: &str, reduce: Reductions) -> (Vec<String>, String) {
    let entry = SYSTEMS.entry(system).expect("it is compiled in");
    let file = entry.file.system().expect("it can be read");
    let limits = Limits { max_states: Some(200), ..Limits::default() };
    let options = Options { reduce, limits, ..Options::new(&NoProgress) };
    let world = file.world(world).expect("it has the world");
    let result = entry.run(file, world, &options).expect("its names are known");
    (result.reductions, result.notes.remarks.join("\n"))
}

#[test]
fn only_requested_reductions_are_made_each_with_its_reason() {
    let none = Reductions::NONE;
    let symmetry = Reductions { symmetry: true, ..none };
    let (names, why) = reduced("claim", "small", none);
    assert_eq!((names.len(), why.contains("reduced by")), (0, false), "{why}");
    let (names, why) = reduced("claim", "small", symmetry);
    assert_eq!(names, ["symmetry"]);
    assert!(why.contains("reduced by symmetry: a permutation of the members of the role"), "{why}");
    assert!(!why.contains("not reduced"), "nothing else was asked for: {why}");
}

#[test]
fn liveness_is_checked_without_reductions() {
    let (names, why) = reduced("claim", "lost-request+signal+release", Reductions::ALL);
    assert!(names.is_empty(), "{names:?}");
    let words = "not reduced by dead, symmetry, loss: \"claim() eventually returns\" is a liveness";
    assert!(why.contains(words), "{why}");
    let (_, why) = reduced("claim", "small", Reductions { loss: true, ..Reductions::NONE });
    let words = "not reduced by loss: \"a waiting call can still return\" quantifies over paths \
                 after a loss";
    assert!(why.contains(words), "{why}");
}
