//! Runs the built program, in folders of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// The output of the program in a folder.
pub(crate) fn turnstile(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    command.args(words).current_dir(folder).output().expect("the binary is built")
}

/// The exit status, standard output and standard error of the program in a folder.
pub(crate) fn outcome(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let output = turnstile(folder, words);
    let status = output.status.code().expect("no signal ended it");
    (status, text(&output.stdout), text(&output.stderr))
}

/// The status and the messages of the program in a folder, when its standard output is closed.
pub(crate) fn unread(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends by itself");
    (output.status.code(), text(&output.stderr))
}

/// An empty folder outside of any checkout, gone when the test is over.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder, whatever others of its name there are.
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("turnstile-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Self(folder)
    }
}

impl std::ops::Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The operating system removes a folder that cannot be removed now.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Output as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is text")
}

/// Asserts the status, and a part of standard error.
#[track_caller]
pub(crate) fn ends_with(output: &Output, status: i32, error: &str) {
    let found = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{found}");
    assert!(found.contains(error), "`{error}` is not in: {found}");
}
