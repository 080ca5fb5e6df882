//! What a replay says: each difference, and a line that sums them up.

use std::fmt::Write as _;

use turnstile_harness::results::status::Status;
use turnstile_scenario::{LineError, Mismatch, Replay};

use crate::terminal;

/// Differences of one file that are printed; the others are counted.
const SHOWN_MAX: usize = 20;

/// The unit of comparison in a scenario, singular and plural.
pub(super) const LINES: [&str; 2] = ["line", "lines"];
/// The unit of comparison in a trace.
pub(super) const ROWS: [&str; 2] = ["row or effect", "rows and effects"];

pub(super) const fn verdict(replay: &Replay) -> Status {
    if replay.matches() { Status::Holds } else { Status::Fails }
}

pub(super) fn words(name: &str, replay: &Replay, compared: &[&str; 2]) -> String {
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

pub(super) fn count(count: usize, [one, many]: [&str; 2]) -> String {
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

pub(super) fn fault_words(name: &str, fault: &LineError) -> String {
    let LineError { line, text, reason, help } = fault;
    format!("{name}:{line}: {reason}\n  {text}\n  help: {help}")
}
