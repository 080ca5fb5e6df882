//! The documents at the root are correct: blocks that are cut from files and outputs are fresh,
//! links have targets, commands are those that CI runs.
//!
//! A cut is a comment, a fenced block and a comment:
//!
//!     <!-- cut: rows 44 91 of spec/tables/claim.yaml -->
//!     <!-- cut: file macros/tests/embedder/gate.yaml -->
//!     <!-- cut: part checker/tests/commit/src/main.rs -->
//!     <!-- cut: turnstile check claim/small | verdicts -->
//!     <!-- cut: turnstile check claim/small --as-written | run of at most one reply -->
//!     <!-- cut: turnstile list | tables -->
//!     <!-- cut: sed 's/…//' FILE.yaml > copy.yaml && turnstile check copy.yaml | … -->
//!
//! `BLESS=1 cargo test -p turnstile-checker --test readme` regenerates the blocks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use turnstile_render::docs::PARTS;
use turnstile_spec::{Source, WrittenTable};

const REGENERATE: &str = "BLESS=1 cargo test -p turnstile-checker --test readme";
const DOCUMENTS: [&str; 5] =
    ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "checker/cli/README.md"];
const BEGIN: &str = "<!-- cut: ";
const END: &str = "<!-- end of cut -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn cuts_are_fresh() {
    for document in DOCUMENTS {
        let text = read(document);
        let mut fresh = String::new();
        let mut rest = text.as_str();
        while let Some((before, from)) = rest.split_once(BEGIN) {
            let (source, after) = from.split_once(" -->\n").expect("a cut names its source");
            let (block, after) = after.split_once(END).expect("a cut has an end");
            let cut = cut(source);
            let is_same = steady(&cut) == steady(block);
            let block = if is_same { block } else { &cut };
            fresh += &format!("{before}{BEGIN}{source} -->\n{block}{END}");
            rest = after;
        }
        fresh += rest;
        if fresh == text {
            continue;
        }
        assert!(
            std::env::var_os("BLESS").is_some(),
            "{document} is stale; regenerate it with {REGENERATE}"
        );
        fs::write(root().join(document), fresh).expect("the document can be written");
    }
}

/// The block that a cut must have.
fn cut(source: &str) -> String {
    let rows = source.strip_prefix("rows ").and_then(|rest| rest.split_once(" of "));
    // A part of a program is no program of its own, which rustdoc would compile.
    if let Some(file) = source.strip_prefix("part ") {
        return format!("```rust,ignore\n{}\n```\n", whole(file).trim_end());
    }
    let (kind, text) = match (rows, source.strip_prefix("file ")) {
        (Some((rows, file)), _) => ("yaml", rows_of(rows, file)),
        (None, Some(file)) => (if file.ends_with(".rs") { "rust" } else { "yaml" }, whole(file)),
        (None, None) => ("text", part_of(source)),
    };
    format!("```{kind}\n{}\n```\n", text.trim_end())
}

/// A file without the comment that it begins with.
fn whole(file: &str) -> String {
    let text = read(file);
    let lines = text.lines().skip_while(|line| line.starts_with(['#', '/']) || line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Rows of a table file, word for word.
fn rows_of(rows: &str, file: &str) -> String {
    let source = Source::new(file, read(file));
    let table = WrittenTable::read(source.clone()).unwrap_or_else(|faults| panic!("{faults}"));
    let row = |id: &str| {
        let row = table.vocabulary.rows.iter().find(|row| row.id == id);
        let span = row.unwrap_or_else(|| panic!("{file} has no row {id}")).span;
        format!("- {}\n", source.slice(span).trim())
    };
    rows.split(' ').map(row).collect()
}

/// A part of a command's output, below the command.
fn part_of(source: &str) -> String {
    let (command, part) = source.split_once(" | ").expect("a part of a command's output");
    let output = match command.split_once(" > copy.yaml && ") {
        Some((edit, command)) => output_in(&folder_of_copy(edit), command),
        None => output_in(&root(), command),
    };
    let command = command.replace(" && ", "\n$ ");
    let part = match part.strip_prefix("run of ") {
        Some(property) => run_of(&output, property),
        None if part == "tables" => tables(&output),
        None => verdicts(&output),
    };
    format!("$ {command}\n{part}")
}

/// A folder with `copy.yaml`, the output of an edit of a bundled table.
fn folder_of_copy(edit: &str) -> PathBuf {
    let ran = Command::new("sh").args(["-c", edit]).current_dir(root()).output();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    fs::create_dir_all(&folder).expect("a temporary folder");
    fs::write(folder.join("copy.yaml"), ran.expect("sh runs").stdout).expect("writable");
    folder
}

/// The output of a command in a folder.
fn output_in(folder: &Path, command: &str) -> String {
    let words = command.split(' ').skip(1);
    let threads: &[&str] = if command.contains(" check ") { &["--threads", "2"] } else { &[] };
    let mut turnstile = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    let run = turnstile.args(words).args(threads).current_dir(folder).output();
    String::from_utf8(run.expect("the binary is built").stdout).expect("output is text")
}

/// From the result's title to the last line.
fn verdicts(output: &str) -> String {
    let lines = output.lines().skip_while(|line| !line.contains(" transitions, depth "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The first of the grids that `list` prints.
fn tables(output: &str) -> String {
    let lines = output.lines().take_while(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// The counterexample of a property, without its other violations.
fn run_of(output: &str, property: &str) -> String {
    let title = format!("  {property} fails");
    let lines = output.lines().skip_while(|line| !line.starts_with(&title));
    let lines = lines.take_while(|line| !line.is_empty() && !line.contains("other violations"));
    let run: String = lines.map(|line| format!("{line}\n")).collect();
    assert!(!run.is_empty(), "`{property}` does not fail");
    format!("…\n{run}")
}

/// A text's words, without seconds, bytes and line breaks, which vary.
fn steady(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    for place in 1..words.len() {
        let unit = words[place].trim_end_matches(',');
        let is_number = words[place - 1].parse::<f64>().is_ok();
        if is_number && ["s", "KiB", "MiB", "GiB", "bytes"].contains(&unit) {
            words[place - 1] = "…";
            words[place] = "…";
        }
    }
    words
}

#[test]
fn the_picture_beside_the_rows_shows_those_rows() {
    let text = read("README.md");
    for part in PARTS {
        let rows = format!("{BEGIN}rows {} of ", part.rows.join(" "));
        let picture = format!("generated/docs/{}-{}.svg", part.machine, part.name);
        assert!(text.contains(&rows) && text.contains(&picture), "{picture} and its rows");
    }
}

#[test]
fn links_lead_somewhere() {
    for document in DOCUMENTS {
        for link in read(document).split("](").skip(1) {
            let target = link.split([')', '#']).next().expect("split gives one part at least");
            let is_outside = target.contains("://") || target.is_empty();
            assert!(is_outside || root().join(target).exists(), "{document}: {target}");
        }
    }
}

#[test]
fn commands_are_the_same_everywhere() {
    let ci = read(".ci/run");
    for command in ["cargo run --release -- check", "cargo test --workspace"] {
        for document in ["README.md", "CONTRIBUTING.md"] {
            assert!(read(document).contains(command), "{document} lacks `{command}`");
        }
        assert!(ci.contains(command), ".ci/run lacks `{command}`");
    }
}
