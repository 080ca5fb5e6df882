//! The proc-macro shell: it reads the named file and hands its text to turnstile-emit.
//!
//! It reads that file only; it writes nothing and spawns nothing.

use std::fs::File;
use std::path::{Path, PathBuf};

use proc_macro::TokenStream;
use turnstile_emit::call::{Call, Origin};
use turnstile_emit::expand;
use turnstile_spec::Source;
use turnstile_spec::bundled::{self, Bundled};

/// A transition table in YAML as a typed machine: a module named after it.
///
/// ```text
/// turnstile_macros::machine!("tables/door.yaml"); // from the directory of Cargo.toml
/// turnstile_macros::machine!(bundled "claim"); // a table that ships with Turnstile
/// turnstile_macros::machine!("tables/door.yaml", derive(serde), tracing);
/// ```
///
/// The module has the names (`State`, `Event`, `Action`, `Resource`, `Guard`, `RowId`), the
/// functions `step` and `step_into`, the trait `Rules` with `Compiled` and `Interpreted`, the
/// table as data (`TABLE`), and `typestate`. With `derive(serde)` the names serialise as the
/// document spells them; with `tracing` each step is an event; the caller's crate then depends on
/// `serde` (with `derive`) or `tracing`.
///
/// Faults of the table are compile errors that point into its file.
#[proc_macro]
pub fn machine(words: TokenStream) -> TokenStream {
    expand(words, bundled::TABLES, expand::machine)
}

/// The properties of a system file as a trait: a module named after the system, with `Properties`,
/// which has a method for each property and each premise, and `Predicate`, their names.
///
/// The path is relative to the directory of Cargo.toml; `bundled "claim"` takes a system that ships
/// with Turnstile.
#[proc_macro]
pub fn system(words: TokenStream) -> TokenStream {
    expand(words, bundled::SYSTEMS, expand::system)
}

fn expand(
    words: TokenStream,
    bundled: &[Bundled],
    emit: fn(&Call, Source) -> proc_macro2::TokenStream,
) -> TokenStream {
    let call = match Call::parse(words.into()) {
        Ok(call) => call,
        Err(error) => return error.into(),
    };
    let source = match &call.origin {
        Origin::File(path) => file(path),
        Origin::Bundled(name) => shipped(name, bundled),
    };
    match source {
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

fn shipped(name: &str, bundled: &[Bundled]) -> Result<Source, String> {
    let Some(file) = bundled.iter().find(|file| file.name == name) else {
        let names: Vec<&str> = bundled.iter().map(|file| file.name).collect();
        return Err(format!("`{name}` is not bundled; there are: {}", names.join(", ")));
    };
    Ok(Source::new(file.file, file.text))
}
