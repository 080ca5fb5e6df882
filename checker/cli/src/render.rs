//! `turnstile render`: tables for people, to standard output or into a folder, or a look whether
//! what stands in a folder is fresh.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnstile_harness::Systems;
use turnstile_harness::read;
use turnstile_harness::status::Status;
use turnstile_render::docs::{self, Changed, Mode, Trouble};
use turnstile_render::{Format, Sheet, render};
use turnstile_spec::literal::Literal;
use turnstile_world::trace::counted;

use super::library::{self, Library, Origin, Text};
use super::lint;
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
pub(crate) fn run(arguments: &Arguments, systems: Systems) -> Status {
    let library = match Library::load(systems) {
        Ok(library) => library,
        Err(error) => return complain(&error),
    };
    let (tables, mut status) = read(&library, &arguments.names);
    let root = library.checkout.as_ref().and_then(|spec| spec.parent());
    let docs = root.map(|root| root.join("generated/docs"));
    let folder = arguments.out.clone().or_else(|| docs.filter(|_| arguments.check));
    match folder {
        Some(folder) if status == Status::Holds => {
            status = status.and(deliver(arguments, tables, &folder));
        }
        None if arguments.check => {
            return complain("--check needs --out DIR outside of a checkout");
        }
        // A folder with half of the files would pass for a whole one.
        Some(_) => {}
        None => status = status.and(print(arguments, &tables)),
    }
    status
}

/// A table that is asked for, and where it comes from.
struct Asked {
    literal: Arc<Literal>,
    origin: Origin,
}

/// The tables that are asked for, each once, and what became of reading them.
fn read(library: &Library, names: &[String]) -> (Vec<Asked>, Status) {
    let mut status = Status::Holds;
    let mut texts: Vec<Text> = Vec::new();
    if names.is_empty() {
        texts.clone_from(&library.tables);
    }
    for name in names {
        match library.tables.iter().find(|text| text.name == *name) {
            Some(text) => texts.push(text.clone()),
            None if library.is_file(name) => match library::read(Path::new(name)) {
                Ok(text) if lint::is_system(&text) => {
                    let what = format!("{name} is a system; this is asked of tables");
                    status = status.and(complain(&what));
                }
                Ok(text) => texts.push(text),
                Err(error) => status = status.and(complain(&error)),
            },
            None => {
                let what = library::unknown("table or file", name, &[&library.tables]);
                status = status.and(complain(&what));
            }
        }
    }
    let mut tables: Vec<Asked> = Vec::new();
    for Text { source, origin, .. } in texts {
        if tables.iter().any(|known| known.literal.source.name == source.name) {
            continue;
        }
        match read::literal(&source) {
            Ok(literal) => tables.push(Asked { literal, origin }),
            Err(faults) => {
                complain(&format!("not rendered:\n{faults}"));
                status = status.and(Status::Fails);
            }
        }
    }
    (tables, status)
}

fn print(arguments: &Arguments, tables: &[Asked]) -> Status {
    let format = arguments.to.unwrap_or(Format::Markdown);
    let header = docs::header(&command(arguments), None);
    let sheets = tables.iter().map(|table| Sheet::of(&table.literal));
    let pages = sheets.map(|sheet| render(&sheet, format, &header));
    put(&pages.collect::<Vec<_>>().join("\n"))
}

fn deliver(arguments: &Arguments, tables: Vec<Asked>, folder: &Path) -> Status {
    let sources = tables.iter().map(|table| seen_from(folder, table)).collect();
    let literals: Vec<Literal> =
        tables.into_iter().map(|table| Literal::clone(&table.literal)).collect();
    let formats = arguments.to.map_or(docs::FORMATS.to_vec(), |format| vec![format]);
    let is_whole = arguments.names.is_empty() && arguments.to.is_none();
    let (files, origin) = if is_whole {
        (docs::bundled(&literals), docs::Origin::known(docs::COMMAND))
    } else {
        let origin = docs::Origin { command: command(arguments), sources };
        (docs::pages(&literals, &formats, &origin), origin)
    };
    let mode = if arguments.check { Mode::Check } else { Mode::Write };
    let put_there = files.and_then(|files| {
        docs::put(folder, &files, mode, &origin).map(|changed| (files.len(), changed))
    });
    match put_there {
        Ok((count, changed)) => put(&words(folder, count, &changed)),
        Err(trouble @ Trouble::Stale { .. }) => {
            complain(&trouble.to_string());
            Status::Fails
        }
        Err(trouble @ (Trouble::Theirs { .. } | Trouble::Twice { .. } | Trouble::Io { .. })) => {
            complain(&trouble.to_string())
        }
    }
}

/// What was written and what was removed.
fn words(folder: &Path, count: usize, changed: &Changed) -> String {
    let Changed { written, removed } = changed;
    let wrote = written.iter().map(|path| format!("wrote {}\n", path.display()));
    let gone = removed
        .iter()
        .map(|path| format!("removed {}, which these tables gave before\n", path.display()));
    let lines: String = wrote.chain(gone).collect();
    if lines.is_empty() {
        let count = counted(count as u64, "file");
        return format!("{}: {count}, each as it should be\n", folder.display());
    }
    lines
}

/// Where a table's file is, as seen from a folder; a table inside the program goes by its name.
fn seen_from(folder: &Path, table: &Asked) -> String {
    let name = &table.literal.source.name;
    let known = match table.origin {
        Origin::Bundled => return name.clone(),
        Origin::Same | Origin::Other => Path::new(name).canonicalize(),
    };
    let (Ok(file), Ok(folder)) = (known, whole(folder)) else { return name.clone() };
    let mut file = file.components().peekable();
    let mut folder = folder.components().peekable();
    while file.peek().is_some() && file.peek() == folder.peek() {
        file.next();
        folder.next();
    }
    let up = folder.map(|_| PathBuf::from(".."));
    let way: PathBuf = up.chain(std::iter::once(file.collect())).collect();
    way.display().to_string()
}

/// A folder's place from the root, though it may not be there yet.
fn whole(folder: &Path) -> std::io::Result<PathBuf> {
    match (folder.canonicalize(), folder.parent(), folder.file_name()) {
        (Err(_), Some(parent), Some(name)) if parent.as_os_str().is_empty() => {
            Ok(Path::new(".").canonicalize()?.join(name))
        }
        (Err(_), Some(parent), Some(name)) => Ok(whole(parent)?.join(name)),
        (found, _, _) => found,
    }
}

/// The command that writes the same again.
fn command(arguments: &Arguments) -> String {
    let mut words = vec!["turnstile render".to_owned()];
    words.extend(arguments.names.iter().map(|name| quoted(name)));
    words.extend(arguments.to.map(|format| format!("--to {}", format.name())));
    let out = arguments.out.as_ref().map(|out| quoted(&out.display().to_string()));
    words.extend(out.map(|out| format!("--out {out}")));
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn format(text: &str) -> Result<Format, String> {
    let by_suffix = Format::ALL.into_iter().find(|format| format.suffix() == text);
    let names = Format::ALL.map(Format::name).join(", ");
    Format::from_name(text).or(by_suffix).ok_or_else(|| format!("one of {names}"))
}
