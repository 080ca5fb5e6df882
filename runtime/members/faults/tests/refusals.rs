//! What the program says where it cannot run: one sentence, before it changes anything.

use std::process::{Command, Output};

fn faults(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_faults");
    Command::new(program).args(arguments).output().expect("it was built")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_programs_or_rights_it_says_so_in_one_line() {
    let empty = env!("CARGO_TARGET_TMPDIR");
    for arguments in [vec!["grouplock"], vec!["--times", "1"], vec!["idle", "raftlock"]] {
        let refused = faults(&[&arguments[..], &["--programs", empty]].concat());
        let text = said(&refused);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.starts_with("faults: ") && text.trim_end().lines().count() == 1, "{text}");
        // As root the first thing that is missing is a program; else it is root.
        let reasons = ["need root", "is missing: install", "build it with `cargo build --bins`"];
        assert!(reasons.iter().any(|reason| text.contains(reason)), "{text}");
    }
}

#[test]
fn an_argument_out_of_range_is_refused() {
    for arguments in [["--times", "0"], ["--members", "2"], ["--fault", "flood"]] {
        let refused = faults(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(said(&refused).contains(arguments[0]), "{}", said(&refused));
    }
}
