//! The socket of a member: what it does not understand, and a path that is too long.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use super::group::{Group, code};

/// What a member answers to these lines, without what says that a lock is held.
fn answers(group: &Group, lines: &str) -> Vec<String> {
    let mut stream = UnixStream::connect(group.socket(0)).expect("the member listens");
    stream.write_all(lines.as_bytes()).expect("it reads");
    let lines = BufReader::new(stream).lines().map(|line| line.expect("it is text"));
    lines.filter(|line| line != "\"still_held\"").collect()
}

#[test]
fn what_is_no_request_is_answered_with_words() {
    let group = Group::start();
    let lock = "{\"lock\":{\"id\":\"job\",\"timeout_ms\":null}}\n";
    for (lines, because) in [
        (format!("{lock}{lock}"), "a connection has one request"),
        ("\"members\"\n".into(), "unknown variant `members`, expected `lock` or `status`"),
        ("{\n".into(), "the request is not understood: "),
        ("[\"lock\"]\n".into(), "expected a word, or an object"),
    ] {
        let answers = answers(&group, &lines);
        let last = answers.last().expect("it answers");
        assert!(last.starts_with("{\"error\":") && last.contains(because), "{answers:?}");
    }
    let free = group.output(1, &["run", "job", "--timeout", "20", "--", "true"]);
    assert_eq!(code(&free), Some(0), "{free:?}");
}

#[test]
fn a_socket_s_path_that_is_too_long_is_told_with_the_limit() {
    let group = Group::prepare();
    let path = format!("/tmp/{}", "s".repeat(103));
    let refused = group.output(0, &["run", "job", "--socket", &path, "--", "true"]);
    assert_eq!(code(&refused), Some(2), "{refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr);
    for part in ["108 bytes", "at most 107", "--socket", "GROUPLOCK_SOCKET"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
