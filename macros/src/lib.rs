#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! The crate reads the named file, and only that file. It writes nothing and spawns nothing.

use std::fs::File;
use std::path::{Path, PathBuf};

use proc_macro::TokenStream;
use turnstile_emit::call::Call;
use turnstile_emit::expand;
use turnstile_spec::Source;

/// A transition table in YAML as a typed machine: a module named after it.
///
/// ```text
/// turnstile_machine::machine!("tables/door.yaml"); // from the directory of Cargo.toml
/// turnstile_machine::machine!("tables/door.yaml", typestate, derive(serde), tracing);
/// ```
///
/// The module has the names (`State`, `Event`, `Action`, `Resource`, `Guard`, `RowId`), the
/// function `step`, and `Machine`, which turnstile-machine's `Rules` run: the caller's crate
/// depends on that crate, and calls this macro by its name there.
///
/// What costs more is made only where it is asked for: `typestate`, the machine with its state in
/// its type; `step_into`, the step that gives its actions to a sink; `derive(serde)`, names that
/// serialise as the document spells them (the caller's crate then depends on `serde` with `derive`,
/// and on turnstile-machine with its feature `serde`); `tracing`, an event of that crate for each
/// step (the caller's crate then depends on it).
///
/// In rustdoc the module shows the rows of the table, and with `diagram("docs/door.svg")` that
/// file, which `turnstile render door.yaml --to svg` writes. A build reads neither.
///
/// A call of `typestate::begin` or `step_into` that was not asked for is an error that says so.
///
/// Faults of the table are compile errors that point into its file.
#[proc_macro]
pub fn machine(words: TokenStream) -> TokenStream {
    expand(words, expand::machine)
}

/// The properties of a system file as a trait: a module named after the system, with `Properties`,
/// which has a method for each property and each premise, and `Predicate`, their names.
///
/// The path is relative to the directory of Cargo.toml.
#[cfg(feature = "systems")]
#[proc_macro]
pub fn system(words: TokenStream) -> TokenStream {
    expand(words, expand::system)
}

fn expand(words: TokenStream, emit: fn(&Call, Source) -> proc_macro2::TokenStream) -> TokenStream {
    let call = match Call::parse(words.into()) {
        Ok(call) => call,
        Err(error) => return error.into(),
    };
    match file(&call.path) {
        Ok(source) => emit(&call, source).into(),
        Err(message) => call.error(&message).into(),
    }
}

fn file(path: &str) -> Result<Source, String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    if path.is_empty() || Path::new(path).is_absolute() {
        return Err(format!("`{path}` is no path from {}, where Cargo.toml is", root.display()));
    }
    let file = File::open(root.join(path)).and_then(|file| Source::from_reader(path, file));
    file.map_err(|error| format!("cannot read {path} in {}: {error}", root.display()))
}
