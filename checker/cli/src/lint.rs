//! `turnstile lint FILE...`: what reading files shows, and nothing more.

use std::fmt::Write as _;
use std::path::PathBuf;

use turnstile_harness::fault::FaultReport;
use turnstile_harness::result::{Kind, Report, ResultReport};
use turnstile_harness::status::Status;
use turnstile_spec::{Literal, System};
use turnstile_world::trace::counted;

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
    /// Print every finding as written and every note with its frame, not only a line each
    #[arg(long)]
    verbose: bool,
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
        results.iter().map(|result| words(result, arguments.verbose)).collect()
    };
    status.and(put(&text))
}

/// One file. A finding that an amendment mends is no fault of the file.
fn lint(text: &Text) -> ResultReport {
    if is_system(text) {
        let mut result = ResultReport::new(Kind::System, &text.name, None);
        match System::read(text.source.clone()) {
            Ok(system) => system.name.clone_into(&mut result.name),
            Err(faults) => result.faults = FaultReport::errors(&faults),
        }
        return lined(result, text);
    }
    let mut result = ResultReport::new(Kind::Table, &text.name, None);
    match Literal::read(text.source.clone()) {
        Ok(literal) => {
            literal.vocabulary.machine.clone_into(&mut result.name);
            let source = &literal.source;
            result.faults = match literal.amended() {
                Ok(sound) => FaultReport::findings(&sound.warnings, source),
                Err(faults) => FaultReport::errors(&faults),
            };
            // What no amendment mends is an error already.
            let is_new = |finding: &FaultReport| !result.faults.iter().any(|f| f.is_like(finding));
            let findings = FaultReport::findings(&literal.findings, source).into_iter();
            let findings: Vec<FaultReport> = findings.filter(is_new).collect();
            result.faults.extend(findings);
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

fn words(result: &ResultReport, is_verbose: bool) -> String {
    let paint = terminal::paint();
    let file = result.notes.files.first().unwrap_or(&result.name);
    let of = |severity: &str| -> Vec<&FaultReport> {
        result.faults.iter().filter(|fault| fault.severity == severity).collect()
    };
    let (errors, warnings) = (of("error"), of("warning"));
    let (findings, notes) = (of("finding"), of("note"));
    let mut text = frames(&errors) + &frames(&warnings);
    if is_verbose {
        text += &(frames(&notes) + &frames(&findings));
    }
    let count = |many: &[&FaultReport], what: &str| counted(many.len() as u64, what);
    let mut verdict = match (errors.is_empty(), warnings.is_empty()) {
        (true, true) => paint.good("no faults"),
        (true, false) => paint.bad(&count(&warnings, "warning")),
        (false, true) => paint.bad(&count(&errors, "fault")),
        (false, false) => {
            paint.bad(&format!("{}, {}", count(&errors, "fault"), count(&warnings, "warning")))
        }
    };
    // Of a table with faults, what it has as written follows from them as often as not.
    if errors.is_empty() && !findings.is_empty() {
        let findings = count(&findings, "finding");
        verdict += &paint.dim(&format!(" ({findings} as written, every one amended)"));
    }
    if errors.is_empty() && !notes.is_empty() {
        let covered: usize = notes.iter().map(|fault| fault.cells.len()).sum();
        let covered = counted(covered as u64, "cell");
        verdict += &paint.dim(&format!(" (`any` covers {covered}: --verbose lists them)"));
    }
    let _ = writeln!(text, "{file}: {verdict}");
    if errors.is_empty() && !is_verbose {
        for FaultReport { code, line, column, message, .. } in findings {
            let _ = writeln!(text, "  {code}  {line}:{column}  {message}");
        }
    }
    text
}

fn frames(faults: &[&FaultReport]) -> String {
    faults.iter().map(|fault| format!("{}\n\n", fault.rendered.trim_end())).collect()
}
