//! The traces of all members of one simulation, replayed together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use turnstile_group_lock_core::stack::scenario::PROTOCOL;
use turnstile_host::Trace;
use turnstile_scenario::trace::{Run, Together, replay_together};

/// The trace of each member, over all its processes.
#[derive(Clone)]
pub(crate) struct Traces(BTreeMap<u64, (Trace, Arc<Mutex<String>>)>);

impl Traces {
    pub(crate) fn new(members: impl IntoIterator<Item = u64>) -> Self {
        let trace = |id| {
            let text = Arc::new(Mutex::new(String::new()));
            let noted = Arc::clone(&text);
            let note = move |line: &str| {
                noted.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
            };
            (id, (Trace::new("", note), text))
        };
        Self(members.into_iter().map(trace).collect())
    }

    pub(crate) fn of(&self, member: u64) -> Trace {
        self.0[&member].0.clone()
    }

    /// How many messages were received and lost.
    ///
    /// # Panics
    /// When they are not one run of the cores.
    pub(crate) fn replay(&self, seed: u64) -> (u64, u64) {
        let texts: Vec<String> = self
            .0
            .values()
            .map(|(_, text)| text.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .collect();
        let replayed = replay_together(texts.iter().map(String::as_bytes), &[PROTOCOL]);
        match replayed {
            Together { run: Some(Run { received, lost, impossible: None }), .. } => {
                (received as u64, lost as u64)
            }
            wrong => panic!("seed {seed}: the traces of the members are one run: {wrong:?}"),
        }
    }
}
