//! `rangefs` on the kernel: real programs, the kernel's own locks beside it, and faults.
//!
//! Needs root and FUSE:
//! `cargo test -p turnstile-byte-range-lock --features fuse-tests --test mount`. Tests run one
//! after the other; arguments choose those whose names have them.

mod actor;
mod appends;
mod beside;
mod coherence;
mod faults;
mod files;
mod locks;
mod many;
mod posix;
mod privileges;
mod programs;
mod shares;
mod shell;
mod support;
mod xattrs;

use std::env;
use std::panic;
use std::process::ExitCode;
use std::time::Instant;

use self::support::Watchdog;

type Test = (&'static str, fn());

/// All tests.
const TESTS: &[&[Test]] = &[
    files::TESTS,
    privileges::TESTS,
    xattrs::TESTS,
    appends::TESTS,
    shares::TESTS,
    beside::TESTS,
    coherence::TESTS,
    posix::TESTS,
    programs::TESTS,
    faults::TESTS,
    many::TESTS,
];

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some(actor::ARGUMENT) {
        return actor::serve();
    }
    if let Err(missing) = support::needs() {
        eprintln!("these tests mount file systems: {missing}");
        return ExitCode::FAILURE;
    }
    let chosen: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().copied().flatten() {
        if !chosen.is_empty() && !chosen.iter().any(|part| name.contains(part)) {
            continue;
        }
        let started = Instant::now();
        let watchdog = Watchdog::start(name);
        let outcome = panic::catch_unwind(test);
        drop(watchdog);
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("test {name} ... {verdict} ({:.1} s)", started.elapsed().as_secs_f64());
        if outcome.is_err() {
            failed.push(*name);
        }
    }
    if failed.is_empty() {
        println!("all tests passed");
        return ExitCode::SUCCESS;
    }
    println!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}
