//! Any document imports or is refused: no panic, no hang, no place outside of the file, and what is
//! written is a table.
//!
//! Each run draws a seed and prints it on failure; `TURNSTILE_SEED=N` repeats a run and
//! `TURNSTILE_CASES=N` makes it longer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use turnstile_import::{Options, import};
use turnstile_random::{cases, in_parallel};
use turnstile_spec::{Diagnostic, Source, WrittenTable};

/// The time limit for one document, with a margin for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The formats.
const ENDINGS: [&str; 5] = ["md", "adoc", "csv", "tsv", "txt"];

#[track_caller]
fn check<S: Strategy>(name: &str, strategy: S, read: fn(S::Value)) {
    let repeat = format!("-p turnstile-import --test import robust::{name}");
    cases(300, &repeat, &strategy, |value| {
        read(value);
        Ok(())
    });
}

/// Imports a text as each format, with itself as the cells.
fn read(text: &str) {
    for ending in ENDINGS {
        let source = Source::new(format!("document.{ending}"), text);
        read_one(&source, None);
        read_one(&source, Some(&source));
    }
}

fn read_one(source: &Source, cells: Option<&Source>) {
    let start = Instant::now();
    match import(source, Options { cells, section: None }) {
        Ok(imported) => {
            inside(&imported.notes, source);
            let file = Source::new("table.yaml", imported.text);
            WrittenTable::read(file).expect("what is imported is a table");
        }
        Err(faults) => {
            assert!(!faults.list.is_empty());
            inside(&faults.list, &faults.source);
        }
    }
    let (name, text) = (&source.name, &source.text);
    assert!(start.elapsed() < PATIENCE, "{name} took {:?}: {text:.200}", start.elapsed());
}

fn inside(list: &[Diagnostic], source: &Source) {
    for label in list.iter().flat_map(|one| &one.labels) {
        let end = source.text.len().max(1);
        let (first, last) = (label.span.start as usize, label.span.end as usize);
        assert!(first <= last && last <= end, "{first}..{last} of {end}");
        assert!(source.text.is_char_boundary(first), "{first}");
    }
    assert!(list.is_empty() || !turnstile_report::frames(list, source).is_empty());
}

/// The documents of the other tests.
fn documents() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let of = |name: &str| fs::read_dir(folder.join(name)).expect("the folder is there");
    let paths = of("documents").chain(of("faults")).map(|entry| entry.expect("readable").path());
    let mut paths: Vec<_> = paths.collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("text")).collect()
}

/// Pieces of tables.
const PIECES: [&str; 36] = [
    "|",
    "||",
    "\\|",
    "---",
    "+",
    "+---+",
    "|===",
    "===",
    "\n",
    "\n\n",
    "\"",
    ",",
    ";",
    "\t",
    " ",
    "  ",
    "State",
    "Source",
    "To",
    "Event",
    "Condition",
    "Actions",
    "Because",
    "Description",
    "a",
    "b (c)",
    "any",
    "timer",
    "start T timer",
    "T timer expires",
    "[else]",
    "-> b: c",
    "ä│",
    "\u{feff}",
    "response (4xx except 404)",
    "{ } # & * ! %",
];

#[test]
fn pieces_of_tables() {
    let pieces = prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60);
    check("pieces_of_tables", pieces, |pieces| read(&pieces.concat()));
}

#[test]
fn any_text() {
    check("any_text", ".{0,200}", |text| read(&text));
}

#[test]
fn damaged_documents() {
    let documents = documents();
    let damage = (prop::sample::select(documents), any::<prop::sample::Index>(), 0..80usize);
    let damage = (damage, prop::sample::select(PIECES.to_vec()));
    check("damaged_documents", damage, |((text, at, many), piece)| {
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len() + 1);
        let rest = chars.get(at + many..).unwrap_or_default();
        let damaged: String = chars[..at].iter().chain(rest).collect();
        let place = chars[..at].iter().collect::<String>().len();
        read(&format!("{}{piece}{}", &damaged[..place], &damaged[place..]));
    });
}

#[test]
fn large_documents() {
    let mut documents: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, text: String| documents.push((name.to_owned(), text));
    let head = "| Source | Destination | Event | Actions |\n|---|---|---|---|\n";
    for many in [300, 3_000] {
        let row = |n: usize| format!("| s{n} | s{} | e{n} | start t{n} timer |\n", n + 1);
        put("rows.md", format!("{head}{}", (0..many).map(row).collect::<String>()));
    }
    let many = 700;
    let header: String = (0..many).map(|n| format!("| s{n} ")).collect();
    let line = |n: usize| format!("| e{n} {}|\n", "| s1 ".repeat(many));
    let lines: String = (0..250).map(line).collect();
    put("grid.md", format!("| State {header}|\n{}|\n{lines}", "|-".repeat(many + 1)));
    for ending in ENDINGS {
        let name = format!("odd.{ending}");
        put(&name, "(".repeat(900_000));
        put(&name, "| ".repeat(400_000));
        put(&name, "| | |\n".repeat(150_000));
        put(&name, "a -> b: ".repeat(100_000));
        put(&name, "a -> b: c\n".repeat(50_000));
    }
    let head = "Source,Destination,Event,Guard\na,b,go,";
    let deep = format!("{}x{}", "not (".repeat(50_000), ")".repeat(50_000));
    put("deep.csv", format!("{head}{deep}\n"));
    put("deep.csv", format!("{head}{}\n", "not ".repeat(100_000)));
    put("else.csv", format!("{head}x\n{}", "a,b,go,else\n".repeat(3_000)));
    in_parallel(documents, |(name, text)| read_one(&Source::new(name, text), None));
}
