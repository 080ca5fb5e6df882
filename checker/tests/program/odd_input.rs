//! Unreadable files, bytes that are not UTF-8, several paths of one file, and closed pipes: each
//! verb prints one message that names the place, and exits with the right status.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::command::{Scratch, ends_with, text, turnstile, unread};

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

/// The verbs that read a file, up to where its name stands.
const READERS: [&[&str]; 7] = [
    &["lint"],
    &["check"],
    &["amend", "--verify"],
    &["mutate"],
    &["render"],
    &["replay"],
    &["explore"],
];

/// The message of a verb about a file, which is its only output.
fn complaint(folder: &Path, verb: &[&str], file: &str) -> String {
    let words: Vec<&str> = verb.iter().copied().chain([file]).collect();
    let output = turnstile(folder, &words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "", "{words:?}");
    text(&output.stderr)
}

#[test]
fn every_verb_reports_unreadable_files_alike() {
    let folder = Scratch::new("unreadable");
    fs::create_dir(folder.join("folder.yaml")).expect("the folder is ours");
    fs::write(folder.join("bytes.yaml"), b"language: 1\nmachine: a\xff\n").expect("ours");
    for (file, expected) in [
        ("absent.yaml", "cannot read absent.yaml: No such file or directory (os error 2)"),
        ("folder.yaml", "cannot read folder.yaml: Is a directory (os error 21)"),
        ("bytes.yaml", "cannot read bytes.yaml: line 2 is not UTF-8 (byte 0xff): save it as UTF-8"),
        (
            "-",
            "cannot read -: No such file or directory (os error 2); standard input is /dev/stdin",
        ),
    ] {
        for verb in READERS {
            let said = complaint(&folder, verb, file);
            assert_eq!(said, format!("turnstile: {expected}\n"), "{verb:?}");
        }
    }
}

/// The output of a command whose standard input is a pipe with the text of a file: what reads it
/// twice finds nothing the second time.
fn piped(folder: &Path, words: &[&str], file: &Path) -> Output {
    let (reader, mut writer) = std::io::pipe().expect("the system has pipes");
    let bytes = fs::read(file).expect("checked in");
    let writing = std::thread::spawn(move || writer.write_all(&bytes));
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    let output = command.args(words).current_dir(folder).stdin(reader).output();
    writing.join().expect("no panic").expect("the command reads all of it");
    output.expect("the binary is built")
}

#[test]
fn a_table_may_be_read_from_standard_input() {
    let folder = with_gate("standard-input");
    for verb in ["lint", "check", "mutate", "render"] {
        let output = piped(&folder, &[verb, "/dev/stdin"], &folder.join("gate.yaml"));
        let of_file = turnstile(&folder, &[verb, "gate.yaml"]);
        assert_eq!(output.status, of_file.status, "{verb}: {}", text(&output.stdout));
        assert_eq!(text(&output.stderr), text(&of_file.stderr), "{verb}");
    }
}

/// A table that a system names, and that is named itself: it is opened once.
#[test]
#[cfg(unix)]
fn no_file_is_read_twice() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/examples/alternating-bit");
    let folder = Scratch::new("read-once");
    for file in ["alternating-bit.yaml", "receiver.yaml"] {
        fs::copy(examples.join(file), folder.join(file)).expect("the folder is ours");
    }
    std::os::unix::fs::symlink("/dev/stdin", folder.join("sender.yaml")).expect("it is ours");
    for verb in ["lint", "check", "mutate"] {
        for named in [&["alternating-bit.yaml"][..], &["alternating-bit.yaml", "sender.yaml"]] {
            let words: Vec<&str> = [verb].into_iter().chain(named.iter().copied()).collect();
            let output = piped(&folder, &words, &examples.join("sender.yaml"));
            let of_files = turnstile(&examples, &words);
            assert_eq!(output.status, of_files.status, "{words:?}: {}", text(&output.stdout));
            assert_eq!(text(&output.stderr), text(&of_files.stderr), "{words:?}");
        }
    }
}

/// Runs in a folder that has `gate.yaml`.
fn with_gate(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let gate = fs::read_to_string(tables().join("gate.yaml")).expect("checked in");
    fs::write(folder.join("gate.yaml"), gate).expect("the folder is ours");
    folder
}

fn check(folder: &Path, junit: &str, sarif: &str) -> Output {
    turnstile(folder, &["check", "gate.yaml", "--junit", junit, "--sarif", sarif])
}

#[test]
fn two_outputs_are_two_files() {
    let folder = with_gate("outputs");
    let what = "`--junit` and `--sarif` name the same file out: name two";
    ends_with(&check(&folder, "out", "out"), 2, what);
    ends_with(&check(&folder, "out", "./out"), 2, what);
    ends_with(&check(&folder, "out", folder.join("out").to_str().expect("text")), 2, what);
    assert!(!folder.join("out").exists(), "nothing is written");
    fs::write(folder.join("out"), "").expect("the folder is ours");
    fs::hard_link(folder.join("out"), folder.join("hard")).expect("the folder is ours");
    ends_with(&check(&folder, "out", "hard"), 2, what);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("later", folder.join("soft")).expect("the folder is ours");
        let what = "`--junit` and `--sarif` name the same file soft";
        ends_with(&check(&folder, "soft", "later"), 2, what);
        assert_eq!(check(&folder, "/dev/null", "/dev/null").status.code(), Some(0));
    }
    assert_eq!(check(&folder, "out", "other").status.code(), Some(0));
}

#[test]
fn no_output_overwrites_an_input() {
    let folder = with_gate("inputs");
    let before = fs::read_to_string(folder.join("gate.yaml")).expect("it is there");
    fs::hard_link(folder.join("gate.yaml"), folder.join("twin")).expect("the folder is ours");
    let what = "would overwrite a table that is read: name another file";
    ends_with(&check(&folder, "gate.yaml", "out"), 2, what);
    ends_with(&check(&folder, "out", "./gate.yaml"), 2, what);
    ends_with(&check(&folder, "out", "twin"), 2, what);
    assert_eq!(fs::read_to_string(folder.join("gate.yaml")).expect("it is there"), before);
}

/// A closed pipe truncates no search, and no further one starts: the status is that of the results.
#[test]
fn a_closed_pipe_ends_every_verb_without_a_message() {
    for words in [
        &["list"][..],
        &["lint", "gate.yaml"],
        &["check", "gate.yaml"],
        &["check", "claim", "view-handler", "group-lock"],
        &["amend", "claim", "--verify"],
        &["amend", "amended.yaml", "--verify"],
        &["render", "gate.yaml"],
        &["explain", "T012"],
        &["schema"],
    ] {
        assert_eq!(unread(&tables(), words), (Some(0), String::new()), "{words:?}");
    }
    // The failure is independent of the reader.
    for words in [&["check", "trap.yaml", "fetch.yaml"][..], &["mutate", "gate.yaml", "fetch.yaml"]]
    {
        assert_eq!(unread(&tables(), words), (Some(1), String::new()), "{words:?}");
    }
}

#[test]
fn files_are_written_although_standard_output_is_closed() {
    let folder = Scratch::new("unread");
    let file = folder.join("out.xml");
    let path = file.to_str().expect("text");
    let words = ["check", "gate.yaml", "fetch.yaml", "--junit", path];
    assert_eq!(unread(&tables(), &words), (Some(0), String::new()));
    let junit = fs::read_to_string(file).expect("it was written");
    assert!(junit.contains("gate (table)") && junit.contains("fetch (table)"), "{junit}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_once() {
    let full = fs::File::create("/dev/full").expect("a device of the system");
    let output = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(["check", "gate.yaml", "fetch.yaml"])
        .current_dir(tables())
        .stdout(full)
        .output()
        .expect("the binary is built");
    let said =
        "turnstile: cannot write to standard output: No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), said.to_owned()));
}

#[test]
fn two_projects_may_render_into_one_folder() {
    let folder = Scratch::new("render");
    let gate = fs::read_to_string(tables().join("gate.yaml")).expect("checked in");
    for (project, machine) in [("a", "gate"), ("b", "door")] {
        fs::create_dir(folder.join(project)).expect("the folder is ours");
        let table = gate.replace("machine: gate", &format!("machine: {machine}"));
        fs::write(folder.join(project).join("gate.yaml"), table).expect("the folder is ours");
    }
    let render = |project: &str| {
        turnstile(&folder.join(project), &["render", "gate.yaml", "--out", "../docs"])
    };
    let wrote = |machine: &str| {
        ["matrix.txt", "md", "svg"].map(|end| format!("wrote ../docs/{machine}.{end}\n")).concat()
    };
    assert_eq!(text(&render("a").stdout), wrote("gate"));
    assert_eq!(text(&render("b").stdout), wrote("door"));
    assert_eq!(text(&render("a").stdout), "../docs: 3 files, each as it should be\n");
    assert!(folder.join("docs/gate.md").exists() && folder.join("docs/door.md").exists());

    // A machine of another name leaves no file of the old one behind, and says so.
    let table = gate.replace("machine: gate", "machine: lock");
    fs::write(folder.join("a/gate.yaml"), &table).expect("the folder is ours");
    let removed = ["matrix.txt", "md", "svg"]
        .map(|end| format!("removed ../docs/gate.{end}, which these tables gave before\n"));
    assert_eq!(text(&render("a").stdout), wrote("lock") + &removed.concat());
    assert!(folder.join("docs/door.md").exists());

    // Neither another project's files nor a person's are overwritten.
    fs::write(folder.join("a/gate.yaml"), table.replace("machine: lock", "machine: door"))
        .expect("the folder is ours");
    let other = "../docs/door.matrix.txt is written from ../b/gate.yaml, which is another table";
    ends_with(&render("a"), 2, other);
    fs::write(folder.join("a/gate.yaml"), gate).expect("the folder is ours");
    fs::write(folder.join("docs/gate.md"), "my own page\n").expect("the folder is ours");
    ends_with(&render("a"), 2, "../docs/gate.md was not written by `turnstile render`");
    let page = fs::read_to_string(folder.join("docs/gate.md")).expect("it is there");
    assert_eq!(page, "my own page\n");
}

#[test]
fn two_tables_of_one_name_are_not_written_over_one_another() {
    let folder = with_gate("twins");
    fs::create_dir(folder.join("b")).expect("the folder is ours");
    fs::copy(folder.join("gate.yaml"), folder.join("b/gate.yaml")).expect("the folder is ours");
    let words = ["render", "gate.yaml", "b/gate.yaml", "--out", "docs"];
    let what = "gate.yaml and b/gate.yaml would both be written to gate.*";
    ends_with(&turnstile(&folder, &words), 2, what);
    assert!(!folder.join("docs").exists(), "nothing is written");
    // The same file twice is one table.
    let words = ["render", "gate.yaml", "gate.yaml", "--out", "docs"];
    assert_eq!(turnstile(&folder, &words).status.code(), Some(0));
    fs::write(folder.join("plain"), "").expect("the folder is ours");
    let words = ["render", "gate.yaml", "--out", "plain"];
    ends_with(&turnstile(&folder, &words), 2, "cannot write plain");
}
