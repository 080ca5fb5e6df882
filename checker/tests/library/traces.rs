//! The lines under a trace: the property that fails, and an unhandled event only if that is the
//! failure.

use turnstile_checker::SYSTEMS;
use turnstile_cli::report::paint::Paint;
use turnstile_cli::report::trace;
use turnstile_harness::check::SearchFn;
use turnstile_harness::options::{Options, Replacement};
use turnstile_harness::results::result::{PropertyReport, ResultReport};
use turnstile_search::bounds::{Limits, NoProgress};
use turnstile_search::judgement::Verdict;
use turnstile_spec::{Source, WrittenTable};

/// Enough states that a missing row is met, and few enough for a test.
const STATES: u64 = 3_000;

const SYSTEM: &str = "byte-range-lock";

/// The properties that ask for the rows themselves.
const OF_ROWS: [&str; 2] = ["no unhandled event", "no action fails"];

/// The results of a world of byte ranges, each with every so manyth row left out.
fn without_rows(engine: SearchFn) -> Vec<ResultReport> {
    let entry = SYSTEMS.entry(SYSTEM).expect("it is compiled in");
    let file = entry.file.system().expect("it can be read");
    let text = turnstile_bundled::table(SYSTEM).expect("its table is bundled");
    let literal = WrittenTable::read(Source::new(text.file, text.text)).expect("it can be read");
    let sound = literal.amended().expect("it is sound");
    let world = &file.worlds[0];
    (0..sound.table.rows.len())
        .step_by(3)
        .map(|row| {
            let mut table = sound.table.clone();
            table.rows.remove(row);
            let vocabulary = sound.vocabulary.clone();
            let replaced = Replacement::new(vocabulary, table, literal.source.clone());
            let limits = Limits { max_states: Some(STATES), ..Limits::default() };
            let options = Options { tables: vec![replaced], limits, ..Options::new(&NoProgress) };
            entry.run_by(engine, file, world, &options).expect("a table without a row runs")
        })
        .collect()
}

fn failing(results: &[ResultReport]) -> impl Iterator<Item = &PropertyReport> {
    let all = results.iter().flat_map(|result| &result.properties);
    all.filter(|one| one.verdict == Verdict::Fails && !one.counterexample.is_empty())
}

#[track_caller]
fn names_what_failed(engine: SearchFn) {
    let results = without_rows(engine);
    let (mut of_rows, mut others) = (0, 0);
    for property in failing(&results) {
        let drawn = trace::draw(property, Paint { width: 500, is_coloured: false });
        let mark = drawn.lines().find(|line| line.contains('✗')).expect("a trace has a mark");
        let name = format!("✗ {}: ", property.name);
        assert!(mark.trim_start().starts_with(&name), "{}:\n{drawn}", property.name);
        let is_of_rows = OF_ROWS.contains(&property.name.as_str());
        let says_row = mark.contains("unhandled event `") || mark.contains("` failed: ");
        assert_eq!(says_row, is_of_rows, "{}:\n{drawn}", property.name);
        assert!(!is_of_rows || property.besides.is_empty(), "{}:\n{drawn}", property.name);
        let besides = property.besides.iter().filter(|what| drawn.contains(what.as_str()));
        assert_eq!(besides.count(), property.besides.len(), "{drawn}");
        if is_of_rows { of_rows += 1 } else { others += property.besides.len() }
    }
    assert!(of_rows > 2, "only {of_rows} runs end in a missing row");
    assert!(others > 0, "only {others} runs of other properties end in a missing row, too");
}

#[test]
fn the_mark_names_the_property_and_not_the_row_that_is_missing_besides() {
    names_what_failed(turnstile_harness::check::check);
}

#[test]
fn the_reference_engine_says_the_same() {
    names_what_failed(turnstile_reference::check);
}
