//! Work on each processor.

use std::sync::Mutex;
use std::thread;

/// Does this with each, as many at a time as there are processors: their times are measured.
pub fn in_parallel<T: Send>(all: Vec<T>, each: impl Fn(T) + Sync) {
    let queue = Mutex::new(all.into_iter());
    let next = || queue.lock().expect("nobody panics while it is locked").next();
    let work = || {
        while let Some(one) = next() {
            each(one);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}
