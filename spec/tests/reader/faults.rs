//! The whole text of every diagnostic: each `faults/T###-slug.yaml` is read, and its diagnostics
//! are compared with the `.stderr` beside it. `BLESS=1` regenerates those.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use turnstile_spec::diagnostic::code;
use turnstile_spec::{Diagnostic, Severity, Source, System, WrittenTable};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults")
}

fn files(ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("readable").file_name().into_string());
    names.filter_map(|name| name.expect("UTF-8").strip_suffix(ending).map(str::to_owned)).collect()
}

/// The diagnostics of a file: errors, else findings on the table as written, else findings on the
/// amended table, else warnings.
fn faults(source: &Source) -> Vec<Diagnostic> {
    if source.text.starts_with("system:") {
        return System::read(source.clone()).expect_err("a fault").list;
    }
    match WrittenTable::read(source.clone()) {
        Err(faults) => faults.list,
        Ok(literal) if !literal.findings.is_empty() => literal.findings,
        Ok(literal) => match literal.amended() {
            Err(faults) => faults.list,
            Ok(sound) => sound.warnings,
        },
    }
}

#[track_caller]
fn check(name: &str) {
    let yaml = fs::read_to_string(folder().join(format!("{name}.yaml"))).expect("readable");
    let source = Source::new(format!("{name}.yaml"), yaml);
    let mut faults = faults(&source);
    for fault in &mut faults {
        // `lint` reports a finding that no amendment removes as an error.
        if fault.severity == Severity::Finding {
            fault.severity = Severity::Error;
        }
    }
    let text = turnstile_report::frames(&faults, &source);
    let path = folder().join(format!("{name}.stderr"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("writable");
    }
    let code = &name[..4];
    assert!(!faults.is_empty(), "{name} shows no fault");
    for fault in &faults {
        assert_eq!(
            fault.code,
            code,
            "{name} shows another fault:\n{}",
            turnstile_report::frame(fault, &source)
        );
        assert!(fault.help.is_some(), "{name} does not say what to edit");
        assert!(!fault.labels.is_empty(), "{name} points at nothing");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{name}.stderr differs; BLESS=1 cargo test -p turnstile-spec --test reader faults\n{text}"
    );
}

#[test]
fn every_fault_reads_as_asserted() {
    for name in files(".yaml") {
        check(&name);
    }
}

#[test]
fn every_code_has_a_fixture_and_every_text_its_table() {
    let tables = files(".yaml");
    assert_eq!(files(".stderr").difference(&tables).collect::<Vec<_>>(), Vec::<&String>::new());
    for name in &tables {
        assert!(code::ALL.contains(&&name[..4]), "{name} is of no code");
    }
    for code in code::ALL.iter().filter(|code| !code::OF_THE_CHECKER.contains(code)) {
        assert!(tables.iter().any(|name| name.starts_with(code)), "no fixture shows {code}");
    }
}
