//! Files that are refused, each at its place.

use std::fs;

use serde_json::Value;

use crate::command::{Scratch, text, turnstile};

/// Checks the text, and has one fault at the line with these words.
#[track_caller]
pub(crate) fn is_refused(name: &str, system: &str, code: &str, message: &str, at: &str) {
    let folder = Scratch::new(name);
    fs::write(folder.join("mine.yaml"), system).expect("the folder is ours");
    // Worlds without a fault are searched, too.
    let output = turnstile(&folder, &["check", "mine.yaml", "--json", "--max-states", "50"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = report["results"].as_array().expect("a list");
    let faults = results.iter().flat_map(|result| result["faults"].as_array().expect("a list"));
    let faults: Vec<&Value> = faults.collect();
    assert!(!faults.is_empty(), "nothing is refused");
    for fault in faults {
        assert_eq!((&fault["code"], &fault["file"]), (&code.into(), &"mine.yaml".into()));
        assert_eq!(fault["message"], message);
        let line = usize::try_from(fault["line"].as_u64().expect("a line")).expect("a small one");
        let line = system.lines().nth(line - 1).unwrap_or_default();
        assert!(line.contains(at), "it points at: {line}");
    }
}

/// A bundled file with a text in place of another.
pub(crate) fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "`{from}` is no longer in it");
    text.replacen(from, to, 1)
}
