//! Leaving a program: what a manager still holds is given back before the program ends.
//!
//! A runtime takes its tasks along when it ends, so the claims live on a thread of their own. What
//! giving back takes is the core's.

use std::future::Future;
use std::io;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc;

use super::manager::Manager;
use super::order::Order;

/// Gives back everything that its manager holds, and withdraws what it waits for, when it is
/// dropped: then it blocks until the server has acknowledged that, or until its patience ends.
#[derive(Debug)]
#[must_use = "dropped at once it gives back at once"]
pub struct LeaveGuard {
    manager: Manager,
    patience: Duration,
}

impl LeaveGuard {
    pub(super) const fn new(manager: Manager, patience: Duration) -> Self {
        Self { manager, patience }
    }
}

impl Drop for LeaveGuard {
    fn drop(&mut self) {
        let (manager, patience) = (self.manager.clone(), self.patience);
        let close = move || {
            let runtime = Builder::new_current_thread().enable_time().build()?;
            runtime.block_on(manager.close(patience));
            io::Result::Ok(())
        };
        // No runtime may wait within another one, but a thread may.
        let closed = thread::Builder::new().name("leaving".into()).spawn(close);
        let closed = closed.and_then(|thread| thread.join().unwrap_or(Ok(())));
        if let Err(error) = closed {
            tracing::warn!(%error, "nothing is given back: it lapses");
        }
    }
}

/// Runs what takes orders on a thread of its own, until it is done.
pub(super) fn start<F>(
    run: impl FnOnce(mpsc::UnboundedReceiver<Order>) -> F,
) -> io::Result<mpsc::UnboundedSender<Order>>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let run = run(receiver);
    thread::Builder::new().name("claims".into()).spawn(move || runtime.block_on(run))?;
    Ok(sender)
}
