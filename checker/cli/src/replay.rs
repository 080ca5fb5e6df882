//! `turnstile replay FILE`: replays scenarios and traces of running services on the cores.
//!
//! The scenario runner does the work; this file only prints.

mod together;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnstile_harness::status::Status;
use turnstile_scenario::{LineError, Mismatch, Replay, replay, trace};

use super::counterexample;
use super::files::{self, Files};
use super::output::{usage_error, write_stdout};
use super::terminal;
use crate::Program;

/// Differences of one file that are printed; the others are counted.
const SHOWN_MAX: usize = 20;
/// The longest file that is read, in bytes: a device has no end.
const BYTES_MAX: u64 = 1 << 30;

/// The exit statuses, for `--help`.
pub(super) const STATUSES: &str = "\
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

/// Whether more was read than may be.
fn is_longer(file: &BufReader<Take<File>>) -> bool {
    file.get_ref().limit() == 0
}

fn too_long(name: &str) -> String {
    format!("{name} is longer than 1 GiB: replay a prefix of it")
}

/// The unit of comparison in a scenario, singular and plural.
const LINES: [&str; 2] = ["line", "lines"];
/// The unit of comparison in a trace.
const ROWS: [&str; 2] = ["row or effect", "rows and effects"];

const fn verdict(replay: &Replay) -> Status {
    if replay.matches() { Status::Holds } else { Status::Fails }
}

fn words(name: &str, replay: &Replay, compared: &[&str; 2]) -> String {
    let Replay { nodes, steps, lines, mismatches, stopped_at, late_timers: _, truncated_line: _ } =
        replay;
    let mut text = String::new();
    for mismatch in mismatches.iter().take(SHOWN_MAX) {
        put_mismatch(&mut text, name, mismatch);
    }
    if let Some(more) = mismatches.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    if let Some(fault) = stopped_at {
        let _ = writeln!(text, "{}", fault_words(name, fault));
    }
    let (nodes, steps) = (count(*nodes, ["node", "nodes"]), count(*steps, ["step", "steps"]));
    let lines = count(*lines, *compared);
    let paint = terminal::paint();
    let verdict = match replay.matches() {
        true => paint.good("✓"),
        false => paint.bad("✗"),
    };
    let counts = paint.dim(&format!("({nodes}, {steps}, {lines} compared)"));
    let _ = writeln!(text, "{verdict} {name}: {} {counts}", end(replay));
    text
}

fn count(count: usize, [one, many]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The end of the summary line.
fn end(replay: &Replay) -> String {
    let mismatches = count(replay.mismatches.len(), ["difference", "differences"]);
    let mut end = match (replay.mismatches.len(), &replay.stopped_at) {
        (0, None) => "no difference".to_owned(),
        (_, None) => mismatches,
        (_, Some(fault)) => {
            format!("{mismatches}, stopped at line {}", fault.line)
        }
    };
    if replay.late_timers > 0 {
        let timers = count(replay.late_timers, ["timer", "timers"]);
        let _ = write!(end, "; {timers} fired after being disarmed");
    }
    if let Some(line) = replay.truncated_line {
        let _ = write!(end, "; line {line} is incomplete, as after a crash");
    }
    end
}

fn put_mismatch(text: &mut String, name: &str, mismatch: &Mismatch) {
    let Mismatch { line, input, expected, actual } = mismatch;
    let _ = writeln!(text, "{name}:{line}: {input}");
    let _ = match expected {
        Some(expected) => writeln!(text, "  recorded: {expected}"),
        None => writeln!(text, "  recorded: nothing"),
    };
    let _ = match actual {
        Some(actual) => writeln!(text, "  replayed: {actual}"),
        None => writeln!(text, "  replayed: nothing"),
    };
}

fn fault_words(name: &str, fault: &LineError) -> String {
    let LineError { line, text, reason, help } = fault;
    format!("{name}:{line}: {reason}\n  {text}\n  help: {help}")
}
