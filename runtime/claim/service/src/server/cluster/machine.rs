//! The claims as the state machine of the log.

use std::io;
use std::sync::Arc;

use turnstile_raft::{Encode, LogPosition, StateMachine};

use super::replica::Effect;
use super::shared::Shared;

/// The answer to an operation that had an effect.
pub(super) const APPLIED: &[u8] = &[1];
/// The answer to one that had none, and will have none.
pub(super) const REFUSED: &[u8] = &[0];

/// The state machine.
pub(super) struct ClaimMachine {
    pub(super) shared: Arc<Shared>,
    /// The newest version of the operations that it applies.
    pub(super) version: u32,
}

impl StateMachine for ClaimMachine {
    fn application(&self) -> &'static str {
        "turnstiled"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn apply(&mut self, _place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        let answer = match self.shared.apply(operation) {
            Effect::Applied => APPLIED,
            Effect::Refused => REFUSED,
            Effect::Failed => {
                let why = self.shared.lock().failure().unwrap_or_default().to_owned();
                return Err(io::Error::other(why));
            }
        };
        Ok(answer.to_vec())
    }

    fn snapshot(&self) -> Encode {
        let captured = self.shared.lock().capture();
        Box::new(move |out| captured.encode(out))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.shared.install(snapshot)
    }
}
