//! A task that does not outlive its handle.

use std::io;

use tokio::task::JoinHandle;

/// A task that is aborted when this is dropped.
pub(super) struct AbortOnDrop<T>(JoinHandle<T>);

impl<T: Send + 'static> AbortOnDrop<T> {
    pub(super) fn spawn(task: impl Future<Output = T> + Send + 'static) -> Self {
        Self(tokio::spawn(task))
    }

    /// Waits until the task has finished.
    pub(super) async fn end(mut self) -> io::Result<T> {
        (&mut self.0).await.map_err(|_| io::Error::other("a task panicked"))
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
