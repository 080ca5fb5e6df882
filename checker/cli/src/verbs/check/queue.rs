//! The jobs of a plan: one after the other, each with all threads, or side by side with one thread
//! each where there are many. Threads of one search wait for each other at every level; searches
//! do not.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use turnstile_harness::options::Options;
use turnstile_harness::results::result::ResultReport;

use crate::terminal::{self, ProgressLine};
use crate::verbs::check::plan::Job;
use crate::verbs::check::shared_progress::SharedProgress;

/// The result of a job; an error is a usage error.
type JobResult = Result<Option<ResultReport>, String>;

/// Runs the jobs and passes each result to `tell` in their order; `None` for the first that did not
/// start before an interrupt. `tell` may stop the queue. `is_alone`:
/// jobs never run in parallel.
pub(super) fn run(
    jobs: &[Job],
    (options, line, is_alone): (&Options<'_>, &ProgressLine, bool),
    search: impl Fn(&Job, &Options<'_>) -> JobResult + Sync,
    mut tell: impl FnMut(usize, Option<JobResult>) -> ControlFlow<()>,
) {
    // Searches that an interrupt truncates say so. Those after them do not start.
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
                let progress = SharedProgress::new(line, is_over);
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
        let mut early: Vec<Option<Option<JobResult>>> = jobs.iter().map(|_| None).collect();
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

/// Whether there are enough jobs to keep every thread busy with one job each. A memory bound needs
/// searches one at a time: allocations are counted for the whole process.
fn is_many(jobs: &[Job], options: &Options<'_>) -> bool {
    let is_counted = options.limits.max_memory.is_some();
    let worlds = jobs.iter().filter(|job| matches!(job, Job::World { .. })).count();
    options.threads > 1 && worlds >= 4 * options.threads && !is_counted
}
