//! The state machine of the tests: a list of operations, each of which is answered by its place.

use std::io;
use std::sync::{Arc, Mutex};

use turnstile_raft::{Encode, LogPosition, StateMachine};

/// What a machine has applied; the test keeps a handle of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Register {
    pub(crate) application: &'static str,
    applied: Arc<Mutex<Vec<String>>>,
}

impl Register {
    /// The operations, in order.
    pub(crate) fn operations(&self) -> Vec<String> {
        self.applied.lock().expect("no holder panics").clone()
    }
}

impl StateMachine for Register {
    fn application(&self) -> &'static str {
        self.application
    }

    fn apply(&mut self, _place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        let operation = String::from_utf8(operation.to_vec()).expect("the tests propose text");
        let mut operations = self.applied.lock().expect("no holder panics");
        operations.push(operation);
        Ok(operations.len().to_string().into_bytes())
    }

    fn snapshot(&self) -> Encode {
        let operations = self.operations();
        Box::new(move |out| out.extend_from_slice(operations.join("\n").as_bytes()))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        let text = std::str::from_utf8(snapshot).map_err(io::Error::other)?;
        let operations = text.lines().map(str::to_owned).collect();
        *self.applied.lock().expect("no holder panics") = operations;
        Ok(())
    }
}
