//! The socket of a member: the places of its users, and who may open it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use crate::folder::Folder;
use crate::group::{Group, PATIENCE, code};
use crate::running::Running;

/// Asks for the lock `job`, and says all that the member answers.
fn ask(socket: &Path, answers: mpsc::Sender<String>) -> UnixStream {
    let mut stream = UnixStream::connect(socket).expect("the member listens");
    stream.write_all(b"{\"lock\":{\"id\":\"job\",\"timeout_ms\":null}}\n").expect("it reads");
    let lines = BufReader::new(stream.try_clone().expect("it is open")).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            // The test may be over.
            let _heard = answers.send(line);
        }
    });
    stream
}

#[test]
fn users_beyond_the_limit_are_refused_and_others_are_not_starved() {
    let group = Group::start_with(&["--users", "2"]);
    let (_holder, _token) = group.hold(0);
    let (answers, answered) = mpsc::channel();
    // One of them may wait.
    let _waiting = [(); 3].map(|()| ask(&group.socket(0), answers.clone()));
    for _ in 0..2 {
        let refused = answered.recv_timeout(PATIENCE / 4).expect("two are refused");
        assert!(refused.contains("2 users wait or hold locks already"), "{refused}");
    }
    let status = group.status(0).expect("it has a place");
    assert_eq!(status["locks"][0]["holder"]["id"], 1);
    let refused = group.output(0, &["run", "other", "--", "true"]);
    assert_eq!(code(&refused), Some(69));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--users"), "{refused:?}");
    let mut nested = group.raftlock(0, &["run", "other", "--", "true"]);
    let nested = nested.env("RAFTLOCK_HELD", "job\n").output().expect("the program is built");
    assert_eq!(code(&nested), Some(0), "a holder has a place: {nested:?}");
    assert_eq!(answered.try_recv().ok(), None, "the third waits");
}

#[test]
fn silent_connections_keep_nobody_out() {
    let group = Group::start();
    let connect = |_| UnixStream::connect(group.socket(0)).expect("the member listens");
    let mut silent: Vec<UnixStream> = (0..60).map(connect).collect();
    let mut slow = connect(0);
    slow.write_all(b"\"sta").expect("it reads");
    silent.extend((0..250).map(connect));
    let begun = Instant::now();
    assert!(group.status(0).is_some(), "it has a place");
    assert_eq!(code(&group.output(0, &["run", "job", "--", "true"])), Some(0));
    assert!(begun.elapsed() < PATIENCE / 12, "{:?}: none of them is waited for", begun.elapsed());
    // The last one is heard, and the first one is told.
    let mut last = silent.pop().expect("it is open");
    last.write_all(b"\"status\"\n").expect("it reads");
    for (stream, said) in [(last, "\"version\":1"), (slow, "too many connections are silent")] {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("it is text");
        assert!(line.contains(said), "{line}");
    }
}

/// A socket whose mode is set after it is bound is open to others in between: the test looks all
/// the time.
#[test]
fn the_socket_is_never_open_to_others() {
    let folder = Folder::new("raftlock-mode");
    std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
    for round in 0..5 {
        let path = folder.path().join(format!("{round}.sock"));
        let mut command = Command::new("sh");
        command.args(["-c", "umask 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_raftlock")]);
        command.args(["member", "--id", "1", "--listen", "127.0.0.1:0", "--peer", "1=127.0.0.1:1"]);
        command.arg("--data").arg(folder.path().join(format!("data-{round}")));
        command.arg("--new").arg("--socket").arg(&path).stderr(Stdio::null());
        let _running = Running(command.spawn().expect("the program is built"));
        let begun = Instant::now();
        let mode = loop {
            match std::fs::symlink_metadata(&path) {
                Ok(found) => break found.permissions().mode(),
                Err(_) => assert!(begun.elapsed() < PATIENCE, "it does not listen"),
            }
        };
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
}

#[test]
fn more_users_than_open_files_are_refused() {
    let folder = Folder::new("raftlock-files");
    let mut command = Command::new("sh");
    // One that runs would run for ever.
    command.args(["-c", "ulimit -n 1000; exec timeout 20 \"$0\" \"$@\""]);
    command.arg(env!("CARGO_BIN_EXE_raftlock"));
    command.args(["member", "--id", "1", "--listen", "127.0.0.1:0", "--peer", "1=127.0.0.1:1"]);
    command.arg("--new").arg("--data").arg(folder.path().join("data"));
    command.arg("--socket").arg(folder.path().join("sock"));
    let refused = command.output().expect("the program is built");
    assert_eq!(code(&refused), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("2560 open files"), "{refused:?}");
}
