//! A trace: each step of a core with its input, its rows and its effects, as data.
//!
//! It only notes, a line of JSON a step ([`turnstile_scenario::trace`]). Whether a trace is a run
//! of table and core says `turnstile replay FILE` of a bundled core, and
//! `turnstile_scenario::trace::replay_core` of any.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
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

    /// A trace into a file, which is made anew, each line by one write. What the file refuses ends
    /// the trace.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(node: &str, path: &Path) -> io::Result<Self> {
        let mut file = File::create(path).map_err(at(path.display()))?;
        file.write_all(HEAD.as_bytes()).map_err(at(path.display()))?;
        let file = Mutex::new(Some(file));
        let note = move |line: &str| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(line.as_bytes())) {
                // Its last line is torn: another one behind it would be no line.
                tracing::error!(%error, "the trace ends: it cannot be written");
                *file = None;
            }
        };
        Ok(Self { node: node.into(), note: Arc::new(note) })
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
