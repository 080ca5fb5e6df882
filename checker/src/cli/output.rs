//! Standard output and standard error of the command. A reader that went away is no fault.

use std::io::{ErrorKind, Write as _, stderr, stdout};
use std::path::Path;

use turnstile_checker::report::status::Status;

use super::terminal;

/// Writes a text to standard output. Where nobody reads any more, searches end.
pub(crate) fn put(text: &str) -> Status {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Status::Holds,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            terminal::stop();
            Status::Holds
        }
        Err(error) => complain(&format!("cannot write to standard output: {error}")),
    }
}

/// Says on standard error what is wrong with the command or its files.
pub(crate) fn complain(what: &str) -> Status {
    // Where standard error is gone as well, the status has to do.
    let _ = writeln!(stderr(), "turnstile: {what}");
    Status::Usage
}

/// Writes a file, whole.
pub(crate) fn save(path: &Path, text: &str) -> Status {
    match std::fs::write(path, text) {
        Ok(()) => Status::Holds,
        Err(error) => complain(&format!("cannot write {}: {error}", path.display())),
    }
}

/// One JSON object, indented, with a newline at its end.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.expect("results have string keys and finite numbers") + "\n"
}
