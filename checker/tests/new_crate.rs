//! `turnstile new --rust`: the crate that it writes checks clean, builds and runs.
//!
//! It builds an asynchronous runtime from nothing, which takes as long as all other tests of the
//! program: `cargo test` leaves it out. `cargo test --workspace --test new_crate` runs it, as
//! `.ci/run` does.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_new_crate_checks_builds_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-crate");
    let _old = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder of builds can be written");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
        let output = command.args(words).current_dir(&folder).output().expect("it is built");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it is text")
    };
    let checkout = root.to_str().expect("it is text");
    let out = run(&["new", "lamp-2", "--rust", "--checkout", checkout]);
    let next = "next: turnstile check lamp-2/lamp-2.yaml && cd lamp-2 && cargo run\n";
    assert!(out.ends_with(next), "{out}");
    run(&["check", "lamp-2/lamp-2.yaml"]);
    let lamp = folder.join("lamp-2");
    // The versions that the workspace locks are there without a network.
    fs::copy(root.join("Cargo.lock"), lamp.join("Cargo.lock")).expect("it can be copied");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--offline"]).current_dir(&lamp);
    // The test of an embedder builds upon the same crates, there.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedder/target");
    command.env("CARGO_TARGET_DIR", target);
    // Nobody builds upon it, or debugs it.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "none");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("cargo can be started");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(b"small\nlarge\ndone\ndone\nperhaps\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
    assert!(output.status.success(), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    let expected = [
        "working on Small",
        "Taken { row: \"r1\" }, now busy",
        "Ignored, now busy",
        "Taken { row: \"r4\" }, now idle",
        "Ignored, now idle",
        "stopped in idle",
    ];
    assert_eq!(lines, expected);
    assert_eq!(err, "give: small, large or done\n");
}
