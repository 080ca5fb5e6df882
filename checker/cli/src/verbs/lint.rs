//! `turnstile lint FILE...`: the diagnostics of the reader. Nothing is searched.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::{Report, ResultKind, ResultReport};
use turnstile_harness::results::status::Status;
use turnstile_harness::{SourceFile, SystemEntry};
use turnstile_search::bounds::NoProgress;
use turnstile_spec::{Severity, System, WrittenTable};
use turnstile_world::trace::counted;

use crate::report::paint::fold;

use crate::files::Files;
use crate::output::{usage_error, write_stdout};
use crate::terminal;

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  no errors
  1  a file has an error
  2  bad usage, or unreadable input
If several apply: 2, then 1.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Table and system files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print every finding and note with its source frame, not only on a line
    #[arg(long)]
    verbose: bool,
}

/// Reads each file and reports its diagnostics.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let mut status = Status::Holds;
    let mut results = Vec::new();
    let files = Files::default();
    for (nth, path) in arguments.files.iter().enumerate() {
        if arguments.files[..nth].contains(path) {
            continue;
        }
        match files.read(path) {
            Ok(file) => results.push(lint(&file, &files)),
            Err(error) => status = status.and(usage_error(&error)),
        }
    }
    status = results.iter().map(Status::of).fold(status, Status::and);
    let text = if arguments.json {
        crate::output::json(&Report::new(results))
    } else {
        let texts = results.iter().map(|result| words(result, arguments.verbose));
        texts.collect::<Vec<_>>().join("\n")
    };
    status.and(write_stdout(&text))
}

/// One file. A finding that an amendment fixes is no error of the file.
fn lint(file: &Arc<SourceFile>, files: &Files) -> ResultReport {
    if file.is_system() {
        let mut result = ResultReport::new(ResultKind::System, &file.name, None);
        match file.system() {
            Ok(system) => {
                system.name.clone_into(&mut result.name);
                result.faults = match files.table_system(file) {
                    Some(Ok(entry)) => of_tables(&entry, system),
                    Some(Err(faults)) => faults,
                    None => Vec::new(),
                };
            }
            Err(faults) => result.faults = FaultReport::errors(faults),
        }
        return lined(result, file);
    }
    let mut result = ResultReport::new(ResultKind::Table, &file.name, None);
    match file.written() {
        Ok(literal) => {
            literal.vocabulary.machine.clone_into(&mut result.name);
            let source = &literal.source;
            result.faults = match file.amended() {
                Ok(sound) => {
                    let mut faults = FaultReport::findings(&sound.warnings, source);
                    faults.extend(of_readings(literal));
                    faults
                }
                Err(faults) => FaultReport::errors(faults),
            };
            // A finding that no amendment fixes is already an error.
            let is_new = |finding: &FaultReport| !result.faults.iter().any(|f| f.is_like(finding));
            let findings = FaultReport::findings(&literal.findings, source).into_iter();
            let findings: Vec<FaultReport> = findings.filter(is_new).collect();
            result.faults.extend(findings);
        }
        Err(faults) => result.faults = FaultReport::errors(faults),
    }
    lined(result, file)
}

/// The errors of a table's readings.
fn of_readings(literal: &WrittenTable) -> Vec<FaultReport> {
    let errors = |id: &str| match literal.in_reading(id)? {
        Ok(read) => read.amended().err(),
        Err(faults) => Some(faults),
    };
    let faults = literal.readings.iter().filter_map(|reading| errors(&reading.id));
    faults.flat_map(|faults| FaultReport::errors(&faults)).collect()
}

/// The errors of a system's tables; if they have none, those of its worlds.
fn of_tables(entry: &SystemEntry, system: &System) -> Vec<FaultReport> {
    let errors = entry.tables.iter().filter_map(|table| table.file.amended().err());
    let errors = errors.flat_map(FaultReport::errors);
    let errors: Vec<FaultReport> = errors.collect();
    if !errors.is_empty() {
        return errors;
    }
    let mut faults: Vec<FaultReport> = Vec::new();
    for world in &system.worlds {
        if let Err(Refusal::Faults(found)) = entry.world(system, world, &Options::new(&NoProgress))
        {
            for fault in found {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
    }
    faults
}

fn lined(mut result: ResultReport, file: &SourceFile) -> ResultReport {
    result.notes.files.push(file.source.name.clone());
    "reader".clone_into(&mut result.engine);
    result.complete = true;
    result
}

fn words(result: &ResultReport, is_verbose: bool) -> String {
    let paint = terminal::paint();
    let file = result.notes.files.first().unwrap_or(&result.name);
    let of = |severity: Severity| -> Vec<&FaultReport> {
        result.faults.iter().filter(|fault| fault.severity == severity).collect()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let (findings, notes) = (of(Severity::Finding), of(Severity::Note));
    let mut text = frames(&errors) + &frames(&warnings);
    if is_verbose {
        text += &(frames(&notes) + &frames(&findings));
    }
    let count = |many: &[&FaultReport], what: &str| counted(many.len() as u64, what);
    let mut verdict = match (errors.is_empty(), warnings.is_empty()) {
        (true, true) => format!("{} {}", paint.good("✓"), paint.strong(file)),
        (true, false) => format!("{} {}", paint.open("!"), paint.strong(file)),
        (false, _) => format!("{} {}", paint.bad("✗"), paint.strong(file)),
    };
    let mut counts = Vec::new();
    for (list, what) in [(&errors, "error"), (&warnings, "warning")] {
        if !list.is_empty() {
            counts.push(count(list, what));
        }
    }
    if counts.is_empty() {
        counts.push("no errors".to_owned());
    }
    // The findings of a table with errors often follow from them.
    if errors.is_empty() && !findings.is_empty() {
        counts.push(format!("{} as written, all amended", count(&findings, "finding")));
    }
    verdict += &format!(": {}", counts.join("; "));
    if errors.is_empty() && !notes.is_empty() && !is_verbose {
        let covered: usize = notes.iter().map(|fault| fault.cells.len()).sum();
        let covered = counted(covered as u64, "cell");
        verdict += &paint.dim(&format!("; `any` covers {covered}, see --verbose"));
    }
    let _ = writeln!(text, "{verdict}");
    if errors.is_empty() && !is_verbose {
        for FaultReport { code, line, column, message, .. } in findings {
            let left = format!("  {code}  {:<8}", format!("{line}:{column}"));
            let indent = left.len();
            for (nth, words) in fold(message, paint.width.saturating_sub(indent)).iter().enumerate()
            {
                let left = if nth == 0 { paint.dim(&left) } else { " ".repeat(indent) };
                let _ = writeln!(text, "{left}{words}");
            }
        }
    }
    text
}

/// Each diagnostic with its source frame, its severity in colour.
fn frames(faults: &[&FaultReport]) -> String {
    let paint = terminal::paint();
    let frame = |fault: &&FaultReport| {
        let rendered = fault.rendered.trim_end();
        let (title, rest) = rendered.split_once(": ").unwrap_or(("", rendered));
        let (message, rest) = rest.split_once('\n').unwrap_or((rest, ""));
        let title = if fault.is_error() { paint.bad(title) } else { paint.open(title) };
        format!("{title}: {}\n{rest}\n\n", paint.strong(message))
    };
    faults.iter().map(frame).collect()
}
