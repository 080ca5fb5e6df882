//! `render --to rust`: a table as the module that `machine!` expands to, to be checked in where no
//! proc macro is wanted.

use turnstile_emit::{Options, expand, pretty};
use turnstile_spec::WrittenTable;

/// The name of the format.
pub(super) const NAME: &str = "rust";
/// The ending of its files.
pub(super) const SUFFIX: &str = "rs";

/// The options of `machine!`, by their names here.
const OPTIONS: [&str; 4] = ["typestate", "step_into", "serde", "tracing"];

/// The module of a table.
pub(super) fn text(
    literal: &WrittenTable,
    options: Option<Options>,
    header: &str,
) -> Result<String, String> {
    let name = &literal.source.name;
    let module = expand::module(literal, options.unwrap_or_default()).map_err(|faults| {
        format!(
            "`{name}` has errors, and an erroneous table has no Rust:\n{}",
            turnstile_report::text(&faults)
        )
    })?;
    let module = pretty(module).map_err(|error| format!("{name}: {error}"))?;
    let allowed =
        "#[allow(clippy::all, clippy::pedantic, clippy::restriction, unreachable_pub, unused)]";
    Ok(format!("// {header}\n{allowed}\n{module}"))
}

/// `typestate,serde`.
pub(super) fn options(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    for word in text.split(',') {
        match word.trim() {
            "typestate" => options.typestate = true,
            "step_into" => options.step_into = true,
            "serde" => options.serde = true,
            "tracing" => options.tracing = true,
            _ => return Err(format!("expected a list of {}", OPTIONS.join(", "))),
        }
    }
    Ok(options)
}

/// The options as the command line has them.
pub(super) fn words(options: Options) -> String {
    let given = [options.typestate, options.step_into, options.serde, options.tracing];
    let given = OPTIONS.into_iter().zip(given).filter(|(_, is_given)| *is_given);
    let given: Vec<&str> = given.map(|(name, _)| name).collect();
    format!("--with {}", given.join(","))
}
