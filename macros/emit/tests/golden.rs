//! The emitted text, as a person would read it, beside the table it comes from.
//!
//! A case is a file in `tests/golden/`: its call stands in the list below, its text in the file of
//! the same name with `.expected`. `BLESS=1 cargo test -p turnstile-emit` rewrites them.

use std::fs;
use std::path::Path;

use turnstile_emit::call::Call;
use turnstile_emit::{expand, pretty};
use turnstile_spec::Source;

const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

#[test]
fn every_payload_guard_and_cell() {
    check("door.yaml", ", typestate, step_into, diagram(\"door.svg\")");
}

#[test]
fn serde_and_tracing() {
    check("light.yaml", ", derive(serde), tracing");
}

#[test]
fn faults_beside_the_names() {
    check("wrong.yaml", "");
}

#[test]
fn properties_of_a_system() {
    check("gate.yaml", "");
}

#[test]
fn every_file_is_a_case() {
    let mut files: Vec<String> = fs::read_dir(DIR)
        .expect("the directory is there")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let cases = ["door", "gate", "light", "wrong"];
    let expected: Vec<String> = cases
        .iter()
        .flat_map(|name| [".expected", ".yaml"].map(|end| format!("{name}{end}")))
        .collect();
    assert_eq!(files, expected);
}

#[track_caller]
fn check(file: &str, options: &str) {
    let path = Path::new(DIR).join(file);
    let text = fs::read_to_string(&path).expect("the case is there");
    let words = format!("{file:?}{options}").parse().expect("these are tokens");
    let call = Call::parse(words).map_err(|error| error.to_string()).expect("this is a call");
    let source = Source::new(file, text);
    let is_system = source.text.contains("\nsystem:");
    let tokens = match is_system {
        true => expand::system(&call, source),
        false => expand::machine(&call, source),
    };
    let emitted = pretty(tokens).expect("what is emitted is Rust");
    let expected = path.with_extension("expected");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&expected, &emitted).expect("the case can be written");
    }
    let expected = fs::read_to_string(expected).unwrap_or_default();
    let line = (emitted.lines().zip(expected.lines())).position(|(ours, theirs)| ours != theirs);
    let line = line.unwrap_or_else(|| emitted.lines().count().min(expected.lines().count()));
    assert!(
        emitted == expected,
        "{file}: line {} of the emitted text differs\n  emitted:  {}\n  expected: {}",
        line + 1,
        emitted.lines().nth(line).unwrap_or("(no more)"),
        expected.lines().nth(line).unwrap_or("(no more)"),
    );
}
