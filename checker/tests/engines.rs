//! The interned engine beside stateright's search of the same World: on every small world of every
//! system, as written and amended, as many states and transitions without reductions, and the same
//! verdicts with them.

mod literal;

use turnstile_checker::report::options::{Engine, Options, Reductions, Silent};
use turnstile_checker::report::result::{ResultReport, Verdict};
use turnstile_checker::systems;
use turnstile_spec::{Source, bundled, system::System};

/// What is compared: name and verdict of each property that stateright can decide, and how long
/// the run is that shows it. Liveness under fairness it leaves open.
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
    for entry in systems::ALL {
        let text = bundled::system(entry.name).expect("every system is bundled");
        let source = Source::new(text.file, text.text);
        let file = System::read(source).expect("bundled systems can be read");
        let world = file.world("small").expect("every system has a small world");
        let options = Options {
            as_written,
            reduce: Reductions::NONE,
            tables: if as_written { literal::tables(entry.machines) } else { Vec::new() },
            ..Options::new(&Silent)
        };
        let run = |options: &Options<'_>| {
            let result = (entry.run)(&file, world, options).expect("its names are known");
            assert!(result.complete, "{}: {:?}", result.title(), result.notes.cut);
            result
        };
        let reference = run(&Options { engine: Engine::Stateright, ..options.clone() });
        assert_eq!(reference.engine, "stateright");
        assert!(reference.states <= 200_000, "{} states are not small", reference.states);
        for threads in 1..=2 {
            let interned = run(&Options { threads, ..options.clone() });
            assert_eq!(interned.engine, "interned");
            assert_eq!(interned.states, reference.states, "{}", reference.title());
            assert_eq!(interned.depth, reference.depth, "{}", reference.title());
            assert_eq!(interned.coverage, reference.coverage, "{}", reference.title());
            let decided = verdicts(&reference, &reference);
            assert_eq!(verdicts(&interned, &reference), decided);
            let reduced = run(&Options { threads, reduce: Reductions::ALL, ..options.clone() });
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
