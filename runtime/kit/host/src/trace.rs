//! A trace: each step of a core with its input, its rows and its effects, as data.
//!
//! It only records, one line of JSON per step ([`turnstile_scenario::trace`]). `turnstile replay
//! FILE` checks whether a trace of a bundled core matches the tables and cores;
//! `turnstile_scenario::trace::replay_core` does so for any core.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_scenario::trace::{HEAD, SerdeCore, declaration_line, step_line};
use turnstile_step::{InputOf, OutOf};

use crate::at;
use crate::engine::Observer;

/// Receives the lines of a trace.
type Note = dyn Fn(&str) + Send + Sync;

/// A trace; several nodes may record their steps in one trace.
#[derive(Clone)]
pub struct Trace {
    node: Arc<str>,
    note: Arc<Note>,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("node", &self.node).finish_non_exhaustive()
    }
}

impl Trace {
    /// A trace of a node that calls a function with each line; the first line names the format.
    #[must_use]
    pub fn new(node: &str, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        note(HEAD);
        Self { node: node.into(), note: Arc::new(note) }
    }

    /// A trace that appends to a file, or creates it, with one write per line. An incomplete last
    /// line is removed. The file is locked: only one trace at a time may write it. A failed write
    /// ends the trace.
    ///
    /// # Errors
    /// When the file cannot be read or written, is not a trace, or is in use.
    pub fn append(node: &str, path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.and_then(|mut file| {
            if file.metadata()?.is_file() {
                lock(&file)?;
                continued(&mut file)?;
            } else {
                file.write_all(HEAD.as_bytes())?;
            }
            Ok(file)
        });
        file.map(|file| Self::into_file(node, file)).map_err(at(path.display()))
    }

    fn into_file(node: &str, file: File) -> Self {
        let file = Mutex::new(Some(file));
        let note = move |line: &str| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(line.as_bytes())) {
                // The last line is incomplete: nothing can be appended to it.
                tracing::error!(%error, "cannot write the trace: tracing stops");
                *file = None;
            }
        };
        Self { node: node.into(), note: Arc::new(note) }
    }

    /// The same trace for another node.
    #[must_use]
    pub fn of(&self, node: &str) -> Self {
        Self { node: node.into(), note: self.note.clone() }
    }

    /// Records that the node restarts, with `what` as in a scenario. Returns an observer for its
    /// steps.
    #[must_use]
    pub fn observer<C: SerdeCore>(self, what: &str) -> Observer<C> {
        (self.note)(&declaration_line(&self.node, what));
        Box::new(move |input, out| self.step::<C>(input, out))
    }

    fn step<C: SerdeCore>(&self, input: &InputOf<C>, out: &OutOf<C>) {
        match step_line::<C>(&self.node, input, out) {
            Ok(line) => (self.note)(&line),
            Err(error) => tracing::error!(%error, "cannot encode a step of the trace"),
        }
    }
}

/// Locks a file until it is closed.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another process writes this trace: name another file"))
        }
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}

/// Checks a file's first line and seeks to the end of its last complete line.
fn continued(file: &mut File) -> io::Result<()> {
    let mut head = Vec::new();
    (&*file).take(HEAD.len() as u64).read_to_end(&mut head)?;
    if head.len() < HEAD.len() && HEAD.as_bytes().starts_with(&head) {
        // The file is new, or its first line is incomplete.
        file.set_len(0)?;
        file.rewind()?;
        return file.write_all(HEAD.as_bytes());
    }
    if head != HEAD.as_bytes() {
        let text = "the file exists and is not a trace of this version: name another file";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let end = whole_lines(file)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// The bytes up to the end of the last complete line, which exists.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const BLOCK: u64 = 4096;
    let mut end = file.seek(SeekFrom::End(0))?;
    loop {
        let begin = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(begin))?;
        let mut block = Vec::new();
        (&*file).take(end - begin).read_to_end(&mut block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + last as u64 + 1);
        }
        if begin == 0 {
            return Ok(0);
        }
        end = begin;
    }
}
