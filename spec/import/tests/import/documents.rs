//! Whole documents: each `documents/NAME` imports as `documents/NAME.yaml`, with its guesses in
//! `documents/NAME.notes`; each `faults/NAME` is refused with `faults/NAME.stderr`. `BLESS=1`
//! regenerates the second of each pair.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use turnstile_import::{Imported, Options, code, import};
use turnstile_spec::{Diagnostic, Severity, Source, WrittenTable};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The documents of a folder.
fn documents(name: &str) -> Vec<Source> {
    let entries = fs::read_dir(folder(name)).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
        .filter(|file| ![".yaml", ".notes", ".stderr"].iter().any(|end| file.ends_with(end)))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let source = |file: &String| {
        Source::new(file, fs::read_to_string(folder(name).join(file)).expect("readable"))
    };
    names.iter().map(source).collect()
}

#[track_caller]
fn compare(path: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, text).expect("writable");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(
        text == expected,
        "{} differs; `BLESS=1 cargo test -p turnstile-import documents` writes it:\n{text}",
        path.display()
    );
}

fn imported(source: &Source) -> Imported {
    match import(source, Options::default()) {
        Ok(imported) => imported,
        Err(faults) => panic!("{} is refused:\n{faults}", source.name),
    }
}

fn lines(notes: &[Diagnostic], source: &Source) -> String {
    let line = |note: &Diagnostic| {
        let (line, column) = source.position(note.span());
        format!("{line}:{column} {} {}\n", note.code, note.message)
    };
    notes.iter().map(line).collect()
}

#[test]
fn every_document_imports_as_its_table() {
    for source in documents("documents") {
        let imported = imported(&source);
        compare(&folder("documents").join(format!("{}.yaml", source.name)), &imported.text);
        let notes = lines(&imported.notes, &source);
        compare(&folder("documents").join(format!("{}.notes", source.name)), &notes);
    }
}

/// Where the sums of a document come out, nothing is wrong with its table but cells without a row.
#[test]
fn nothing_is_wrong_but_cells_without_a_row() {
    // Its sums do not come out, as its other test says.
    let others = ["claim-client.md"];
    for source in documents("documents") {
        if others.contains(&source.name.as_str()) {
            continue;
        }
        let text = Source::new("table.yaml", imported(&source).text);
        let table = WrittenTable::read(text.clone()).expect("a table");
        let wrong: Vec<Diagnostic> =
            table.findings.into_iter().filter(|finding| finding.code != "T022").collect();
        assert!(wrong.is_empty(), "{}:\n{}", source.name, turnstile_report::frames(&wrong, &text));
    }
}

#[test]
fn every_fault_is_told_at_its_place() {
    let mut shown = BTreeSet::new();
    for source in documents("faults") {
        let Err(faults) = import(&source, Options::default()) else {
            panic!("{} imports", source.name);
        };
        assert!(faults.list.iter().any(|fault| fault.severity == Severity::Error));
        assert!(faults.list.iter().all(|fault| fault.help.is_some()), "{faults}");
        shown.extend(faults.list.iter().map(|fault| fault.code));
        compare(
            &folder("faults").join(format!("{}.stderr", source.name)),
            &turnstile_report::text(&faults),
        );
    }
    // Of cells that cannot happen and of guesses, other tests tell.
    shown.extend([code::UNKNOWN_CELL, code::GUESS]);
    let missing: Vec<&&str> = code::ALL.iter().filter(|code| !shown.contains(*code)).collect();
    assert!(missing.is_empty(), "no file shows {missing:?}");
}

#[test]
fn every_code_has_a_page() {
    for code in code::ALL {
        let page = code::explain(code).expect("a page");
        assert!(page.starts_with(&format!("{code}: ")), "{page}");
    }
    assert_eq!(code::explain("D000"), None);
}
