//! `turnstile new NAME`: a commented table, or a folder with a system of two tables, that checks
//! clean.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use turnstile_harness::status::Status;

use super::output::{usage_error, write_stdout};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The machine's or the system's name: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    name: String,
    /// Make a folder NAME with a system of two tables
    #[arg(long)]
    system: bool,
}

/// The exit statuses, for `--help`.
pub(super) const STATUSES: &str = "\
Exit status:
  0  the files are written
  2  bad usage, or a file cannot be written; nothing is overwritten";

const TABLE: &str = include_str!("../templates/table.yaml");
const SYSTEM: [(&str, &str); 3] = [
    ("NAME.yaml", include_str!("../templates/system.yaml")),
    ("client.yaml", include_str!("../templates/client.yaml")),
    ("server.yaml", include_str!("../templates/server.yaml")),
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
    let files: Vec<(PathBuf, String)> = if arguments.system {
        let file = |(file, text): &(&str, &str)| {
            (Path::new(name).join(file.replace("NAME", name)), text.replace("NAME", name))
        };
        SYSTEM.iter().map(file).collect()
    } else {
        vec![(PathBuf::from(format!("{name}.yaml")), TABLE.replace("NAME", name))]
    };
    if arguments.system
        && let Err(error) = fs::create_dir(name)
    {
        return usage_error(&unwritten(Path::new(name), &error));
    }
    for (path, text) in &files {
        if let Err(error) = write(path, text) {
            return usage_error(&unwritten(path, &error));
        }
    }
    let first = files[0].0.display();
    let written: String =
        files.iter().map(|(path, _)| format!("wrote {}\n", path.display())).collect();
    write_stdout(&format!("{written}next: turnstile check {first}\n"))
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
