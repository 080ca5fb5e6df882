//! Any bytes give faults or a table: no panic, no hang, no fault that points outside of its file.
//!
//! Each run draws a seed and prints it on failure; `TURNSTILE_SEED=N` repeats a run and
//! `TURNSTILE_CASES=N` makes it longer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use turnstile_random::{cases, in_parallel};
use turnstile_spec::{Diagnostic, Source, System, WrittenTable, limit};

/// The time limit for one file, with a margin for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[track_caller]
fn check<S: Strategy>(name: &str, strategy: S, read: fn(S::Value)) {
    let end = Instant::now() + PATIENCE;
    let repeat = format!("-p turnstile-spec --test robust {name}");
    cases(300, &repeat, &strategy, |value| {
        if Instant::now() < end {
            read(value);
        }
        Ok(())
    });
}

/// Reads a text in every way, and every fault to its end.
fn read(text: String) {
    let source = Source::new("any.yaml", text);
    let begun = Instant::now();
    match WrittenTable::read(source.clone()) {
        Err(faults) => {
            assert!(!faults.list.is_empty());
            sane(&faults.list, &source);
        }
        Ok(literal) => {
            sane(&literal.findings, &source);
            for amendment in &literal.amendments {
                sane(&literal.without(&[&amendment.id]).findings, &source);
            }
            match literal.amended() {
                Err(faults) => sane(&faults.list, &source),
                Ok(sound) => {
                    sane(&sound.warnings, &source);
                    assert!(!sound.table.rows.is_empty() || sound.vocabulary.rows.is_empty())
                }
            }
        }
    }
    if let Err(faults) = System::read(source.clone()) {
        sane(&faults.list, &source);
    }
    assert!(begun.elapsed() < PATIENCE, "it took {:?}: {:.200}", begun.elapsed(), source.text);
}

fn sane(faults: &[Diagnostic], source: &Source) {
    assert!(faults.len() <= limit::DIAGNOSTICS + 1, "{} faults", faults.len());
    for fault in faults {
        let span = fault.span();
        assert!(span.start as usize <= source.text.len());
        let (line, column) = source.position(span);
        assert!(line >= 1 && column >= 1);
    }
    assert!(
        turnstile_report::frames(&faults[..faults.len().min(20)], source).len()
            < 16 * limit::FILE_BYTES
    );
}

/// The tables that ship and the fixtures of every fault.
fn good() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    paths.sort();
    let fixtures = paths.iter().map(|path| fs::read_to_string(path).expect("UTF-8"));
    let bundled = turnstile_bundled::TABLES
        .iter()
        .chain(turnstile_bundled::SYSTEMS)
        .map(|b| b.text.to_owned());
    bundled.chain(fixtures).collect()
}

/// One change of a text.
#[derive(Clone, Debug)]
enum TextEdit {
    Drop,
    Repeat,
    Swap(usize),
    Insert(String),
    Replace(String),
    Cut,
}

fn change() -> impl Strategy<Value = (usize, TextEdit)> {
    let text = prop_oneof![
        Just("&a ".to_owned()),
        Just("*a".to_owned()),
        Just("<<: *a".to_owned()),
        Just("!!str ".to_owned()),
        Just("any".to_owned()),
        Just("same".to_owned()),
        Just("(4xx except 404)".to_owned()),
        Just("[".to_owned()),
        Just("}".to_owned()),
        Just("\t".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("not: ".to_owned()),
        Just("if: { not: { any: [] } }, ".to_owned()),
        Just("- ".to_owned()),
        Just("\r\n".to_owned()),
        Just("---\n".to_owned()),
        Just("? ".to_owned()),
        Just("|\n".to_owned()),
        ".{0,12}",
    ];
    let change = prop_oneof![
        Just(TextEdit::Drop),
        Just(TextEdit::Repeat),
        any::<usize>().prop_map(TextEdit::Swap),
        text.clone().prop_map(TextEdit::Insert),
        text.prop_map(TextEdit::Replace),
        Just(TextEdit::Cut),
    ];
    (any::<usize>(), change)
}

/// Lines of a text are exchanged for others of it, dropped, repeated, cut or moved to the side; a
/// key takes another's place.
fn mutate_lines(text: &str, changes: &[(usize, usize, u8)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (at, other, how) in changes {
        if lines.is_empty() {
            break;
        }
        let (at, other) = (at % lines.len(), other % lines.len());
        match how % 6 {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => lines[at].insert_str(0, "  "),
            4 => lines[at] = lines[at].trim_start().to_owned(),
            _ => {
                let key = lines[other].split_once(':').map(|(key, _)| key.to_owned());
                if let (Some(key), Some((_, rest))) = (key, lines[at].split_once(':')) {
                    lines[at] = format!("{key}:{rest}");
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Words of a text are exchanged for others of it, dropped, repeated, or followed by something
/// else.
fn mutate(text: &str, changes: &[(usize, TextEdit)]) -> String {
    let mut words: Vec<String> =
        text.split_inclusive([' ', '\n', ',']).map(str::to_owned).collect();
    for (at, change) in changes {
        if words.is_empty() {
            break;
        }
        let at = at % words.len();
        match change {
            TextEdit::Drop => drop(words.remove(at)),
            TextEdit::Repeat => words.insert(at, words[at].clone()),
            TextEdit::Swap(other) => {
                let other = other % words.len();
                words.swap(at, other);
            }
            TextEdit::Insert(text) => words.insert(at, text.clone()),
            TextEdit::Replace(text) => words[at].clone_from(text),
            TextEdit::Cut => words.truncate(at),
        }
    }
    words.concat()
}

#[test]
fn bytes_are_refused_in_peace() {
    check("bytes_are_refused_in_peace", prop::collection::vec(any::<u8>(), 0..400), |bytes| {
        let source = Source::from_bytes("any.yaml", &bytes);
        read(source.text);
    });
}

#[test]
fn characters_are_refused_in_peace() {
    check("characters_are_refused_in_peace", "[-\\[\\]{}:,&*!|>'\"%@`#? a-c\n\t]{0,200}", read);
}

#[test]
fn good_tables_gone_wrong_are_read_in_peace() {
    let texts = good();
    let changes = prop::collection::vec(change(), 1..6);
    let strategy = (prop::sample::select(texts), changes);
    check("good_tables_gone_wrong_are_read_in_peace", strategy, |(text, changes)| {
        read(mutate(&text, &changes));
    });
}

#[test]
fn good_lines_gone_wrong_are_read_in_peace() {
    let change = (any::<usize>(), any::<usize>(), any::<u8>());
    let strategy = (prop::sample::select(good()), prop::collection::vec(change, 1..5));
    check("good_lines_gone_wrong_are_read_in_peace", strategy, |(text, changes)| {
        read(mutate_lines(&text, &changes));
    });
}

/// Files at the bounds: each is read, or refused by a limit, in bounded time.
#[test]
fn large_files_end() {
    let head = "language: 1\nmachine: m\nstates: { s0: { initial: true } }\n".to_owned()
        + "events: { e: { kind: command } }\n";
    let many =
        |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let rows = |line: &dyn Fn(usize) -> String| {
        let count = (limit::FILE_BYTES - head.len() - 20) / line(99_999).len();
        format!("{head}transitions:\n{}", many(count, line))
    };
    let texts = vec![
        "a: ".repeat(limit::FILE_BYTES / 3),
        "[".repeat(limit::FILE_BYTES),
        "? ".repeat(limit::FILE_BYTES / 2),
        "- ".repeat(limit::FILE_BYTES / 2),
        "&a *a ".repeat(limit::FILE_BYTES / 6),
        "x".repeat(limit::FILE_BYTES + 1),
        format!("machine: {}", "x".repeat(limit::FILE_BYTES - 20)),
        many(60_000, &|nth| format!("key{nth}: v\n")),
        format!("{head}transitions: [{}]", "{},".repeat(300_000)),
        rows(&|nth| format!("- {{ from: s{nth}, to: s{nth}, event: e }}\n")),
        rows(&|nth| format!("- {{ from: any, to: same, event: e, if: g{} }}\n", nth % 40)),
        format!(
            "{head}transitions: [{{ from: s0, to: s0, event: e, do: [{}] }}]",
            "abcde, ".repeat(100_000)
        ),
        format!(
            "{head}transitions: []\nignore:\n{}",
            many(20_000, &|_| "- { state: any, event: e, because: x }\n".into())
        ),
        format!(
            "{}transitions: []\n",
            head.replace(
                "{ s0:",
                &format!(
                    "{{ {} s0:",
                    many(900, &|nth| format!("s{nth}: {{}},")).replace("s0: {},", "")
                )
            )
            .replace(
                "{ e:",
                &format!("{{ {} e:", many(900, &|nth| format!("e{nth}: {{ kind: command }},")))
            )
        ),
    ];
    in_parallel(texts, read);
}
