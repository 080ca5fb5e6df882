//! `turnstile replay --together FILE…`: the traces of all nodes of one run.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Take};
use std::path::{Path, PathBuf};

use turnstile_harness::results::status::Status;
use turnstile_scenario::Replay;
use turnstile_scenario::trace::{Impossible, Run, Together, is_trace, replay_together};

use crate::files;
use crate::output::{usage_error, write_stdout};
use crate::program::Program;
use crate::terminal;
use crate::verbs::replay::limit::{BYTES_MAX, is_longer, too_long};
use crate::verbs::replay::words::{ROWS, count, fault_words, verdict, words};

/// Replays the files and prints every difference, and the first message that cannot have been.
pub(super) fn run(paths: &[PathBuf], program: &Program) -> Status {
    let mut names = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        match open(path) {
            Ok(file) => files.push(file),
            Err(error) => return usage_error(&error),
        }
        names.push(path.display().to_string());
    }
    let Together { replays, run } = replay_together(files.iter_mut(), program.languages);
    let long = names.iter().zip(&files).find(|(_, file)| is_longer(file));
    if let Some((name, _)) = long {
        return usage_error(&too_long(name));
    }
    let mut status = Status::Holds;
    for (name, replay) in names.iter().zip(&replays) {
        status = status.and(match replay {
            Ok(replay) => write_stdout(&words(name, replay, &ROWS)).and(verdict(replay)),
            Err(fault) => usage_error(&fault_words(name, fault)),
        });
    }
    match run {
        None => status,
        Some(run) => status.and(judged(&names, &replays, &run)),
    }
}

fn open(path: &Path) -> Result<BufReader<Take<File>>, String> {
    let mut file = BufReader::new(files::open(path)?.take(BYTES_MAX + 1));
    match file.fill_buf().map(is_trace) {
        Ok(true) => Ok(file),
        Ok(false) => {
            Err(format!("{} is no trace: only traces can be replayed together", path.display()))
        }
        Err(error) => Err(files::unread(path, &error)),
    }
}

/// Prints whether they are traces of one run.
fn judged<E>(names: &[String], replays: &[Result<Replay, E>], run: &Run) -> Status {
    let Run { received, lost, impossible } = run;
    let paint = terminal::paint();
    if let Some(Impossible { trace, line, node, from, message, reason }) = impossible {
        let name = &names[*trace];
        let text = format!(
            "{name}:{line}: {node} receives from {from}: {message}\n  {reason}\n{} together: not \
             one run\n",
            paint.bad("✗")
        );
        return write_stdout(&text).and(Status::Fails);
    }
    let all = replays.iter().flatten();
    let nodes = count(all.map(|replay| replay.nodes).sum(), ["node", "nodes"]);
    let messages = count(*received, ["message", "messages"]);
    let counts = paint.dim(&format!("({nodes}, {messages} received, {lost} lost or in transit)"));
    write_stdout(&format!("{} together: one run {counts}\n", paint.good("✓")))
}
