//! A parallel map, and the progress listener of searches that run in it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use turnstile_search::bounds::{Progress, ProgressSnapshot};

/// Maps in parallel; the results are in the order of the inputs. `work` gets the number of threads
/// that it may use itself.
pub fn parallel_map<T: Sync, R: Send>(
    threads: usize,
    things: &[T],
    work: impl Fn(&T, usize) -> R + Sync,
) -> Vec<R> {
    let workers = threads.min(things.len()).max(1);
    let own = (threads / workers).max(1);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::default();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else { break };
            let result = work(thing, own);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The progress of one of several parallel searches: it may stop the search, and displays nothing.
pub(crate) struct SilentProgress<'a>(pub(crate) &'a dyn Progress);

impl Progress for SilentProgress<'_> {
    fn begin(&self, _title: &str) {}
    fn update(&self, _standing: ProgressSnapshot) {}
    fn end(&self) {}
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
    fn allocated(&self) -> u64 {
        0
    }
    fn peak(&self) -> u64 {
        0
    }
}
