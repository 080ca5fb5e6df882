//! `turnstile new NAME`: a commented table, or a folder with a system of two tables, that checks
//! clean; or a crate that runs the table.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use turnstile_harness::results::status::Status;

use crate::output::{usage_error, write_stdout};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The machine's or the system's name: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    name: String,
    /// Make a folder NAME with a system of two tables
    #[arg(long)]
    system: bool,
    /// Make a folder NAME with a crate that runs the table, on tokio
    #[arg(long, conflicts_with = "system")]
    rust: bool,
    /// The checkout of Turnstile that the crate depends on [default: the one that this program was
    /// built from]
    #[arg(long, value_name = "DIR", requires = "rust")]
    checkout: Option<PathBuf>,
}

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  the files are written
  2  bad usage, or a file cannot be written; nothing is overwritten";

const TABLE: &str = include_str!("../../templates/table.yaml");
const SYSTEM: [(&str, &str); 3] = [
    ("NAME.yaml", include_str!("../../templates/system.yaml")),
    ("client.yaml", include_str!("../../templates/client.yaml")),
    ("server.yaml", include_str!("../../templates/server.yaml")),
];

const CRATE: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("../../templates/crate/Cargo.toml.txt")),
    ("NAME.yaml", TABLE),
    ("src/main.rs", include_str!("../../templates/crate/main.rs.txt")),
];

/// Names that cargo or rustc has another use for.
const NO_CRATES: [&str; 46] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "pub", "ref", "return", "self", "static", "std", "struct", "super", "test", "trait", "true",
    "try",
];

/// Writes the files.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let name = arguments.name.as_str();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(is_plain) {
        return usage_error(&format!(
            "`{name}` cannot name a machine: begin with a letter, and use letters, digits, `-` \
             and `_`"
        ));
    }
    let files = match files(arguments) {
        Ok(files) => files,
        Err(what) => return usage_error(&what),
    };
    if arguments.system || arguments.rust {
        let folders = fs::create_dir(name).and_then(|()| match arguments.rust {
            true => fs::create_dir(Path::new(name).join("src")),
            false => Ok(()),
        });
        if let Err(error) = folders {
            return usage_error(&unwritten(Path::new(name), &error));
        }
    }
    for (path, text) in &files {
        if let Err(error) = write(path, text) {
            return usage_error(&unwritten(path, &error));
        }
    }
    let written: String =
        files.iter().map(|(path, _)| format!("wrote {}\n", path.display())).collect();
    let next = match arguments.rust {
        true => format!("turnstile check {name}/{name}.yaml && cd {name} && cargo run"),
        false => format!("turnstile check {}", files[0].0.display()),
    };
    write_stdout(&format!("{written}next: {next}\n"))
}

/// The files, with the name in their texts.
fn files(arguments: &Arguments) -> Result<Vec<(PathBuf, String)>, String> {
    let name = arguments.name.as_str();
    let file = |(file, text): &(&str, &str)| {
        (Path::new(name).join(file.replace("NAME", name)), text.replace("NAME", name))
    };
    if arguments.system {
        return Ok(SYSTEM.iter().map(file).collect());
    }
    if !arguments.rust {
        return Ok(vec![(PathBuf::from(format!("{name}.yaml")), TABLE.replace("NAME", name))]);
    }
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    let (_, dependencies) = CRATE[0].1.split_once("[dependencies]").expect("it has some");
    let is_dependency = dependencies.lines().any(|line| line.split(" =").next() == Some(name));
    let is_crate = name.split(['-', '_']).all(is_word) && !NO_CRATES.contains(&name);
    if !is_crate || is_dependency {
        return Err(format!(
            "`{name}` cannot name a crate: use lower-case words and digits, with one `-` or `_` \
             between them, that Rust does not use itself, and not the name of a dependency"
        ));
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let checkout = arguments.checkout.as_ref().unwrap_or(&own);
    let actor = checkout.join("runtime/kit/actor/Cargo.toml");
    let checkout = actor.is_file().then(|| checkout.canonicalize().ok()).flatten();
    let checkout = checkout.ok_or_else(|| {
        format!("{} is not there: name a checkout of Turnstile, --checkout DIR", actor.display())
    })?;
    // A string of TOML is escaped as one of Rust.
    let path = |folder: &str| format!("{:?}", checkout.join(folder).display().to_string());
    let (actor, machine) = (path("runtime/kit/actor"), path("macros/machine"));
    let crate_file = |(path, text)| {
        let (path, text) = file(&(path, text));
        let text = text.replace("MODULE", &name.replace('-', "_"));
        (path, text.replace("\"ACTOR\"", &actor).replace("\"MACHINE\"", &machine))
    };
    Ok(CRATE.into_iter().map(crate_file).collect())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

fn unwritten(path: &Path, error: &std::io::Error) -> String {
    let name = path.display();
    if error.kind() == ErrorKind::AlreadyExists {
        return format!("{name} exists already: choose another name, or remove it");
    }
    format!("cannot write {name}: {error}")
}
