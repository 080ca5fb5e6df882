//! `turnstile replay FILE`: a scenario, or the trace of a running driver, beside the shipped cores.
//!
//! It plays nothing itself and knows no core: that is the scenario runner's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use turnstile_harness::status::Status;
use turnstile_scenario::{Departure, Fault, Language, Replay, replay};

use super::library;
use super::output::{complain, put};

/// More departures of one file are counted, not shown: one is enough to look for.
const SHOWN_MAX: usize = 20;
/// A trace is as long as its service ran, but there are files without an end.
const TRACE_MAX: usize = 1 << 30;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A scenario, or what `turnstiled --trace` or `claim --trace` has written
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Plays each file and says where it departs from what the cores do.
pub(crate) fn run(arguments: &Arguments, languages: &[Language]) -> Status {
    arguments.files.iter().map(|path| play(path, languages)).fold(Status::Holds, Status::and)
}

fn play(path: &Path, languages: &[Language]) -> Status {
    let name = path.display().to_string();
    let text = match library::text(path, TRACE_MAX) {
        Ok(text) if text.len() > TRACE_MAX => {
            return complain(&format!("{name} is longer than 1 GiB: replay its beginning"));
        }
        Ok(text) => text,
        Err(error) => return complain(&error),
    };
    match replay(&text, languages) {
        Ok(replay) => put(&words(&name, &replay)).and(verdict(&replay)),
        Err(fault) => complain(&fault_words(&name, &fault)),
    }
}

const fn verdict(replay: &Replay) -> Status {
    if replay.is_as_written() { Status::Holds } else { Status::Fails }
}

fn words(name: &str, replay: &Replay) -> String {
    let Replay { nodes, steps, lines, departures, stopped } = replay;
    let mut text = String::new();
    for departure in departures.iter().take(SHOWN_MAX) {
        put_departure(&mut text, name, departure);
    }
    if let Some(more) = departures.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more");
    }
    if let Some(fault) = stopped {
        let _ = writeln!(text, "{}", fault_words(name, fault));
    }
    let count =
        |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    let end = match (departures.len(), stopped) {
        (0, None) => "as written".to_owned(),
        (some, None) => format!("{} from the cores", count(some, "departure")),
        (some, Some(fault)) => {
            format!(
                "{} from the cores, the last before line {}",
                count(some, "departure"),
                fault.line
            )
        }
    };
    let (nodes, steps, lines) =
        (count(*nodes, "node"), count(*steps, "step"), count(*lines, "line"));
    let _ = writeln!(text, "{name}: {nodes}, {steps}, {lines} compared: {end}");
    text
}

fn put_departure(text: &mut String, name: &str, departure: &Departure) {
    let Departure { line, input, written, now } = departure;
    let _ = writeln!(text, "{name}:{line}: {input}");
    let _ = match written {
        Some(written) => writeln!(text, "  written: {written}"),
        None => writeln!(text, "  written: nothing"),
    };
    let _ = match now {
        Some(now) => writeln!(text, "  now:     {now}"),
        None => writeln!(text, "  now:     nothing"),
    };
}

fn fault_words(name: &str, fault: &Fault) -> String {
    let Fault { line, text, because, help } = fault;
    format!("{name}:{line}: {because}\n  {text}\n  help: {help}")
}
