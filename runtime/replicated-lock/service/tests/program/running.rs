//! A process of a test.

use std::process::Child;

/// A process that does not outlive its test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _killed = self.0.kill();
        let _ended = self.0.wait();
    }
}
