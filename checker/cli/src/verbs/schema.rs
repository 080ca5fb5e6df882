//! `turnstile schema`: the JSON Schema of table and system files, for editors.

use turnstile_harness::results::status::Status;
use turnstile_manual::schema;

use crate::output::write_stdout;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print the schema of system files instead of that of tables
    #[arg(long)]
    system: bool,
}

/// Prints the schema.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let text = if arguments.system { schema::system() } else { schema::table() };
    write_stdout(&format!("{}\n", text.trim_end()))
}
