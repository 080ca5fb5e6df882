//! Locks of a mount beside the kernel's own: the same random calls by processes of a tmpfs.
//!
//! Each sequence of calls is made twice, by processes that have a file of a tmpfs, whose locks are
//! the kernel's, and by others that have a file of a mount. All answers must be the same: granted,
//! refused, or waiting until some later call; and which lock `F_GETLK` names. The calls are those
//! of `fcntl` for locks of processes and of open file descriptions, `flock`, and all that releases
//! locks: `close` of any descriptor, the end of a child, and of a process that is killed. A signal
//! ends waits.
//!
//! These are the only differences:
//!
//! 1. By the document, a request is refused, or waits, also for an earlier one of another owner
//!    that waits, while the kernel grants past those. So a request of bytes that its owner does not
//!    have and for which another owner waits is made of the mount only, which has to refuse it.
//!    `flock` releases the old lock before it requests one of another type (flock(2)): then the
//!    tmpfs is told to release it. That waiting requests are granted in the order of their arrival
//!    is another test, of the mount alone.
//! 2. The kernel refuses to let processes wait for each other (`EDEADLK`), the mount does not. The
//!    mount does not learn of such a call; a wait that the kernel ends so is interrupted.
//! 3. `F_GETLK` names no process (-1) for a lock of an open file description, while a mount names
//!    the one that has requested it, which is an actor or a child of one (0 when it has ended). To
//!    `F_OFD_GETLK` the kernel names no process whatever a mount says.
//! 4. `F_GETLK` names the first lock of the owner that was the first to have one. When one call
//!    lets several waiting ones go on, the kernel grants them in any order. Later in such a
//!    sequence, the mount may name another lock.
//!
//! The kernel tells a file system of the last close of an open file when the program has gone on
//! already; then the test waits until `rangefs` has nothing more to do.
//!
//! `TURNSTILE_SEEDS` is the number of sequences, 300 if it is not set; `TURNSTILE_SEED` runs one.

pub(crate) mod call;
pub(crate) mod generate;
mod model;
mod order;
mod sequence;
mod sides;

use std::env;
use std::ops::Range;

use self::order::Queue;
use self::sequence::{Counts, Sides};
use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("locks_are_granted_as_the_kernel_grants_its_own", as_the_kernel),
    ("waiting_requests_are_granted_in_the_order_of_their_arrival", in_order),
];

fn as_the_kernel() {
    let (mut sides, mut counts) = (Sides::start(), Counts::default());
    for seed in seeds() {
        let outcome = sides.run(seed, &mut counts);
        report("locks_are_granted", seed, outcome);
    }
    let Counts { compared, waited, delayed, deadlocks, processes, locks } = counts;
    println!(
        "{compared} calls compared, {waited} of which waited; {delayed} refused for requests that \
         wait, {deadlocks} deadlocks, {processes} processes and {locks} locks named otherwise"
    );
}

fn in_order() {
    let (mut queue, mut calls) = (Queue::start(), 0);
    for seed in seeds() {
        let outcome = queue.run(seed, &mut calls);
        report("in_the_order", seed, outcome);
    }
    println!("{calls} calls checked");
}

pub(crate) fn seeds() -> Range<u64> {
    let number = |name: &str| {
        let text = env::var(name).ok();
        text.map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: not a number")))
    };
    match number("TURNSTILE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TURNSTILE_SEEDS").unwrap_or(300),
    }
}

#[track_caller]
pub(crate) fn report(test: &str, seed: u64, outcome: Result<(), String>) {
    if let Err(wrong) = outcome {
        panic!(
            "seed {seed}:\n{wrong}\nTURNSTILE_SEED={seed} cargo test -p turnstile-byte-range-lock \
             --features fuse-tests --test mount -- {test}"
        );
    }
}
