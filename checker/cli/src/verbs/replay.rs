//! `turnstile replay FILE`: replays scenarios and traces of running services on the cores.
//!
//! The scenario runner does the work; what is here only prints.

mod limit;
mod together;
mod words;

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnstile_harness::results::status::Status;
use turnstile_scenario::{Replay, replay, trace};

use crate::verbs::replay::limit::{BYTES_MAX, is_longer, too_long};
use crate::verbs::replay::words::{LINES, ROWS, fault_words, verdict, words};

use crate::counterexample;
use crate::files::{self, Files};
use crate::output::{usage_error, write_stdout};
use crate::program::Program;

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  the cores do what the files say, and each counterexample is still one
  1  a difference
  2  bad usage, or unreadable input
If several apply: 2, then 1.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Scenarios, traces written by a service with `--trace`, or counterexamples written by
    /// `turnstile check --trace`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the files as the traces of all nodes of one run, and check that each message which a
    /// node received was sent to it before, in one order of all their steps. A node must be known
    /// to the others by its name, as members of a group are (`grouplock member --trace`)
    #[arg(long)]
    together: bool,
}

/// Replays each file and prints every difference from what the cores do.
pub(crate) fn run(arguments: &Arguments, program: &Program) -> Status {
    if arguments.together {
        return together::run(&arguments.files, program);
    }
    let read = Arc::<Files>::default();
    let play = |path: &PathBuf| play(path, program, &read);
    arguments.files.iter().map(play).fold(Status::Holds, Status::and)
}

fn play(path: &Path, Program { systems, languages }: &Program, read: &Arc<Files>) -> Status {
    let name = path.display().to_string();
    let mut file = match files::open(path) {
        Ok(file) => BufReader::new(file.take(BYTES_MAX + 1)),
        Err(error) => return usage_error(&error),
    };
    let (is_trace, is_counterexample) = match file.fill_buf() {
        Ok(beginning) => (trace::is_trace(beginning), counterexample::is_counterexample(beginning)),
        Err(error) => return usage_error(&files::unread(path, &error)),
    };
    if is_counterexample {
        return match files::text_of(path, &mut file, BYTES_MAX) {
            Ok(text) if !is_longer(&file) => counterexample::replay(&name, &text, (systems, read)),
            Ok(_) => usage_error(&too_long(&name)),
            Err(error) => usage_error(&error),
        };
    }
    let replayed = if is_trace {
        trace::replay(&mut file, languages)
    } else {
        match files::text_of(path, &mut file, BYTES_MAX) {
            Ok(_) if is_longer(&file) => Ok(Replay::default()),
            Ok(text) => replay(&text, languages),
            Err(error) => return usage_error(&error),
        }
    };
    if is_longer(&file) {
        return usage_error(&too_long(&name));
    }
    let unit = if is_trace { &ROWS } else { &LINES };
    match replayed {
        Ok(replay) => write_stdout(&words(&name, &replay, unit)).and(verdict(&replay)),
        Err(fault) => usage_error(&fault_words(&name, &fault)),
    }
}
