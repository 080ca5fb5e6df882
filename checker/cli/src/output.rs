//! Standard output and standard error of the command. A reader that went away is no fault.

use std::io::{ErrorKind, Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use turnstile_harness::results::status::Status;
use turnstile_spec::Diagnostics;

use crate::report::paint::fold;
use crate::terminal;

/// Set once standard output is closed or cannot be written.
static IS_UNREAD: AtomicBool = AtomicBool::new(false);

/// Writes a text to standard output.
pub(crate) fn write_stdout(text: &str) -> Status {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Status::Holds,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            IS_UNREAD.store(true, Ordering::Relaxed);
            Status::Holds
        }
        // A full disk is reported once, not for each result.
        Err(_) if IS_UNREAD.swap(true, Ordering::Relaxed) => Status::Usage,
        Err(error) => usage_error(&format!("cannot write to standard output: {error}")),
    }
}

/// Whether standard output is closed. A verb without other outputs then starts no further search
/// and exits with the status of the results so far.
pub(crate) fn is_unread() -> bool {
    IS_UNREAD.load(Ordering::Relaxed)
}

/// Reports an error of the command or its files on standard error.
pub(crate) fn usage_error(what: &str) -> Status {
    report_warning(what);
    Status::Usage
}

/// Prints the diagnostics of a file that has errors.
pub(crate) fn unreadable(faults: &Diagnostics) -> Status {
    let text = turnstile_report::text(faults);
    usage_error(&format!("cannot read {}:\n{text}", faults.source.name));
    Status::Fails
}

/// Prints a line to standard error that does not change the exit status.
pub(crate) fn report_warning(what: &str) {
    let text = format!("turnstile: {what}");
    let text = match terminal::error_width() {
        Some(width) if !what.contains('\n') => fold(&text, width).join("\n  "),
        Some(_) | None => text,
    };
    // If standard error is closed, too, only the status tells.
    let _ = writeln!(stderr(), "{text}");
}

/// Writes a file, whole.
pub(crate) fn save(path: &Path, text: &str) -> Status {
    match std::fs::write(path, text) {
        Ok(()) => Status::Holds,
        Err(error) => usage_error(&format!("cannot write {}: {error}", path.display())),
    }
}

/// Whether two paths name one file, which may not exist yet. A device may be named several times.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let is_special = |path: &Path| path.metadata().is_ok_and(|file| !file.is_file());
    !is_special(one) && !is_special(other) && (place(one) == place(other) || is_one(one, other))
}

/// Where a path leads, through links and folders.
fn place(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links as a system follows; opening the file reports a cycle of links.
    for _ in 0..40 {
        let Ok(target) = path.read_link() else { break };
        path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return path,
    };
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (_, _) => path,
    }
}

/// Whether two names are links to one file.
#[cfg(unix)]
fn is_one(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino())).ok();
    id(one).is_some() && id(one) == id(other)
}

/// Whether two names are links to one file: not to be seen here.
#[cfg(not(unix))]
fn is_one(_one: &Path, _other: &Path) -> bool {
    false
}

/// One JSON object, indented, with a newline at its end.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.expect("results have string keys and finite numbers") + "\n"
}
