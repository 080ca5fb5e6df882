//! `turnstile schema`: the JSON Schema of the table language, for editors.

use turnstile_harness::status::Status;
use turnstile_spec::schema;

use super::output::put;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The schema of system files instead
    #[arg(long)]
    system: bool,
}

/// Prints the schema.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let text = if arguments.system { schema::system() } else { schema::table() };
    put(&format!("{}\n", text.trim_end()))
}
