//! Traces that go on in the file of an earlier life.

use std::io;
use std::path::Path;

use turnstile_host::Trace;
use turnstile_scenario::trace::{HEAD, declaration_line};

use crate::runner::Runner;

/// What is in a file that held `before`, once a trace of one line more was appended.
fn appended(before: &[u8]) -> io::Result<Vec<u8>> {
    let thread = std::thread::current();
    let name = format!("{}.jsonl", thread.name().expect("a test has a name").replace(':', "-"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, before).expect("the directory is ours");
    let trace = Trace::append("one", &path);
    if let Ok(trace) = &trace {
        let _observer = trace.clone().observer::<Runner>("runner");
    }
    let after = std::fs::read(&path).expect("the directory is ours");
    if trace.is_err() {
        assert_eq!(after, before, "what is no trace stays as it is");
    }
    trace.map(|_| after)
}

#[test]
fn a_trace_goes_on_behind_its_last_whole_line() {
    let (head, line) = (HEAD.as_bytes(), declaration_line("one", "runner"));
    let new = [head, line.as_bytes()].concat();
    for torn in 0..head.len() {
        assert_eq!(appended(&head[..torn]).expect("it begins"), new, "{torn} bytes");
    }
    for length in [1, 100, 4094, 4095, 4096, 4097, 10_000] {
        let old = vec![b'x'; length];
        let torn = appended(&[head, &old].concat()).expect("it goes on");
        assert_eq!(torn, new, "{length} bytes");
        let whole = [head, &old, b"\n"].concat();
        let after = appended(&whole).expect("it goes on");
        assert_eq!(after, [&whole[..], line.as_bytes()].concat(), "{length} bytes");
        let after = appended(&[&whole[..], &old].concat()).expect("it goes on");
        assert_eq!(after, [&whole[..], line.as_bytes()].concat(), "{length} bytes");
    }
}

#[test]
fn two_traces_do_not_write_one_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("in-use.jsonl");
    let first = Trace::append("one", &path).expect("the directory is ours");
    let error = Trace::append("two", &path).expect_err("it is in use").to_string();
    assert!(error.contains("in-use.jsonl: another process writes this trace"), "{error}");
    drop(first);
    assert!(Trace::append("two", &path).is_ok());
}

#[test]
fn a_file_that_is_no_trace_stays_as_it_is() {
    for other in [b"x".as_slice(), b"{\"trace\":2}\n", b"{\"trace\":1} \n", &[0; 5000]] {
        let error = appended(other).expect_err("it is no trace").to_string();
        assert!(error.contains(".jsonl: ") && error.contains("is not a trace"), "{error}");
    }
}
