//! What `rangefs` says when it cannot mount, where no file system need be mounted to find out.
#![cfg(feature = "mount")]

use std::path::Path;
use std::process::{Command, Output};

/// The exit status and the errors of a run in a folder that has the folders `data` and `at`, and
/// the file `file`.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = std::env::temp_dir().join(format!("turnstile-rangefs-{}", std::process::id()));
    for name in ["data", "at"] {
        std::fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    std::fs::write(folder.join("file"), "").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rangefs"));
    let Output { status, stderr, .. } =
        command.args(arguments).current_dir(&folder).output().expect("it runs");
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn wrong_arguments_are_named() {
    let nobody = "--locks=claims=http://127.0.0.1:1";
    let cases: [(&[&str], i32, &str); 11] = [
        (&["missing", "at"], 1, "rangefs: missing: No such file or directory"),
        (&["file", "at"], 1, "rangefs: file: Not a directory"),
        (&["data", "missing"], 1, "rangefs: missing: No such file or directory"),
        (&["data", "file"], 1, "rangefs: file: Not a directory"),
        (&["data", "at", "--locks=claims=nonsense"], 1, "invalid server URL \"nonsense\""),
        (&["data", "at", nobody], 1, "no response from http://127.0.0.1:1"),
        (&["data", "at", "--locks=somebody"], 2, "it is `local` or `claims=URL`"),
        (&["data", "at", "--locks=claim=http://u:secret@h"], 2, "'claim=http://***@h'"),
        (&["data", "at", "--lease", "-1"], 2, "-1 is not a number of seconds"),
        (&["data", "at", "--lease", "0.5"], 2, "a lease lasts a second at least"),
        (&["data", "at", "--threads", "1"], 2, "it is a number from 2 to 256"),
    ];
    for (arguments, status, words) in cases {
        let (code, said) = run(arguments);
        assert_eq!(code, Some(status), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_missing_for_fuse_is_said() {
    // Where both are there, the tests of mounts say more.
    if !Path::new("/dev/fuse").exists() || !Path::new("/usr/bin/fusermount3").exists() {
        let (code, said) = run(&["data", "at"]);
        assert_eq!(code, Some(1), "{said}");
        assert!(["modprobe fuse", "apt-get install fuse3"].iter().any(|word| said.contains(word)));
    }
}
