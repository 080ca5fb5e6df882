//! A trace: each step of a core with its input, its rows and its effects, in order.
//!
//! It only notes. Whether a trace is a run of table and core is for whoever replays it.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_core::claim::keychain::Keychain;
use turnstile_core::claim::record::Records;
use turnstile_core::step::{InputOf, OutOf, Taken};

/// One step, as it was taken.
#[derive(Clone, Debug)]
pub enum Step {
    /// Of the server.
    Server {
        /// What came in.
        input: InputOf<Records>,
        /// What went out.
        out: OutOf<Records>,
    },
    /// Of a manager's keychain.
    Client {
        /// What came in.
        input: InputOf<Keychain>,
        /// What went out.
        out: OutOf<Keychain>,
    },
}

/// What takes a step of a node.
type Note = dyn Fn(&str, Step) + Send + Sync;

/// Where steps are noted; several cores may note theirs in one trace.
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
    /// A trace that calls a function with the node's name and the step.
    #[must_use]
    pub fn new(node: &str, note: impl Fn(&str, Step) + Send + Sync + 'static) -> Self {
        Self { node: node.into(), note: Arc::new(note) }
    }

    /// A trace into a file, a line of JSON for each step.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(node: &str, path: &Path) -> io::Result<Self> {
        let file = Mutex::new(BufWriter::new(File::create(path)?));
        Ok(Self::new(node, move |node, step| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let written = writeln!(file, "{}", line(node, &step)).and_then(|()| file.flush());
            if let Err(error) = written {
                tracing::error!(%error, "the trace cannot be written");
            }
        }))
    }

    /// The same trace for another node.
    #[must_use]
    pub fn of(&self, node: &str) -> Self {
        Self { node: node.into(), note: self.note.clone() }
    }

    pub(crate) fn note(&self, step: Step) {
        (self.note)(&self.node, step);
    }
}

fn line(node: &str, step: &Step) -> serde_json::Value {
    fn words<T: fmt::Debug>(parts: &[T]) -> Vec<String> {
        parts.iter().map(|part| format!("{part:?}")).collect()
    }
    let (input, rows, effects) = match step {
        Step::Server { input, out } => {
            (format!("{input:?}"), words(&out.rows), words(&out.effects))
        }
        Step::Client { input, out } => {
            (format!("{input:?}"), words(&out.rows), words(&out.effects))
        }
    };
    serde_json::json!({ "node": node, "input": input, "rows": rows, "effects": effects })
}

/// Says in the log which rows were taken, and says it aloud where there was none.
pub(crate) fn log(rows: &[Taken]) {
    for taken in rows {
        match taken {
            Taken::Row { machine, row } => tracing::debug!(machine, row, "step"),
            Taken::Ignored { machine, state, event } => {
                tracing::debug!(machine, state, event, "ignored");
            }
            Taken::Unexpected { machine, state, event, number } => {
                tracing::error!(machine, state, event, number, "no row");
            }
            Taken::Undone { machine, action, because } => {
                tracing::error!(machine, action, because, "not carried out");
            }
        }
    }
}
