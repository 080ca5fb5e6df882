//! A trace: one line of JSON for each step of a core, with its input, its rows and its effects.
//!
//! It only writes. That a trace is a run of the table and the core is for whoever replays it.

use std::fmt::{self, Debug};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_core::Out;
use turnstile_core::step::Taken;

/// Where a trace goes; several cores may write to one.
#[derive(Clone)]
pub struct Trace {
    node: Arc<str>,
    to: Arc<Mutex<dyn Write + Send>>,
}

impl Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("node", &self.node).finish_non_exhaustive()
    }
}

impl Trace {
    /// A trace into a file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(node: &str, path: &Path) -> io::Result<Self> {
        Ok(Self::new(node, BufWriter::new(File::create(path)?)))
    }

    /// A trace into anything.
    #[must_use]
    pub fn new(node: &str, to: impl Write + Send + 'static) -> Self {
        Self { node: node.into(), to: Arc::new(Mutex::new(to)) }
    }

    /// The same trace for another node.
    #[must_use]
    pub fn of(&self, node: &str) -> Self {
        Self { node: node.into(), to: self.to.clone() }
    }

    /// Notes an input, before the step takes it.
    pub(crate) fn begin(&self, input: &impl Debug) -> String {
        format!("{input:?}")
    }

    /// Notes a step.
    pub(crate) fn end<E: Debug>(&self, input: String, out: &Out<E>) {
        let line = serde_json::json!({
            "node": &*self.node,
            "input": input,
            "rows": out.rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>(),
            "effects": out.effects.iter().map(|effect| format!("{effect:?}")).collect::<Vec<_>>(),
        });
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(to, "{line}").and_then(|()| to.flush()) {
            tracing::error!(%error, "the trace cannot be written");
        }
    }
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
