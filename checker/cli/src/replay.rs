//! `turnstile replay FILE`: a scenario, or the trace of a running driver, beside the shipped cores.
//!
//! It plays nothing itself and knows no core: that is the scenario runner's.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Take};
use std::path::{Path, PathBuf};

use turnstile_harness::status::Status;
use turnstile_scenario::{Departure, Fault, Language, Replay, replay, trace};

use super::library;
use super::output::{complain, put};

/// More departures of one file are counted, not shown: one is enough to look for.
const SHOWN_MAX: usize = 20;
/// A trace is as long as its service ran, but there are files without an end.
const BYTES_MAX: u64 = 1 << 30;

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
    let mut file = match library::open(path) {
        Ok(file) => BufReader::new(file.take(BYTES_MAX + 1)),
        Err(error) => return complain(&error),
    };
    let is_trace = match file.fill_buf() {
        Ok(beginning) => trace::is_trace(beginning),
        Err(error) => return complain(&library::unread(path, &error)),
    };
    let replayed = if is_trace {
        trace::replay(&mut file, languages)
    } else {
        match library::text_of(path, &mut file, BYTES_MAX) {
            Ok(_) if is_longer(&file) => Ok(Replay::default()),
            Ok(text) => replay(&text, languages),
            Err(error) => return complain(&error),
        }
    };
    if is_longer(&file) {
        return complain(&format!("{name} is longer than 1 GiB: replay its beginning"));
    }
    let unit = if is_trace { &ROWS } else { &LINES };
    match replayed {
        Ok(replay) => put(&words(&name, &replay, unit)).and(verdict(&replay)),
        Err(fault) => complain(&fault_words(&name, &fault)),
    }
}

/// Whether more was read than may be.
fn is_longer(file: &BufReader<Take<File>>) -> bool {
    file.get_ref().limit() == 0
}

/// What is compared of a scenario, one and many.
const LINES: [&str; 2] = ["line", "lines"];
/// What is compared of a trace.
const ROWS: [&str; 2] = ["row or effect", "rows and effects"];

const fn verdict(replay: &Replay) -> Status {
    if replay.is_as_written() { Status::Holds } else { Status::Fails }
}

fn words(name: &str, replay: &Replay, compared: &[&str; 2]) -> String {
    let Replay { nodes, steps, lines, departures, stopped, late: _, torn: _ } = replay;
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
    let (nodes, steps) = (count(*nodes, ["node", "nodes"]), count(*steps, ["step", "steps"]));
    let lines = count(*lines, *compared);
    let _ = writeln!(text, "{name}: {nodes}, {steps}, {lines} compared: {}", end(replay));
    text
}

fn count(count: usize, [one, many]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What it comes to.
fn end(replay: &Replay) -> String {
    let departures = count(replay.departures.len(), ["departure", "departures"]);
    let mut end = match (replay.departures.len(), &replay.stopped) {
        (0, None) => "as written".to_owned(),
        (_, None) => format!("{departures} from the cores"),
        (_, Some(fault)) => {
            format!("{departures} from the cores, the last before line {}", fault.line)
        }
    };
    if replay.late > 0 {
        let timers = count(replay.late, ["timer", "timers"]);
        let _ = write!(end, "; {timers} fired though disarmed");
    }
    if let Some(line) = replay.torn {
        let _ = write!(end, "; line {line} is torn, as by a process that was killed");
    }
    end
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
