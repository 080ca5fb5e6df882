//! End-to-end tests of the command: each file of `commands/` is a session with its complete output.
//!
//! A session opens with a paragraph. A line `$ turnstile …` runs the built binary in `tables/`;
//! what follows is its standard output, then its standard error with `! ` before each line, then
//! `= ` and the exit status. Times and memory are written `#`. To rewrite the files after a
//! change that is meant: `BLESS=1 cargo test -p turnstile-checker --test commands`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

#[test]
fn sessions_print_what_their_files_say() {
    let entries = fs::read_dir(folder("commands")).expect("the folder is checked in");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no session was found");
    let is_writing = std::env::var_os("BLESS").is_some();
    let mut differing = Vec::new();
    for path in paths {
        let expected = fs::read_to_string(&path).expect("a session is text");
        let actual = play(&expected);
        if is_writing {
            fs::write(&path, &actual).expect("the checkout can be written");
        } else if actual != expected {
            differing.push(format!("{}\n{}", path.display(), difference(&expected, &actual)));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// The session with the current output of its commands.
fn play(session: &str) -> String {
    let mut text = String::new();
    for line in session.lines().take_while(|line| !line.starts_with("$ ")) {
        let _ = writeln!(text, "{line}");
    }
    let commands: Vec<&str> = session.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(!commands.is_empty(), "a session without a command");
    for (nth, command) in commands.iter().enumerate() {
        if nth > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "$ {command}");
        text.push_str(&run(command));
    }
    text
}

fn run(command: &str) -> String {
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("turnstile"), "sessions run turnstile only: {command}");
    let output = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(words)
        .current_dir(folder("tables"))
        .output()
        .expect("the binary is built");
    let mut text: String = String::from_utf8(output.stdout)
        .expect("standard output is text")
        .lines()
        .map(|line| format!("{}\n", masked(line)))
        .collect();
    for line in String::from_utf8(output.stderr).expect("standard error is text").lines() {
        let _ = writeln!(text, "! {line}");
    }
    let _ = writeln!(text, "= {}", output.status.code().expect("no signal ended it"));
    text
}

/// A line with `#` for times and memory.
fn masked(line: &str) -> String {
    for key in ["\"seconds\": ", "\"peak_memory_bytes\": "] {
        if let Some((before, _)) = line.split_once(key) {
            return format!("{before}{key}#{}", if line.ends_with(',') { "," } else { "" });
        }
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_unit = |word: &&str| {
        let unit = word.trim_end_matches(',');
        ["s", "bytes", "KiB", "MiB", "GiB"].contains(&unit)
    };
    let masked: Vec<&str> = words
        .iter()
        .enumerate()
        .map(|(at, word)| match words.get(at + 1) {
            Some(next) if is_unit(next) && word.parse::<f64>().is_ok() => "#",
            _ if at > 0 && is_unit(word) && words[at - 1].parse::<f64>().is_ok() => {
                if word.ends_with(',') { "#," } else { "#" }
            }
            _ => word,
        })
        .collect();
    masked.join(" ")
}

/// The first lines that differ.
fn difference(expected: &str, actual: &str) -> String {
    let mut lines = expected.lines();
    let mut others = actual.lines();
    for number in 1.. {
        match (lines.next(), others.next()) {
            (None, None) => break,
            (line, other) if line == other => {}
            (line, other) => {
                let (line, other) = (line.unwrap_or("(end)"), other.unwrap_or("(end)"));
                return format!("  line {number}\n  expected: {line}\n  printed:  {other}");
            }
        }
    }
    "  the same lines, with other line ends".to_owned()
}
