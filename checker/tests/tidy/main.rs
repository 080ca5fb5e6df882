//! The rules of the repository that a program can see: sizes, headers, names, in how many files a
//! type is, which layer uses which, and that a script runs each world.
//!
//! An exception stands in [`EXCEPTIONS`] with its reason; one that nothing needs fails, too.

mod circles;
mod impls;
mod inside;
mod layers;
mod members;
mod packages;
mod paths;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use turnstile_bundled::Bundled;
use turnstile_spec::{Source, System};

use layers::LAYERS;
use sources::sources;

/// The most lines of a file.
const FILE_LINES: usize = 400;

/// The most lines of a `lib.rs`: it lists the modules and leaves the rest to them.
const LIB_LINES: usize = 120;

/// The most source files in a folder.
const FOLDER_FILES: usize = 20;

/// The most lines of a function.
const FUNCTION_LINES: usize = 60;

/// The most characters of a line.
const LINE_LENGTH: usize = 100;

/// Names without a meaning.
const EMPTY_WORDS: [&str; 6] = ["util", "utils", "helper", "helpers", "misc", "common"];

/// The forbidden prefix of function names, a verb that fits every function.
const EMPTY_VERB: &str = "get_";

/// Words that say so little that only one type of a crate may have each as its name.
const TYPE_NAMES_ONCE: [&str; 28] = [
    "Action", "Answer", "Ask", "Asked", "Call", "Change", "Cut", "Done", "Entry", "Fault", "Found",
    "Group", "Key", "Kind", "Line", "Look", "Of", "Offer", "Outcome", "Part", "Place", "Row",
    "State", "Step", "System", "Turn", "Way", "World",
];

/// Where one of [`TYPE_NAMES_ONCE`] names several types of a crate: the folder, the name, and why.
const TYPE_NAMES_OFTEN: [(&str, &str, &str); 6] = [
    ("checker/tests/commit", "State", "each core has a state"),
    ("runtime/byte-range-lock/core", "State", "each core has a state"),
    ("runtime/claim/core", "State", "each core has a state"),
    ("runtime/group-lock/core", "State", "each core has a state"),
    ("spec", "Row", "the row of a table, and in `raw` its text"),
    ("spec", "State", "the state of a table, and in `raw` its text"),
];

/// Names that mean one thing in the workspace; the types of one crate are judged by the rule above.
const TYPE_NAMES_ONCE_IN_ALL: [&str; 10] =
    ["Change", "Claim", "Held", "Host", "Link", "Place", "Session", "Step", "Token", "Turn"];

/// Where a rule does not hold: the file, the rule, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "generated/claim/benches/step/hand.rs",
        "function",
        "one match over the whole table, as one would write it by hand: that is what is measured",
    ),
    (
        "generated/claim/benches/step/hand_into.rs",
        "function",
        "one match over the whole table, as one would write it by hand: that is what is measured",
    ),
    ("runtime/members/raft/src/engine/log/entry.rs", "name", "the names of openraft's traits"),
    ("runtime/members/raft/src/engine/log/log_store.rs", "name", "the names of openraft's traits"),
    ("runtime/members/raft/src/engine/machine.rs", "name", "the names of openraft's traits"),
];

/// The findings, file by file.
#[derive(Default)]
struct Findings {
    list: Vec<String>,
    used: BTreeSet<usize>,
}

impl Findings {
    fn add(&mut self, file: &str, rule: &str, what: &str) {
        let excused =
            EXCEPTIONS.iter().position(|(path, known, _)| (*path, *known) == (file, rule));
        match excused {
            Some(place) => {
                self.used.insert(place);
            }
            None => self.list.push(format!("{file}: {rule}: {what}")),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files of all layers, by their path from the root, and their texts.
fn texts() -> Vec<(String, String)> {
    let files = LAYERS.iter().flat_map(|(layer, _)| sources(&root().join(layer)));
    let text = |path: PathBuf| {
        let name = path.strip_prefix(root()).expect("it is below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).expect("a source is text"))
    };
    let mut texts: Vec<(String, String)> = files.map(text).collect();
    texts.sort();
    texts
}

#[test]
fn every_source_keeps_the_rules() {
    let mut findings = Findings::default();
    for (file, text) in texts() {
        sizes(&file, &text, &mut findings);
        names(&file, &text, &mut findings);
        attributes(&file, &text, &mut findings);
    }
    for (place, (file, rule, _)) in EXCEPTIONS.iter().enumerate() {
        if !findings.used.contains(&place) {
            findings.list.push(format!("{file}: {rule}: no exception is needed"));
        }
    }
    assert!(findings.list.is_empty(), "\n{}\n", findings.list.join("\n"));
}

#[test]
fn no_folder_has_many_sources() {
    let mut folders = BTreeMap::<String, usize>::new();
    for (file, _) in texts() {
        if let Some((folder, _)) = file.rsplit_once('/').filter(|_| file.contains("/src/")) {
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    folders.retain(|_, files| *files > FOLDER_FILES);
    assert!(folders.is_empty(), "at most {FOLDER_FILES} source files: {folders:?}");
}

fn sizes(file: &str, text: &str, findings: &mut Findings) {
    let lines: Vec<&str> = text.lines().collect();
    let most = if file.ends_with("/lib.rs") { LIB_LINES } else { FILE_LINES };
    if lines.len() > most {
        findings.add(file, "file", &format!("{} lines; at most {most}", lines.len()));
    }
    let is_readme = text.starts_with("#![doc = include_str!(\"../README.md\")]");
    if !text.starts_with("//! ") && !is_readme {
        findings.add(file, "header", "the first line must be `//! ` and say what this is");
    }
    for (place, line) in lines.iter().enumerate() {
        let length = line.chars().count();
        if length > LINE_LENGTH {
            let what = format!("{length} characters in line {}; at most {LINE_LENGTH}", place + 1);
            findings.add(file, "line", &what);
        }
        if let Some(name) = function(line) {
            let height = height(&lines[place..]);
            if height > FUNCTION_LINES {
                let what = format!("`{name}` has {height} lines; at most {FUNCTION_LINES}");
                findings.add(file, "function", &what);
            }
        }
    }
}

/// How many lines the function has that begins here: up to the brace below its first word, as
/// rustfmt sets it. One without a body, or with all of it in its head's line, has no height.
fn height(lines: &[&str]) -> usize {
    let head = lines.iter().position(|line| line.ends_with(['{', ';', '}']));
    if !head.is_some_and(|head| lines[head].ends_with('{')) {
        return 0;
    }
    let indent = lines[0].len() - lines[0].trim_start().len();
    let end = format!("{:indent$}}}", "");
    lines.iter().position(|line| *line == end).map_or(0, |place| place + 1)
}

/// The name of the function that a line begins, if it begins one.
fn function(line: &str) -> Option<&str> {
    let mut words = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "extern \"C\" "] {
        words = words.strip_prefix(word).unwrap_or(words);
    }
    let name = words.strip_prefix("fn ")?;
    name.split(['(', '<']).next()
}

fn names(file: &str, text: &str, findings: &mut Findings) {
    for part in file.trim_end_matches(".rs").split('/') {
        if EMPTY_WORDS.contains(&part) {
            findings.add(file, "name", &format!("`{part}` says nothing of what it is"));
        }
    }
    for line in text.lines() {
        let Some(name) = function(line) else { continue };
        if EMPTY_WORDS.contains(&name) || name.starts_with(EMPTY_VERB) {
            findings.add(file, "name", &format!("`fn {name}` says nothing of what it does"));
        }
    }
}

/// The name of the type that a line declares at the top level of a module, if it declares one.
fn type_name(line: &str) -> Option<&str> {
    let words = ["pub(crate) ", "pub(super) ", "pub "];
    let words = words.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.iter().find_map(|kind| words.strip_prefix(kind))?;
    name.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next()
}

/// The types that crates declare: the folder of the crate, and the name.
fn declared(texts: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    let sources = texts.iter().filter_map(|(file, text)| {
        let (folder, _) = file.split_once("/src/")?;
        Some((folder, text))
    });
    sources.flat_map(|(folder, text)| {
        text.lines().filter_map(type_name).map(move |name| (folder, name))
    })
}

#[test]
fn a_type_name_has_one_meaning_in_a_crate() {
    let texts = texts();
    let mut findings = Vec::new();
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for place in declared(&texts).filter(|(_, name)| TYPE_NAMES_ONCE.contains(name)) {
        *counts.entry(place).or_default() += 1;
    }
    let is_excepted = |place: (&str, &str)| {
        TYPE_NAMES_OFTEN.iter().any(|(folder, name, _)| (*folder, *name) == place)
    };
    for (place, count) in &counts {
        if *count > 1 && !is_excepted(*place) {
            findings.push(format!("{}: {count} types are called {}", place.0, place.1));
        }
    }
    for (folder, name, _) in TYPE_NAMES_OFTEN {
        if counts.get(&(folder, name)).is_none_or(|count| *count < 2) {
            findings.push(format!("{folder}: the exception for {name} is not needed"));
        }
    }
    assert!(!counts.is_empty(), "no type has one of the names");
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn a_type_name_has_one_meaning_in_the_workspace() {
    let texts = texts();
    let mut crates = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (folder, name) in declared(&texts) {
        if TYPE_NAMES_ONCE_IN_ALL.contains(&name) {
            crates.entry(name).or_default().insert(folder);
        }
    }
    assert!(!crates.is_empty(), "no type has one of the names");
    crates.retain(|_, folders| folders.len() > 1);
    assert!(crates.is_empty(), "types of one name: {crates:?}");
}

fn attributes(file: &str, text: &str, findings: &mut Findings) {
    // In two parts, so that this file keeps its own rules.
    let forbidden = [
        (concat!("#[al", "low("), "use `#[expect(…, reason = …)]`"),
        (concat!("#![al", "low("), "use `#![expect(…, reason = …)]`"),
        (concat!("#[igno", "re"), "a test that does not run proves nothing"),
        (concat!("#[should_", "panic"), "assert what is wrong instead"),
        (concat!("thread::", "sleep"), "wait for what is awaited instead"),
    ];
    let is_test = file.contains("/tests/");
    for (place, line) in text.lines().enumerate() {
        for (words, instead) in forbidden {
            let is_call = is_test && words.contains("::") && line.contains(words);
            if is_call || line.trim_start().starts_with(words) {
                findings.add(file, "attribute", &format!("line {}: {instead}", place + 1));
            }
        }
    }
}

/// `check` runs the worlds of the bundled systems, without `default: false`; a script runs those.
#[test]
fn every_world_is_run_by_a_script() {
    let script = root().join(".ci/worlds");
    let listed = Command::new("bash").arg(&script).arg("--list").output().expect("it runs");
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let read =
        |text: &Bundled| System::read(Source::new(text.file, text.text)).expect("it is read");
    let systems: Vec<System> = turnstile_bundled::SYSTEMS.iter().map(read).collect();
    let large = systems.iter().flat_map(|system| {
        let large = system.worlds.iter().filter(|world| !world.default);
        large.map(|world| format!("{}/{}", system.name, world.name))
    });
    assert_eq!(listed, large.collect(), "`.ci/worlds --list`, and the worlds themselves");
    let text = fs::read_to_string(script).expect("a script is text");
    let (_, rest) = text.split_once("unfinished=(").expect("it has a list");
    let (unfinished, _) = rest.split_once(')').expect("the list has an end");
    let unknown = unfinished.split_whitespace().find(|name| !listed.contains(*name));
    assert_eq!(unknown, None, "all that do not end are large worlds");
    for runner in [".ci/run", ".ci/soak"] {
        let text = fs::read_to_string(root().join(runner)).expect("a script is text");
        assert!(text.contains(" .ci/worlds"), "{runner} runs them");
    }
}
