//! `turnstile import FILE`: the tables of a document as a table file.

use std::fs;
use std::io::{self, Write as _, stderr};
use std::path::{Path, PathBuf};

use turnstile_harness::results::status::Status;
use turnstile_import::{Imported, Options, import};
use turnstile_spec::{Diagnostic, Severity, Source};

use crate::files::Files;
use crate::output::{is_same_file, usage_error, write_stdout};

/// The exit statuses, and what the files have, for `--help`.
pub(crate) const HELP: &str = "\
Documents: Markdown (.md), AsciiDoc (.adoc), CSV (.csv, .tsv); any other name: tables drawn with
`|`, `+` and `-`. A table of transitions has the columns Source, Destination, Condition or Event,
and Actions; or it is a grid of states and events. A table of states has State, Description and
Associated data.

The file of --cells is a table in any of these formats with the columns State, Event, Because. A
line says why an event cannot occur in a state; commas separate several, `any` is every other state.

Each guess is a comment of the table file and a line on standard error.

Exit status:
  0  the table file is written
  1  the document has an error
  2  bad usage, or a file cannot be read or written; nothing is overwritten";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The document with the tables
    #[arg(value_name = "FILE")]
    document: PathBuf,
    /// A table of cells that cannot happen: State, Event, Because
    #[arg(long, value_name = "FILE")]
    cells: Option<PathBuf>,
    /// The heading above the table, if the document has several tables of transitions
    #[arg(long, value_name = "HEADING")]
    section: Option<String>,
    /// Write the table to a new file, not to standard output
    #[arg(long, value_name = "FILE.yaml")]
    out: Option<PathBuf>,
}

/// Reads the document and writes the table.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let inputs = [Some(&arguments.document), arguments.cells.as_ref()];
    if let Some(out) = &arguments.out
        && let Some(input) = inputs.into_iter().flatten().find(|input| is_same_file(input, out))
    {
        return usage_error(&format!(
            "--out {} would replace what is read: {}",
            out.display(),
            input.display()
        ));
    }
    let files = Files::default();
    let read = |path: &Path| files.read(path).map(|file| file.source.clone());
    let document = match read(&arguments.document) {
        Ok(document) => document,
        Err(error) => return usage_error(&error),
    };
    let cells = match arguments.cells.as_deref().map(read).transpose() {
        Ok(cells) => cells,
        Err(error) => return usage_error(&error),
    };
    let options = Options { section: arguments.section.as_deref(), cells: cells.as_ref() };
    let imported = match import(&document, options) {
        Ok(imported) => imported,
        Err(faults) => {
            report(&turnstile_report::text(&faults));
            return Status::Fails;
        }
    };
    let status = match &arguments.out {
        Some(out) => save(out, &imported.text),
        None => write_stdout(&imported.text),
    };
    if status == Status::Holds {
        notes(&imported, &document);
        if let Some(out) = &arguments.out {
            let out = out.display();
            report(&format!("wrote {out}\nnext: turnstile lint {out}\n"));
        }
    }
    status
}

/// What is not imported with its frame, and each guess on a line.
fn notes(imported: &Imported, document: &Source) {
    let mut text = String::new();
    for note in &imported.notes {
        if note.severity == Severity::Warning {
            text += &format!("{}\n\n", turnstile_report::frame(note, document));
        }
    }
    // The notes are in the document's order: its lines are counted once.
    let (mut line, mut start) = (1, 0);
    for note in imported.notes.iter().filter(|note| note.severity == Severity::Note) {
        let at = note.span().start as usize;
        let before = &document.text[start..at];
        line += before.matches('\n').count();
        start += before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = document.text[start..at].chars().count() + 1;
        let Diagnostic { code, message, .. } = note;
        text += &format!("{}:{line}:{column}: guess[{code}]: {message}\n", document.name);
    }
    report(&text);
}

/// Writes to standard error; if that is closed, only the status tells.
fn report(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Writes a new file, whole or not at all: it gets its name once it is complete.
fn save(path: &Path, text: &str) -> Status {
    match write(path, text) {
        Ok(()) => Status::Holds,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => usage_error(&format!(
            "{} exists already: choose another name, or remove it",
            path.display()
        )),
        Err(error) => usage_error(&format!("cannot write {}: {error}", path.display())),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    // What is no file, such as a pipe, takes the text as it is.
    if path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir()) {
        return fs::write(path, text);
    }
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::File::create_new(&part)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        // A link, unlike a rename, does not replace a file that has come meanwhile.
        .and_then(|()| match fs::hard_link(&part, path) {
            // Not every file system has links.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => fs::rename(&part, path),
            linked => linked,
        });
    // After a rename there is nothing left to remove.
    let _ = fs::remove_file(&part);
    written
}
