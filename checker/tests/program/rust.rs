//! `turnstile render --to rust`: what is checked in is fresh, and bad usage is told.

use std::path::Path;

use crate::command::{Scratch, ends_with, text, turnstile};

#[test]
fn the_rust_that_is_checked_in_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let table = "runtime/kit/actor/tests/order.yaml";
    let words = ["render", table, "--to", "rust", "--out", "runtime/kit/actor/tests/checked_in"];
    let checked = turnstile(&root, &[&words[..], &["--check"]].concat());
    let written = text(&checked.stdout) + &text(&checked.stderr);
    assert_eq!(checked.status.code(), Some(0), "run `turnstile {}`:\n{written}", words.join(" "));
}

#[test]
fn options_and_errors_are_told() {
    let folder = Scratch::new("rust");
    let written =
        turnstile(&folder, &["render", "claim", "--to", "rust", "--with", "typestate,serde"]);
    ends_with(&written, 0, "");
    let module = text(&written.stdout);
    assert!(module.contains("pub mod claim {") && module.contains("pub mod typestate"), "{module}");
    let plain = turnstile(&folder, &["render", "claim", "--to", "rs"]);
    assert!(text(&plain.stdout).len() < module.len());
    for (words, error) in [
        (&["--with", "typestate"][..], "--with is for --to rust"),
        (&["--to", "rust", "--with", "speed"], "typestate, step_into, serde, tracing"),
        (&["--to", "rust", "--focus", "active"], "--focus and --level are for pictures"),
        (&["--to", "rusty"], "one of markdown"),
    ] {
        let words = [&["render", "claim"], words].concat();
        ends_with(&turnstile(&folder, &words), 2, error);
    }
    std::fs::write(folder.join("bad.yaml"), "machine: [").expect("writable");
    let bad = turnstile(&folder, &["render", "bad.yaml", "--to", "rust", "--out", "out"]);
    ends_with(&bad, 1, "error[T001]");
    assert!(!folder.join("out").exists());
}
