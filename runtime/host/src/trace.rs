//! A trace: each step of a core with its input, its rows and its effects, as data.
//!
//! It only notes, a line of JSON a step ([`turnstile_scenario::trace`]). Whether a trace is a run
//! of table and core says `turnstile replay FILE` of a bundled core, and
//! `turnstile_scenario::trace::replay_core` of any.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_scenario::trace::{Data, HEAD, entry_line, step_line};
use turnstile_step::{InputOf, OutOf};

use crate::at;
use crate::engine::Observer;

/// What takes a line of a trace.
type Note = dyn Fn(&str) + Send + Sync;

/// Where steps are noted; several nodes may note theirs in one trace.
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
    /// A trace of a node that hands its lines on, each by one call, that of the format first.
    #[must_use]
    pub fn new(node: &str, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        note(HEAD);
        Self { node: node.into(), note: Arc::new(note) }
    }

    /// A trace into a file, which is emptied if it is there, each line by one write. What the file
    /// refuses ends the trace.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(node: &str, path: &Path) -> io::Result<Self> {
        let file = File::create(path).and_then(|mut file| {
            file.write_all(HEAD.as_bytes())?;
            Ok(file)
        });
        file.map(|file| Self::into_file(node, file)).map_err(at(path.display()))
    }

    /// A trace that goes on in a file, after the lines of earlier lives of the process, or begins
    /// there. A last line that is torn is cut off. One process at a time may write a file.
    ///
    /// # Errors
    /// When the file cannot be read and written, or holds no trace.
    pub fn append(node: &str, path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.and_then(|mut file| {
            continued(&mut file)?;
            Ok(file)
        });
        file.map(|file| Self::into_file(node, file)).map_err(at(path.display()))
    }

    fn into_file(node: &str, file: File) -> Self {
        let file = Mutex::new(Some(file));
        let note = move |line: &str| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(line.as_bytes())) {
                // Its last line is torn: another one behind it would be no line.
                tracing::error!(%error, "the trace ends: it cannot be written");
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

    /// The node begins anew, as what a scenario calls so. What notes each of its steps.
    #[must_use]
    pub fn observer<C: Data>(self, what: &str) -> Observer<C> {
        (self.note)(&entry_line(&self.node, what));
        Box::new(move |input, out| self.step::<C>(input, out))
    }

    fn step<C: Data>(&self, input: &InputOf<C>, out: &OutOf<C>) {
        match step_line::<C>(&self.node, input, out) {
            Ok(line) => (self.note)(&line),
            Err(error) => tracing::error!(%error, "a step is no line of a trace"),
        }
    }
}

/// Makes a file ready for the next line of its trace, and stands behind the last whole one.
fn continued(file: &mut File) -> io::Result<()> {
    let mut head = Vec::new();
    (&*file).take(HEAD.len() as u64).read_to_end(&mut head)?;
    if head.len() < HEAD.len() && HEAD.as_bytes().starts_with(&head) {
        // It is new, or its first line is torn.
        file.set_len(0)?;
        file.rewind()?;
        return file.write_all(HEAD.as_bytes());
    }
    if head != HEAD.as_bytes() {
        let text = "the file is no trace of this version: it stays as it is; name another";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let end = whole_lines(file)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// The bytes up to the end of the last whole line. There is one.
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
