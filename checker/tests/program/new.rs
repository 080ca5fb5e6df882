//! `turnstile new`: what it writes checks clean, and nothing is overwritten.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Scratch, outcome};

#[test]
fn what_is_new_checks_clean() {
    let folder = Scratch::new("new");
    for (new, file) in
        [(&["new", "lamp"][..], "lamp.yaml"), (&["new", "shop", "--system"], "shop/shop.yaml")]
    {
        let (status, out, err) = outcome(&folder, new);
        assert_eq!((status, err.as_str()), (0, ""), "{new:?}");
        assert!(out.ends_with(&format!("next: turnstile check {file}\n")), "{out}");
        for verb in ["lint", "check"] {
            let (status, out, err) = outcome(&folder, &[verb, file]);
            assert_eq!((status, err.as_str()), (0, ""), "{verb} {file}:\n{out}");
            assert!(!out.contains("vacuous"), "{out}");
        }
    }
}

#[test]
fn lint_of_a_system_has_the_errors_of_its_tables() {
    let folder = Scratch::new("lint");
    assert_eq!(outcome(&folder, &["new", "shop", "--system"]).0, 0);
    let table = folder.join("shop/server.yaml");
    let text = fs::read_to_string(&table).expect("it is new");
    fs::write(&table, text + "\nignore:\n  - { state: nowhere, event: nothing, because: \"-\" }\n")
        .expect("the folder can be written");
    let (status, out, _) = outcome(&folder, &["lint", "shop/shop.yaml"]);
    assert!(status == 1 && out.contains("--> shop/server.yaml:"), "{out}");
    let (status, out, _) = outcome(&folder, &["check", "shop/shop.yaml"]);
    assert!(status == 1 && out.contains("--> shop/server.yaml:"), "{out}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = Scratch::new("old");
    fs::write(folder.join("lamp.yaml"), "mine").expect("the folder can be written");
    fs::create_dir(folder.join("shop")).expect("the folder can be written");
    for new in [&["new", "lamp"][..], &["new", "shop", "--system"]] {
        let (status, out, err) = outcome(&folder, new);
        assert_eq!((status, out.as_str()), (2, ""), "{new:?}");
        assert!(err.contains("exists already"), "{err}");
    }
    let lamp = fs::read_to_string(folder.join("lamp.yaml")).expect("it is still there");
    let in_shop = fs::read_dir(folder.join("shop")).expect("it is still there").count();
    assert_eq!((lamp.as_str(), in_shop), ("mine", 0));
    for name in ["", "../up", "9lives", "a b", "ä"] {
        let (status, _, err) = outcome(&folder, &["new", name]);
        assert_eq!(status, 2, "{name}");
        assert!(err.contains("cannot name a machine"), "{err}");
    }
}

#[test]
fn a_new_crate_checks_builds_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Scratch::new("crate");
    let new = ["new", "lamp-2", "--rust", "--checkout", root.to_str().expect("it is text")];
    let (status, out, err) = outcome(&folder, &new);
    assert_eq!((status, err.as_str()), (0, ""));
    let next = "next: turnstile check lamp-2/lamp-2.yaml && cd lamp-2 && cargo run\n";
    assert!(out.ends_with(next), "{out}");
    let (status, out, _) = outcome(&folder, &["check", "lamp-2/lamp-2.yaml"]);
    assert_eq!(status, 0, "{out}");
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
    for (name, checkout, why) in [
        ("Lamp", ".", "cannot name a crate"),
        ("match", ".", "cannot name a crate"),
        ("tokio", ".", "cannot name a crate"),
        ("lamp-3", ".", "name a checkout of Turnstile"),
    ] {
        let (status, out, err) = outcome(&folder, &["new", name, "--rust", "--checkout", checkout]);
        assert_eq!((status, out.as_str()), (2, ""), "{name}");
        assert!(err.contains(why) && !folder.join(name).exists(), "{err}");
    }
}
