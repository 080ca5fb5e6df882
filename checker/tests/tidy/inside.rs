//! Tests stand beside the sources: what is tested inside is short, since nothing public shows it.

use std::collections::BTreeMap;

use crate::members::members;
use crate::packages::read;
use crate::{height, texts};

/// The most lines of a test inside of a source.
const INSIDE_LINES: usize = 60;

/// Longer ones, and why they are there.
const INSIDE: &[(&str, &str)] = &[
    (
        "runtime/claim/service/src/server/cluster/walk.rs",
        "it compares the states of members with different options, after each operation",
    ),
    (
        "runtime/claim/service/src/server/state/histories.rs",
        "it compares what two engines have saved, byte by byte",
    ),
    (
        "runtime/members/raft/src/engine/suite.rs",
        "openraft's own tests of a storage; nobody else is to know openraft",
    ),
    (
        "runtime/members/raft/src/log/crash.rs",
        "it ends a log at every operation of its disk, and reads what the log has afterwards",
    ),
];

/// The lines of an item: up to the brace below its first word, or the one line.
fn lines(item: &[&str]) -> usize {
    height(item).max(1)
}

/// The file of a module that is declared in another one, if it is below the sources.
fn file_of(of: &str, module: &str, texts: &BTreeMap<String, String>) -> Option<String> {
    let (folder, name) = of.rsplit_once('/')?;
    let below = match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => of.trim_end_matches(".rs").to_owned(),
    };
    let both = [format!("{below}/{module}.rs"), format!("{below}/{module}/mod.rs")];
    both.into_iter().find(|file| texts.contains_key(file))
}

/// Whether a line says that what follows is there in tests alone.
fn is_of_tests(line: &str) -> bool {
    let condition = line.trim_start().strip_prefix("#[cfg(");
    let mut words =
        condition.into_iter().flat_map(|rest| rest.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| word == "test")
}

/// The tests inside of a file: where they are, and how many lines they have.
fn inside(file: &str, text: &str, texts: &BTreeMap<String, String>) -> Vec<(String, usize)> {
    let all: Vec<&str> = text.lines().collect();
    let places = (0..all.len()).filter(|place| is_of_tests(all[*place]));
    let found = places.filter_map(|place| {
        let item = &all[place..];
        let item = &item[item.iter().position(|line| !line.trim_start().starts_with("#["))?..];
        let module = item[0].trim_end_matches(';').rsplit_once("mod ").map(|(_, name)| name);
        match module.filter(|_| item[0].ends_with(';')) {
            // One of another folder is named by its path.
            Some(module) => {
                let file = file_of(file, module, texts)?;
                let lines = texts[&file].lines().count();
                Some((file, lines))
            }
            None => Some((file.to_owned(), lines(item))),
        }
    });
    found.collect()
}

#[test]
fn tests_stand_beside_the_sources() {
    let texts: BTreeMap<String, String> = texts().into_iter().collect();
    let (mut findings, mut longer) = (Vec::new(), BTreeMap::new());
    for (file, text) in texts.iter().filter(|(file, _)| file.contains("/src/")) {
        if file.ends_with("/tests.rs") || file.contains("/src/tests/") {
            findings.push(format!("{file}: tests stand in `tests`, beside `src`"));
        }
        let found = inside(file, text, &texts);
        longer.extend(found.into_iter().filter(|(_, lines)| *lines > INSIDE_LINES));
    }
    for (file, lines) in &longer {
        if !INSIDE.iter().any(|(known, _)| known == file) {
            findings.push(format!("{file}: {lines} lines of tests; at most {INSIDE_LINES}"));
        }
    }
    let is_needed = |(file, _): &&(&str, &str)| longer.contains_key(*file);
    let others = INSIDE.iter().filter(|one| !is_needed(one));
    findings.extend(others.map(|(file, _)| format!("{file}: no exception is needed")));
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// A library that says `test = false` has no tests inside: they would never run.
#[test]
fn tests_inside_of_a_library_run() {
    let texts = texts();
    let has_tests = |folder: &str| {
        let src = format!("{folder}/src/");
        let mut own = texts.iter().filter(|(file, _)| {
            file.strip_prefix(&src)
                .is_some_and(|file| !file.starts_with("bin/") && file != "main.rs")
        });
        own.any(|(_, text)| text.lines().any(is_of_tests))
    };
    let is_off = |folder: &str| {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let library = manifest.split("[lib]\n").nth(1).unwrap_or_default();
        library.lines().take_while(|line| !line.is_empty()).any(|line| line == "test = false")
    };
    let members = members();
    let off: Vec<&String> = members.iter().filter(|folder| is_off(folder)).collect();
    assert!(off.len() > 10, "the manifests are read: {off:?}");
    let idle: Vec<&&String> = off.iter().filter(|folder| has_tests(folder)).collect();
    assert!(idle.is_empty(), "tests that never run, `test = false`: {idle:?}");
}
