//! The guard that releases a client's claims before the program exits.
//!
//! A runtime cancels its tasks when it ends, so the claims are driven on a thread of their own.

use std::future::Future;
use std::io;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc;

use super::command::UserCommand;
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
    pub(super) const fn new(client: LockClient, timeout: Duration) -> Self {
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

/// Runs the driver on a thread of its own.
pub(super) fn start<F>(
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
