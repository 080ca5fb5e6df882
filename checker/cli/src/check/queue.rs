//! The jobs of a plan: one after the other, each with all threads, or side by side with one thread
//! each where there are many. Threads of one search wait for each other at every level; searches
//! do not.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use turnstile_harness::options::Options;
use turnstile_harness::result::ResultReport;

use super::beside::Beside;
use super::plan::Job;
use crate::terminal::{self, Line};

/// What a job comes to.
type Done = Result<Option<ResultReport>, String>;

/// Does the jobs and tells what each comes to in their order, nothing for the first that did not
/// begin before an interrupt. Who is told may break off. `is_alone`: one at
/// a time, whatever there is.
pub(super) fn run(
    jobs: &[Job],
    (options, line, is_alone): (&Options<'_>, &Line, bool),
    search: impl Fn(&Job, &Options<'_>) -> Done + Sync,
    mut tell: impl FnMut(usize, Option<Done>) -> ControlFlow<()>,
) {
    // The first searches after an interrupt say that they were cut. The others do not begin.
    let is_cut = AtomicBool::new(false);
    let search = |job: &Job, options: &Options<'_>| {
        if terminal::is_stopped() && is_cut.load(Ordering::Relaxed) {
            return None;
        }
        let done = search(job, options);
        if matches!(&done, Ok(Some(result)) if !result.complete) {
            is_cut.store(true, Ordering::Relaxed);
        }
        Some(done)
    };
    if is_alone || !is_many(jobs, options) {
        let mut jobs = jobs.iter().enumerate();
        jobs.try_for_each(|(nth, job)| tell(nth, search(job, options))).break_value();
        return;
    }
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..options.threads {
            let (sender, search, next, is_over) = (sender.clone(), &search, &next, &is_over);
            scope.spawn(move || {
                let progress = Beside::new(line, is_over);
                let options = Options { threads: 1, progress: &progress, ..options.clone() };
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(nth) else { return };
                    if sender.send((nth, search(job, &options))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early: Vec<Option<Option<Done>>> = jobs.iter().map(|_| None).collect();
        let mut due = 0;
        for (nth, done) in receiver {
            early[nth] = Some(done);
            while let Some(done) = early.get_mut(due).and_then(Option::take) {
                if tell(due, done).is_break() {
                    is_over.store(true, Ordering::Relaxed);
                    return;
                }
                due += 1;
            }
        }
    });
}

/// Whether there are so many jobs that one thread each keeps all threads busy to the end. What a
/// search allocates is known only where it is alone, and the peer's engine asks for that.
fn is_many(jobs: &[Job], options: &Options<'_>) -> bool {
    let is_counted = options.limits.max_memory.is_some();
    let worlds = jobs.iter().filter(|job| matches!(job, Job::World { .. })).count();
    options.threads > 1 && worlds >= 4 * options.threads && !is_counted
}
