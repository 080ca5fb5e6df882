//! `turnstile lint FILE...`: what reading files shows, and nothing more.

use std::path::PathBuf;

use turnstile_checker::report::fault::FaultReport;
use turnstile_checker::report::result::{Kind, Report, ResultReport};
use turnstile_checker::report::status::Status;
use turnstile_checker::report::text;
use turnstile_spec::System;
use turnstile_spec::literal::Literal;

use super::library::{self, Text};
use super::output::{complain, put};
use super::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tables and systems to read
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads each file and says what is wrong with it.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let mut status = Status::Holds;
    let mut results = Vec::new();
    for (nth, path) in arguments.files.iter().enumerate() {
        if arguments.files[..nth].contains(path) {
            continue;
        }
        match library::read(path) {
            Ok(text) => results.push(lint(&text)),
            Err(error) => status = status.and(complain(&error)),
        }
    }
    status = results.iter().map(Status::of).fold(status, Status::and);
    let text = if arguments.json {
        super::output::json(&Report::new(results))
    } else {
        results.iter().map(words).collect()
    };
    status.and(put(&text))
}

/// One file. A finding that an amendment mends is no fault of the file.
fn lint(text: &Text) -> ResultReport {
    let source = text.source.clone();
    if is_system(text) {
        let mut result = ResultReport::new(Kind::System, &text.name, None);
        match System::read(source) {
            Ok(system) => system.name.clone_into(&mut result.name),
            Err(faults) => result.faults = FaultReport::errors(&faults),
        }
        return lined(result, text);
    }
    let mut result = ResultReport::new(Kind::Table, &text.name, None);
    match Literal::read(source) {
        Ok(literal) => {
            literal.vocabulary.machine.clone_into(&mut result.name);
            match literal.amended() {
                Ok(_) if literal.findings.is_empty() => {}
                Ok(_) => result.notes.remarks.push(format!(
                    "{} findings as written, every one amended",
                    literal.findings.len()
                )),
                Err(faults) => result.faults = FaultReport::errors(&faults),
            }
        }
        Err(faults) => result.faults = FaultReport::errors(&faults),
    }
    lined(result, text)
}

fn lined(mut result: ResultReport, text: &Text) -> ResultReport {
    result.notes.files.push(text.source.name.clone());
    "reader".clone_into(&mut result.engine);
    result.complete = true;
    result
}

/// Whether a file says that it is a system, as far as can be seen whatever is wrong with it.
pub(crate) fn is_system(text: &Text) -> bool {
    let mut lines = text.source.text.trim_start_matches('\u{feff}').lines();
    lines.any(|line| line.starts_with("system:"))
}

fn words(result: &ResultReport) -> String {
    let paint = terminal::paint();
    let file = result.notes.files.first().unwrap_or(&result.name);
    if result.faults.is_empty() {
        let remark: String =
            result.notes.remarks.iter().map(|remark| format!(" ({remark})")).collect();
        return format!("{file}: {}{}\n", paint.good("no faults"), paint.dim(&remark));
    }
    let count = text::counted(result.faults.len() as u64, "fault");
    let frames: String =
        result.faults.iter().map(|fault| format!("{}\n\n", fault.rendered.trim_end())).collect();
    format!("{frames}{file}: {}\n", paint.bad(&count))
}
