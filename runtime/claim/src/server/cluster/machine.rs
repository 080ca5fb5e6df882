//! The claims as the state machine of the log.

use std::io;
use std::sync::Arc;

use turnstile_raft::{Encode, Place, StateMachine};

use super::replica::Effect;
use super::shared::Shared;

/// The answer to an operation that had an effect.
pub(super) const APPLIED: &[u8] = &[1];
/// The answer to one that had none, and will have none.
pub(super) const REFUSED: &[u8] = &[0];
/// The answer of a member that does not know its effect.
const FAILED: &[u8] = &[2];

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

    fn apply(&mut self, _place: Place, operation: &[u8]) -> Vec<u8> {
        let answer = match self.shared.apply(operation) {
            Effect::Applied => APPLIED,
            Effect::Refused => REFUSED,
            Effect::Failed => FAILED,
        };
        answer.to_vec()
    }

    fn snapshot(&self) -> Encode {
        let replica = self.shared.lock();
        // A member that does not follow the log has no state to give: what it has is refused.
        let captured = replica.failure().is_none().then(|| replica.capture());
        Box::new(move |out| captured.iter().for_each(|captured| captured.encode(out)))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.shared.install(snapshot)
    }
}
