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

/// Compiles a transition table in YAML into a typed state machine: a module named after it.
///
/// ```text
/// turnstile_machine::machine!("tables/door.yaml"); // from the directory of Cargo.toml
/// turnstile_machine::machine!("tables/door.yaml", typestate, derive(serde), tracing);
/// ```
///
/// The module contains the names (`State`, `Event`, `Action`, `Resource`, `Guard`, `RowId`), the
/// function `step`, and `Machine`, which implements the traits of turnstile-machine. The caller's
/// crate depends on that crate, which re-exports this macro.
///
/// Options add code: `typestate`, the typestate form, with the state in the type of the machine;
/// `step_into`, a step that passes its actions to a sink; `derive(serde)`, names that serialise as
/// the document spells them (the caller's crate then depends on `serde` with `derive`, and on
/// turnstile-machine with its feature `serde`); `tracing`, an event of that crate for each step
/// (the caller's crate then depends on it).
///
/// In rustdoc the module shows the rows of the table, and with `diagram("docs/door.svg")` that
/// file, which `turnstile render door.yaml --to svg` writes. A build reads neither.
///
/// A use of `typestate::begin` or `step_into` without its option is a compile error that names the
/// option.
///
/// Errors in the table are compile errors at their position in the table's file.
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
