//! Corrupt files: bundled and other tables with lines and words dropped, repeated and exchanged are
//! read and checked at the table level, as written and as amended. None panics or hangs, and no
//! property holds without a search.
//!
//! Each run draws a seed and prints it on failure; `TURNSTILE_SEED=N` repeats a run and
//! `TURNSTILE_CASES=N` makes it longer.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_harness::options::Options;
use turnstile_harness::results::result::ResultReport;
use turnstile_harness::table;
use turnstile_search::bounds::NoProgress;
use turnstile_search::judgement::Verdict;
use turnstile_spec::Source;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_spec::versions::WrittenTable;

/// The time limit of one file, with room for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The limit of states of one search.
const STATES: u64 = 2_000;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    paths.sort();
    let own = paths.iter().map(|path| std::fs::read_to_string(path).expect("UTF-8"));
    turnstile_bundled::TABLES.iter().map(|table| table.text.to_owned()).chain(own).collect()
}

fn mutate(text: &str, rng: &mut SmallRng) -> String {
    let by_line = rng.random();
    let ends: &[char] = if by_line { &['\n'] } else { &[' ', '\n', ','] };
    let mut pieces: Vec<String> = text.split_inclusive(ends).map(str::to_owned).collect();
    for _ in 0..=rng.random_range(0..3) {
        let [at, other] = [(); 2].map(|()| rng.random_range(..pieces.len()));
        match rng.random_range(0..4) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(other, pieces[at].clone()),
            2 => pieces.swap(at, other),
            _ => pieces[at] = pieces[other].clone(),
        }
    }
    pieces.concat()
}

fn search(vocabulary: &Vocabulary, table: &Table) -> ResultReport {
    let mut options = Options::new(&NoProgress);
    options.limits.max_states = Some(STATES);
    let result = table::check(vocabulary, table, &options);
    if result.states == 0 {
        let is_vacuous = |verdict: Verdict| verdict == Verdict::Vacuous;
        assert!(result.properties.iter().all(|property| is_vacuous(property.verdict)));
    }
    result
}

#[test]
fn corrupt_tables_neither_panic_nor_hang() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let drawn = u64::try_from(now % 1_000_000_007).expect("small");
    let seed = number("TURNSTILE_SEED").unwrap_or(drawn);
    println!("TURNSTILE_SEED={seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let (texts, begun) = (texts(), Instant::now());
    let (mut read, mut amended) = (0, 0);
    for _ in 0..number("TURNSTILE_CASES").unwrap_or(400) {
        if begun.elapsed() > PATIENCE {
            break;
        }
        let text = mutate(&texts[rng.random_range(..texts.len())], &mut rng);
        let one = Instant::now();
        let Ok(literal) = WrittenTable::read(Source::new("any.yaml", text)) else { continue };
        read += 1;
        search(&literal.vocabulary, &literal.table);
        search(&literal.vocabulary, &literal.without(&[]).table);
        amended += usize::from(literal.amended().is_ok());
        assert!(one.elapsed() < PATIENCE, "it took {:?}", one.elapsed());
    }
    println!("{read} could be read, {amended} of them amended");
}

/// Empty tables: each gets a vacuous verdict.
#[test]
fn no_property_holds_without_a_search() {
    let head = "language: 1\nmachine: m\n";
    let begin = "states: { a: { initial: true, final: true } }\n";
    let empty = "states: {}\nevents: {}\ntransitions: []\n";
    let lost = "states: { a: {}, b: {} }\nevents: { e: { kind: command } }\n\
                transitions: [{ from: a, to: b, event: e }, { from: b, to: a, event: e }]\n";
    for (text, states, holds) in [
        (format!("{head}{empty}"), 0, 0),
        (format!("{head}{lost}"), 0, 0),
        (format!("{head}states: {{ a: {{}} }}\nevents: {{}}\ntransitions: []\n"), 0, 0),
        (format!("{head}{begin}events: {{}}\ntransitions: []\n"), 1, 4),
        (format!("{head}{begin}events: {{ e: {{ kind: command }} }}\ntransitions: []\n"), 1, 4),
    ] {
        let literal = WrittenTable::read(Source::new("any.yaml", text.clone())).expect("readable");
        let result = search(&literal.vocabulary, &literal.table);
        let held = result.properties.iter().filter(|p| p.verdict == Verdict::Holds).count();
        assert_eq!((result.states, held), (states, holds), "{text}");
    }
}
