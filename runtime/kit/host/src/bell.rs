//! A bell that wakes tasks when something has changed, in the order in which they began to wait.
//!
//! A watch channel of tokio wakes its receivers in a random order, which no simulation repeats.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Counts how often it rings, and wakes those that wait for it.
#[derive(Debug, Default)]
pub struct Bell {
    count: AtomicU64,
    notify: Notify,
}

impl Bell {
    /// Rings: there is a change, which whoever looks afterwards sees.
    pub fn ring(&self) {
        self.count.fetch_add(1, Ordering::Release);
        self.notify.notify_waiters();
    }

    /// How often it has rung. Look at what changes after this call.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Looks now and after each ring, until there is what it looks for.
    pub async fn until<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        loop {
            let seen = self.count();
            if let Some(found) = look() {
                return found;
            }
            self.after(seen).await;
        }
    }

    /// Waits until it has rung more often than that.
    pub async fn after(&self, seen: u64) {
        loop {
            let notified = self.notify.notified();
            if self.count() != seen {
                return;
            }
            notified.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[tokio::test]
    async fn those_that_wait_are_woken_in_their_order() {
        let (bell, woken) = (Arc::new(Bell::default()), Arc::new(Mutex::new(Vec::new())));
        let seen = bell.count();
        let tasks: Vec<_> = (0..20)
            .map(|number| {
                let (bell, woken) = (Arc::clone(&bell), Arc::clone(&woken));
                tokio::spawn(async move {
                    bell.after(seen).await;
                    woken.lock().expect("no holder panics").push(number);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(woken.lock().expect("no holder panics").is_empty());
        bell.ring();
        for task in tasks {
            task.await.expect("it does not panic");
        }
        assert!(woken.lock().expect("no holder panics").iter().copied().eq(0..20));
        // It has rung before: nobody waits.
        bell.after(seen).await;
    }
}
