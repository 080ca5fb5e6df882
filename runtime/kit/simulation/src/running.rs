//! A process of a test.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The maximum time for what a process does by itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a look is waited with after one that was too early.
const PAUSE: Duration = Duration::from_millis(1);

/// A process that does not outlive its test.
pub struct Running(
    /// The process.
    pub Child,
);

impl Running {
    /// The exit status, once it has ended.
    pub fn ended(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.status() {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::park_timeout(PAUSE);
        }
    }

    /// The exit status of the first of two that ends, and the other one.
    pub fn first_to_end<'a>(&'a mut self, other: &'a mut Self) -> (Option<i32>, &'a mut Self) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.status() {
                return (status.code(), other);
            }
            if let Some(status) = other.status() {
                return (status.code(), self);
            }
            assert!(begun.elapsed() < PATIENCE, "none of them ends");
            std::thread::park_timeout(PAUSE);
        }
    }

    /// The exit status, if it has ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("it is ours")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _killed = self.0.kill();
        let _ended = self.0.wait();
    }
}
