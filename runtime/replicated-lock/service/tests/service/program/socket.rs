//! The socket of a member: the places of its users, who may open it, and what it does not
//! understand.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use super::group::{Group, PATIENCE, code};
use turnstile_simulation::{Folder, Running};

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

const LOCK: &str = "{\"lock\":{\"id\":\"job\",\"timeout_ms\":null}}\n";

/// Sends bytes to a member, and returns what it answers until it closes the connection.
fn answers(socket: &Path, sent: &[u8], is_shut: bool) -> Vec<String> {
    let mut stream = UnixStream::connect(socket).expect("the member listens");
    stream.write_all(sent).expect("it reads all of it");
    if is_shut {
        stream.shutdown(Shutdown::Write).expect("it is open");
    }
    rest(BufReader::new(stream))
}

/// Sends a line once the lock is held, and returns what the member answers to that.
fn answers_of_holder(socket: &Path, second: &str) -> Vec<String> {
    let mut stream = UnixStream::connect(socket).expect("the member listens");
    stream.write_all(LOCK.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(stream.try_clone().expect("it is open"));
    let mut held = String::new();
    lines.read_line(&mut held).expect("it is text");
    assert!(held.contains("\"token\":"), "{held}");
    stream.write_all(second.as_bytes()).expect("it reads");
    rest(lines)
}

fn rest(mut stream: BufReader<UnixStream>) -> Vec<String> {
    stream.get_ref().set_read_timeout(Some(PATIENCE)).expect("it is open");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers, and closes the connection");
    text.lines().map(str::to_owned).filter(|line| line != "\"still_held\"").collect()
}

#[track_caller]
fn check_told(answers: &[String], because: &str) {
    let last = answers.last().map_or("", |line| line);
    assert!(last.starts_with("{\"error\":\"") && last.contains(because), "{answers:?}");
}

#[test]
fn a_second_request_of_a_connection_is_answered_with_words() {
    let group = Group::start();
    let socket = group.socket(0);
    let one = "a connection has one request";
    for second in [LOCK, "\"status\"\n", "nonsense\n", "\n", "{\"unlock\":1}\n"] {
        let heard = answers_of_holder(&socket, second);
        assert_eq!(heard.len(), 1, "{heard:?}");
        check_told(&heard, one);
        check_told(&heard, "the lock is unlocked");
        check_told(&heard, "\\\"unlock\\\"");
    }
    assert_eq!(answers_of_holder(&socket, "\"unlock\"\n"), ["\"unlocked\""]);
    // While it waits for the lock.
    let (holder, _token) = group.hold(0);
    let heard = answers(&socket, format!("{LOCK}{LOCK}").as_bytes(), false);
    assert_eq!(heard.len(), 1, "{heard:?}");
    check_told(&heard, one);
    check_told(&heard, "no longer waits");
    let heard = answers(&socket, format!("{LOCK}\"unlock\"\n").as_bytes(), false);
    assert_eq!(heard, ["\"unlocked\""], "it waits no longer");
    drop(holder);
    // Nothing of it holds the lock, or waits for it.
    assert_eq!(code(&group.output(1, &["run", "job", "--timeout", "20", "--", "true"])), Some(0));
    let heard = answers(&socket, b"\"status\"\n\"status\"\n", false);
    assert!(heard[0].contains("\"version\":1"), "{heard:?}");
    check_told(&heard, one);
}

#[test]
fn what_is_no_request_is_answered_with_what_is_expected() {
    let group = Group::start();
    let socket = group.socket(0);
    let long = [&b"\"".repeat(3 << 20)[..], b"\n"].concat();
    for (sent, because) in [
        (&b"\"stat\"\n"[..], "unknown variant `stat`, expected one of `lock`, `status`"),
        (b"{\"lock\":{\"id\":\"job\"\n", "at line 1 column "),
        (b"{\"lock\":{\"id\":\"job\",\"more\":1}}\n", "unknown field `more`"),
        (b"{\"lock\":{\"id\":\"job\",\"id\":\"job\"}}\n", "duplicate field `id`"),
        (b"{\"lock\":[\"job\",null]}\n", "in which a word has an object"),
        (b"{\"add_member\":[9,\"host:1\"]}\n", "in which a word has an object"),
        (b"{\"lock\":null}\n", "in which a word has an object"),
        (b"{\"lock\":{\"id\":\"job\",\"timeout_ms\":-1}}\n", "invalid value: integer `-1`"),
        (b"{\"lock\":{\"id\":\"\"}}\n", "1 to 255 bytes without control characters"),
        (b"7\n", "expected a word, or an object"),
        (b"\n", "the line is empty"),
        (b"GET / HTTP/1.1\r\n", "at line 1 column 1"),
        (b"\x16\x03\x01\x00\xff\n", "is no UTF-8"),
        (b"\"\xff\xfe\"\n", "is no UTF-8"),
        (&long, "a line has at most 1048576 bytes"),
    ] {
        let heard = answers(&socket, sent, false);
        assert_eq!(heard.len(), 1, "{heard:?}");
        check_told(&heard, because);
        check_told(&heard, "{\\\"lock\\\":{\\\"id\\\":");
    }
    check_told(&answers(&socket, b"\"status\"", true), "ends without a newline");
    assert_eq!(answers(&socket, b"", true), [""; 0], "who says nothing hears nothing");
}

/// The longest path that the system takes has 107 bytes.
fn path_of(folder: &Path, len: usize) -> String {
    let folder = folder.to_str().expect("it is text");
    let name = "s".repeat(len - folder.len() - 1);
    format!("{folder}/{name}")
}

#[test]
fn a_socket_s_path_that_is_too_long_is_told_with_the_limit() {
    let folder = Folder::new("raftlock-path");
    std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
    let path = path_of(folder.path(), 108);
    let member = ["member", "--id", "1", "--listen", "127.0.0.1:0", "--peer", "1=127.0.0.1:1"];
    let data = folder.path().join("data").display().to_string();
    let member = [&member[..], &["--new", "--data", &data]].concat();
    for words in [&member[..], &["run", "job", "--", "true"], &["status"]] {
        // A member that runs would run for ever.
        let mut command = Command::new("timeout");
        command.arg("20").arg(env!("CARGO_BIN_EXE_raftlock")).args(words);
        let refused = command.env("RAFTLOCK_SOCKET", &path).output();
        let refused = refused.expect("the program is built");
        let text = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(code(&refused), Some(2), "{text}");
        for part in ["108 bytes", "at most 107", "--socket", "RAFTLOCK_SOCKET", &path] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("runs one"), "{text}");
    }
    assert!(!Path::new(&data).exists(), "nothing is begun");
}

/// The folder in which it is bound has a longer name than the socket.
#[test]
fn a_socket_s_path_of_the_greatest_length_is_taken() {
    let outer = Folder::new("raftlock-longest");
    let folder = path_of(outer.path(), 105);
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let path = format!("{folder}/s");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
    command.args(["member", "--id", "1", "--listen", "127.0.0.1:0", "--peer", "1=127.0.0.1:1"]);
    command.args(["--new", "--data", &format!("{folder}/data"), "--socket", &path]);
    let _running = Running(command.spawn().expect("the program is built"));
    let begun = Instant::now();
    let status = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(["status", "--socket", &path]).output().expect("the program is built")
    };
    loop {
        let status = status();
        if status.status.success() {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{status:?}");
    }
}
