//! A trace: each step of a core with its input, its rows and its effects, as a scenario file.
//!
//! It only notes. Whether a trace is a run of table and core says `turnstile replay FILE`.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_scenario::{TextFormat, step_words};
use turnstile_step::{InputOf, OutOf};

use turnstile_host::at;

/// What a trace begins with.
pub const HEAD: &str = "\
What a running driver did

A trace: every step that a core took, with its input, its rows and its effects, in the order in
which they happened. Others than the nodes that enter here took part over the network.

everyone else is a stranger
";

/// What takes a piece of a trace.
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
    /// A trace of a node that hands its text on, piece by piece; [`HEAD`] goes before the first.
    /// The node's name is neither `server` nor `client 1`, which is what nodes call strangers.
    #[must_use]
    pub fn new(node: &str, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { node: node.into(), note: Arc::new(note) }
    }

    /// A trace into a file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(node: &str, path: &Path) -> io::Result<Self> {
        let mut file = File::create(path).map_err(at(path.display()))?;
        file.write_all(HEAD.as_bytes()).map_err(at(path.display()))?;
        let file = Mutex::new(file);
        Ok(Self::new(node, move |text| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = file.write_all(text.as_bytes()) {
                tracing::error!(%error, "the trace cannot be written");
            }
        }))
    }

    /// The same trace for another node.
    #[must_use]
    pub fn of(&self, node: &str) -> Self {
        Self { node: node.into(), note: self.note.clone() }
    }

    /// The node begins anew, as what a scenario calls so.
    pub(crate) fn enter(&self, what: &str) {
        (self.note)(&format!("\n{} is a {what}\n", self.node));
    }

    /// The node takes a step.
    pub(crate) fn note<C: TextFormat>(&self, input: &InputOf<C>, out: &OutOf<C>) {
        (self.note)(&step_words::<C>(&self.node, input, out));
    }
}
