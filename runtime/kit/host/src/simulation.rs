//! A thread that is simulated: what is random there comes from a seed, and what would block another
//! thread is done at once.
//!
//! It is of no use to a program that serves somebody: its secrets would come from the seed, too.

use std::cell::RefCell;
use std::io;
use std::marker::PhantomData;

use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use crate::rng::Rng;

thread_local! {
    static RANDOMNESS: RefCell<Option<Rng>> = const { RefCell::new(None) };
}

/// The thread is simulated until it is dropped.
#[derive(Debug)]
pub struct Simulated(PhantomData<*const ()>);

/// Simulates this thread, with a seed for all that is random.
#[must_use]
pub fn simulate(seed: u64) -> Simulated {
    RANDOMNESS.set(Some(Rng::seeded(seed)));
    Simulated(PhantomData)
}

impl Drop for Simulated {
    fn drop(&mut self) {
        RANDOMNESS.set(None);
    }
}

/// A random number, if this thread is simulated.
#[must_use]
pub fn number() -> Option<u64> {
    RANDOMNESS.with_borrow_mut(|randomness| randomness.as_mut().map(Rng::number))
}

/// Whether this thread is simulated.
#[must_use]
pub fn is_simulated() -> bool {
    RANDOMNESS.with_borrow(Option::is_some)
}

/// Does work that blocks: on a thread of the runtime, unless this one is simulated.
///
/// # Errors
/// When the work has panicked, or the runtime ends.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    if is_simulated() {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)
}

/// Spawns a task: on the current [`tokio::task::LocalSet`], if this thread is simulated. When a
/// runtime ends, the order in which its own tasks are dropped depends on what else the process did.
///
/// # Panics
/// Outside a runtime, and in a simulation outside a `LocalSet`.
pub fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    if is_simulated() { tokio::task::spawn_local(task) } else { tokio::spawn(task) }
}

/// Spawns a task as one of a set, otherwise as [`spawn`].
///
/// # Panics
/// Outside a runtime, and in a simulation outside a `LocalSet`.
pub fn spawn_in<T: Send + 'static>(
    set: &mut JoinSet<T>,
    task: impl Future<Output = T> + Send + 'static,
) -> AbortHandle {
    if is_simulated() { set.spawn_local(task) } else { set.spawn(task) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_random_comes_from_the_seed_until_the_end() {
        let draw = || (Rng::from_entropy().number(), crate::random_bytes::<11>().ok());
        let simulated = |seed| {
            let _simulated = simulate(seed);
            [draw(), draw()]
        };
        assert_eq!(simulated(1), simulated(1));
        assert_ne!(simulated(1), simulated(2));
        let [first, second] = simulated(1);
        assert_ne!(first, second);
        assert!(!is_simulated());
        assert_ne!(draw(), draw());
    }

    #[tokio::test]
    async fn work_that_blocks_is_done_at_once_in_a_simulation() {
        let own = std::thread::current().id();
        let thread = || std::thread::current().id();
        assert_ne!(blocking(thread).await.expect("it does not panic"), own);
        let _simulated = simulate(1);
        assert_eq!(blocking(thread).await.expect("it does not panic"), own);
    }
}
