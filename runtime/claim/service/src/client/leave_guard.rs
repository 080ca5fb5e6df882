//! The guard that releases a client's claims before the program exits.
//!
//! A runtime cancels its tasks when it ends, so the claims are driven on a thread of their own.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc;

use super::builder::LockClientBuilder;
use super::command::UserCommand;
use super::error::{Error, ErrorKind};
use super::lock_client::LockClient;

/// Releases all claims of its client when dropped, and withdraws those that wait. The drop blocks
/// until the server has acknowledged that, or until the timeout.
#[derive(Debug)]
#[must_use = "dropping the guard closes the client at once"]
pub struct LeaveGuard {
    client: LockClient,
    timeout: Duration,
}

impl LeaveGuard {
    const fn new(client: LockClient, timeout: Duration) -> Self {
        Self { client, timeout }
    }
}

impl Drop for LeaveGuard {
    fn drop(&mut self) {
        let (client, timeout) = (self.client.clone(), self.timeout);
        let close = move || {
            let runtime = Builder::new_current_thread().enable_time().build()?;
            if !runtime.block_on(client.close(timeout)) {
                tracing::warn!("claims are not released: their leases lapse at the server");
            }
            io::Result::Ok(())
        };
        // `block_on` is not allowed within a runtime, but on another thread.
        let closed = thread::Builder::new().name("leaving".into()).spawn(close);
        let closed = closed.and_then(|thread| thread.join().unwrap_or(Ok(())));
        if let Err(error) = closed {
            tracing::warn!(%error, "claims are not released: their leases lapse at the server");
        }
    }
}

impl LockClientBuilder {
    /// Builds a client whose claims are driven by a thread of their own, and a guard that releases
    /// them when the program exits, however its runtime ends: keep the guard as long as the client,
    /// for example in `main`.
    ///
    /// # Errors
    /// When the URL or the token is invalid, or the system cannot create a thread.
    pub fn build_with_guard(self, timeout: Duration) -> Result<(LockClient, LeaveGuard), Error> {
        let mut client = self.build()?;
        let shared = Arc::get_mut(&mut client.shared).expect("just built");
        let commands = start(|commands| shared.drive().run(commands));
        let commands = commands.map_err(|error| ErrorKind::System(error.to_string()))?;
        shared.commands = Mutex::new(Some(commands));
        Ok((client.clone(), LeaveGuard::new(client, timeout)))
    }
}

/// Runs the driver on a thread of its own.
fn start<F>(
    run: impl FnOnce(mpsc::UnboundedReceiver<UserCommand>) -> F,
) -> io::Result<mpsc::UnboundedSender<UserCommand>>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let run = run(receiver);
    thread::Builder::new().name("claims".into()).spawn(move || runtime.block_on(run))?;
    Ok(sender)
}
