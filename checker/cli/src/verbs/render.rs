//! `turnstile render`: tables for people, to standard output or into a folder, or a look whether
//! what stands in a folder is fresh.

mod rust;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnstile_harness::results::status::Status;
use turnstile_harness::{SourceFile, Systems};
use turnstile_render::docs::{self, Changed, Files, Mode, Trouble};
use turnstile_render::{Diagram, Format, Sheet, draw, focus, overview, picture, render};
use turnstile_spec::WrittenTable;
use turnstile_spec::nearest;
use turnstile_world::trace::counted;

use crate::library::{self, Library, NamedFile, Origin};
use crate::output::{report_warning, unreadable, usage_error, write_stdout};

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  rendered, also if `turnstile lint` finds errors in the rows, which standard error says; with
     `--check`: every file is fresh
  1  a file cannot be read as a table; with `--check`: a file is stale
  2  bad usage, or unreadable input
If several apply: 2, then 1.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table, or a file; no name: every table known here
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
    /// markdown, svg, matrix, mermaid, dot, or rust: what `machine!` expands to [default: markdown;
    /// with --out: the first three; with --focus or --level: svg]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,
    /// The options of `machine!`, for --to rust: a list of typestate, step_into, serde, tracing
    #[arg(long, value_name = "LIST", value_parser = crate::verbs::render::rust::options)]
    with: Option<turnstile_emit::Options>,
    /// Draw only this state, with all transitions into and out of it
    #[arg(long, value_name = "STATE", conflicts_with = "level")]
    focus: Option<String>,
    /// Draw whole rows with their actions, or an overview: final states and retries as notes,
    /// events without actions
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Write files into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; fail if a file of the folder is stale [in a checkout: generated/docs]
    #[arg(long)]
    check: bool,
}

/// What a table is rendered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A text or a picture for people.
    Format(Format),
    /// Rust.
    Rust,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Format(format) => format.name(),
            Self::Rust => rust::NAME,
        }
    }

    /// The ending of its files.
    fn suffix(self) -> &'static str {
        match self {
            Self::Format(format) => format.suffix(),
            Self::Rust => rust::SUFFIX,
        }
    }
}

/// How much of a table a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    Whole,
    Overview,
}

/// Writes, or looks.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    if let Err(what) = drawn(arguments) {
        return usage_error(what);
    }
    let library = match Library::load(systems, Arc::default()) {
        Ok(library) => library,
        Err(error) => return usage_error(&error),
    };
    let (files, mut status) = named(&library, &arguments.names);
    let (tables, unread) = read(&files);
    status = status.and(unread);
    let root = library.checkout.as_ref().and_then(|spec| spec.parent());
    let docs = root.map(|root| root.join("generated/docs"));
    let folder = arguments.out.clone().or_else(|| docs.filter(|_| arguments.check));
    match folder {
        Some(folder) if status == Status::Holds => {
            status = status.and(deliver(arguments, &tables, &folder));
        }
        None if arguments.check => {
            return usage_error("--check needs --out DIR outside of a checkout");
        }
        // A folder with half of the files would pass for a whole one.
        Some(_) => {}
        None => status = status.and(print(arguments, &tables)),
    }
    status
}

/// A selected table, and its origin.
struct Asked<'f> {
    literal: &'f WrittenTable,
    origin: Origin,
}

/// The files of the selected tables, and the status of finding them.
fn named(library: &Library, names: &[String]) -> (Vec<NamedFile>, Status) {
    let mut status = Status::Holds;
    let mut files: Vec<NamedFile> = Vec::new();
    if names.is_empty() {
        files.clone_from(&library.tables);
    }
    for name in names {
        match library.tables.iter().find(|one| one.file.name == *name) {
            Some(one) => files.push(one.clone()),
            None if library.is_file(name) => match library.files.read(Path::new(name)) {
                Ok(file) if file.is_system() => {
                    let what = format!("{name} is a system; this is asked of tables");
                    status = status.and(usage_error(&what));
                }
                Ok(file) => files.push(NamedFile { file, origin: Origin::Other }),
                Err(error) => status = status.and(usage_error(&error)),
            },
            None => {
                let what = library::unknown("table or file", name, &[&library.tables]);
                status = status.and(usage_error(&what));
            }
        }
    }
    (files, status)
}

/// The tables of files, each once, and the status of reading them.
fn read(files: &[NamedFile]) -> (Vec<Asked<'_>>, Status) {
    let mut status = Status::Holds;
    let mut tables: Vec<Asked<'_>> = Vec::new();
    for NamedFile { file, origin } in files {
        if tables.iter().any(|known| known.literal.source.name == file.source.name) {
            continue;
        }
        match file.written() {
            Ok(literal) => {
                warn(file);
                tables.push(Asked { literal, origin: *origin });
            }
            Err(faults) => status = status.and(unreadable(faults)),
        }
    }
    (tables, status)
}

/// Says that a table has errors: a page of it may show states without transitions.
fn warn(file: &SourceFile) {
    let Err(faults) = file.amended() else { return };
    let errors = counted(faults.list.len() as u64, "error");
    let name = &file.source.name;
    report_warning(&format!("`{name}` has {errors}; see `turnstile lint`"));
}

/// Whether a picture of a part is asked for.
fn is_part(arguments: &Arguments) -> bool {
    arguments.focus.is_some() || arguments.level.is_some()
}

/// Whether each table gives one file of its own, apart from its pages.
fn is_apart(arguments: &Arguments) -> bool {
    is_part(arguments) || arguments.to == Some(Target::Rust)
}

/// The format of a part of a table, where one is asked for.
fn drawn(arguments: &Arguments) -> Result<Target, &'static str> {
    let target = match arguments.to {
        None if is_part(arguments) => Target::Format(Format::Svg),
        None => Target::Format(Format::Markdown),
        Some(target) => target,
    };
    if arguments.with.is_some() && target != Target::Rust {
        return Err("--with is for --to rust");
    }
    let is_picture = matches!(target, Target::Format(format) if format.is_picture());
    if is_part(arguments) && !is_picture {
        return Err("--focus and --level are for pictures: --to svg, mermaid or dot");
    }
    if arguments.focus.is_some() && arguments.names.len() != 1 {
        return Err("--focus needs the one table that has the state");
    }
    Ok(target)
}

fn print(arguments: &Arguments, tables: &[Asked<'_>]) -> Status {
    let header = docs::header(&command(arguments), None);
    let pages = tables.iter().map(|table| page(arguments, table, &header));
    match pages.collect::<Result<Vec<String>, String>>() {
        Ok(pages) => write_stdout(&pages.join("\n")),
        Err(what) => usage_error(&what),
    }
}

/// A table in the format and in the part that is asked for.
fn page(arguments: &Arguments, table: &Asked<'_>, header: &str) -> Result<String, String> {
    let format = match drawn(arguments).map_err(str::to_owned)? {
        Target::Format(format) => format,
        Target::Rust => {
            return rust::text(table.literal, arguments.with, header);
        }
    };
    let sheet = Sheet::of(table.literal);
    if !is_part(arguments) {
        return Ok(render(&sheet, format, header));
    }
    let whole = draw(&sheet);
    let part = match (&arguments.focus, arguments.level) {
        (Some(state), _) => {
            focus(&whole, state).ok_or_else(|| no_state(table.literal, &whole, state))?
        }
        (None, Some(Level::Overview)) => overview(&whole),
        (None, Some(Level::Whole) | None) => whole,
    };
    Ok(picture(&part, format, header))
}

fn no_state(table: &WrittenTable, diagram: &Diagram, state: &str) -> String {
    let names = || diagram.nodes.iter().map(|node| node.name.as_str());
    let help = match nearest(state, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its states: {}", names().collect::<Vec<_>>().join(", ")),
    };
    format!("{} has no state `{state}`; {help}", table.vocabulary.machine)
}

/// Parts of tables as files.
fn parts(
    arguments: &Arguments,
    tables: &[Asked<'_>],
    origin: &docs::Origin,
) -> Result<Files, String> {
    let target = drawn(arguments).map_err(str::to_owned)?;
    let part = match (&arguments.focus, arguments.level) {
        (Some(state), _) => format!(".focus-{}", docs::stem(state)),
        (None, Some(Level::Overview)) => format!(".{}", docs::OVERVIEW),
        (None, Some(Level::Whole) | None) => String::new(),
    };
    let mut files = Files::new();
    for (nth, table) in tables.iter().enumerate() {
        let stem = docs::stem(&table.literal.vocabulary.machine);
        let text = page(arguments, table, &origin.header(nth))?;
        let name = format!("{stem}{part}.{}", target.suffix());
        if files.insert(name, text).is_some() {
            return Err(format!("two tables would be written to {stem}{part}.*"));
        }
    }
    Ok(files)
}

fn deliver(arguments: &Arguments, tables: &[Asked<'_>], folder: &Path) -> Status {
    let sources = tables.iter().map(|table| seen_from(folder, table)).collect();
    let origin = docs::Origin { command: command(arguments), sources };
    let parts = match is_apart(arguments).then(|| parts(arguments, tables, &origin)) {
        Some(Err(what)) => return usage_error(&what),
        Some(Ok(files)) => Some(files),
        None => None,
    };
    let literals: Vec<WrittenTable> = tables.iter().map(|table| table.literal.clone()).collect();
    let formats = match arguments.to {
        Some(Target::Format(format)) => vec![format],
        Some(Target::Rust) | None => docs::FORMATS.to_vec(),
    };
    let is_whole = arguments.names.is_empty() && arguments.to.is_none();
    let (files, origin) = match parts {
        Some(files) => (Ok(files), origin),
        None if is_whole => (docs::bundled(&literals), docs::Origin::known(docs::COMMAND)),
        None => (docs::pages(&literals, &formats, &origin), origin),
    };
    let mode = if arguments.check { Mode::Check } else { Mode::Write };
    let put_there = files.and_then(|files| {
        docs::put(folder, &files, mode, &origin).map(|changed| (files.len(), changed))
    });
    match put_there {
        Ok((count, changed)) => write_stdout(&words(folder, count, &changed)),
        Err(trouble @ Trouble::Stale { .. }) => {
            usage_error(&trouble.to_string());
            Status::Fails
        }
        Err(trouble @ (Trouble::Theirs { .. } | Trouble::Twice { .. } | Trouble::Io { .. })) => {
            usage_error(&trouble.to_string())
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
fn seen_from(folder: &Path, table: &Asked<'_>) -> String {
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
    words.extend(arguments.to.map(|target| format!("--to {}", target.name())));
    words.extend(arguments.with.map(rust::words));
    words.extend(arguments.focus.as_ref().map(|state| format!("--focus {}", quoted(state))));
    words.extend(arguments.level.map(|level| match level {
        Level::Whole => "--level whole".to_owned(),
        Level::Overview => "--level overview".to_owned(),
    }));
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

fn target(text: &str) -> Result<Target, String> {
    if text == rust::NAME || text == rust::SUFFIX {
        return Ok(Target::Rust);
    }
    let by_suffix = Format::ALL.into_iter().find(|format| format.suffix() == text);
    let names = Format::ALL.map(Format::name).join(", ");
    let format = Format::from_name(text).or(by_suffix).map(Target::Format);
    format.ok_or_else(|| format!("one of {names}, {}", rust::NAME))
}
