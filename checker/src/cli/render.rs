//! `turnstile render`: tables for people, to standard output or into a folder, or a look whether
//! what stands in a folder is fresh.

use std::path::{Path, PathBuf};

use turnstile_checker::report::status::Status;
use turnstile_render::docs::{self, Files, Mode, Trouble};
use turnstile_render::{Format, Sheet, render};
use turnstile_spec::literal::Literal;

use super::library::{self, Library, Text};
use super::output::{complain, put};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table, or a file; no name: every table known here
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
    /// markdown, svg, matrix, mermaid or dot [default: markdown; with --out: the first three]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: Option<Format>,
    /// Write files into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; fail if a file of the folder is stale [in a checkout: generated/docs]
    #[arg(long)]
    check: bool,
}

/// Writes, or looks.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let library = match Library::load() {
        Ok(library) => library,
        Err(error) => return complain(&error),
    };
    let (literals, mut status) = read(&library, &arguments.names);
    let root = library.checkout.as_ref().and_then(|spec| spec.parent());
    let docs = root.map(|root| root.join("generated/docs"));
    let folder = arguments.out.clone().or_else(|| docs.filter(|_| arguments.check));
    match folder {
        Some(folder) if status == Status::Holds => {
            status = status.and(deliver(arguments, &literals, &folder));
        }
        None if arguments.check => {
            return complain("--check needs --out DIR outside of a checkout");
        }
        // A folder with half of the files would pass for a whole one.
        Some(_) => {}
        None => status = status.and(print(arguments, &literals)),
    }
    status
}

/// The tables that are asked for, and what became of reading them.
fn read(library: &Library, names: &[String]) -> (Vec<Literal>, Status) {
    let mut status = Status::Holds;
    let mut texts: Vec<Text> = Vec::new();
    if names.is_empty() {
        texts.clone_from(&library.tables);
    }
    for name in names {
        match library.tables.iter().find(|text| text.name == *name) {
            Some(text) => texts.push(text.clone()),
            None if Path::new(name).exists() || name.ends_with(".yaml") => {
                match library::read(Path::new(name)) {
                    Ok(text) => texts.push(text),
                    Err(error) => status = status.and(complain(&error)),
                }
            }
            None => {
                let what = library::unknown("table or file", name, &[&library.tables]);
                status = status.and(complain(&what));
            }
        }
    }
    let mut literals = Vec::new();
    for text in texts {
        match Literal::read(text.source) {
            Ok(literal) => literals.push(literal),
            Err(faults) => {
                complain(&format!("not rendered:\n{faults}"));
                status = status.and(Status::Fails);
            }
        }
    }
    (literals, status)
}

fn print(arguments: &Arguments, literals: &[Literal]) -> Status {
    let format = arguments.to.unwrap_or(Format::Markdown);
    let header = docs::header(&command(arguments));
    let pages = literals.iter().map(|table| render(&Sheet::of(table), format, &header));
    put(&pages.collect::<Vec<_>>().join("\n"))
}

fn deliver(arguments: &Arguments, literals: &[Literal], folder: &Path) -> Status {
    let (files, command): (Files, String) = if arguments.names.is_empty() && arguments.to.is_none()
    {
        (docs::bundled(literals), docs::COMMAND.to_owned())
    } else {
        let formats = arguments.to.map_or(docs::FORMATS.to_vec(), |format| vec![format]);
        let command = command(arguments);
        (docs::pages(literals, &formats, &command), command)
    };
    let mode = if arguments.check { Mode::Check } else { Mode::Write };
    match docs::put(folder, &files, mode, &command) {
        Ok(differing) => {
            let lines = differing.iter().map(|path| format!("wrote {}\n", path.display()));
            put(&lines.collect::<String>())
        }
        Err(trouble @ Trouble::Stale { .. }) => {
            complain(&trouble.to_string());
            Status::Fails
        }
        Err(trouble @ Trouble::Io { .. }) => complain(&trouble.to_string()),
    }
}

/// The command that writes the same again.
fn command(arguments: &Arguments) -> String {
    let mut words = vec!["turnstile render".to_owned()];
    words.extend(arguments.names.iter().cloned());
    words.extend(arguments.to.map(|format| format!("--to {}", format.name())));
    words.extend(arguments.out.as_ref().map(|out| format!("--out {}", out.display())));
    words.join(" ")
}

fn format(text: &str) -> Result<Format, String> {
    let by_suffix = Format::ALL.into_iter().find(|format| format.suffix() == text);
    let names = Format::ALL.map(Format::name).join(", ");
    Format::from_name(text).or(by_suffix).ok_or_else(|| format!("one of {names}"))
}
