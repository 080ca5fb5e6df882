//! `turnstile explain T012`: the explanation of a diagnostic's code.

use turnstile_harness::results::status::Status;
use turnstile_manual::explain;
use turnstile_spec::diagnostic::code;

use crate::output::{usage_error, write_stdout};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The code in a diagnostic's first line, for example T012
    #[arg(value_name = "CODE")]
    code: String,
}

/// Prints the page of the code.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let name = arguments.code.to_uppercase();
    if let Some(page) = explain::explain(&name).or_else(|| turnstile_import::code::explain(&name)) {
        return write_stdout(&format!("{}\n", page.trim_end()));
    }
    let range = |codes: &[&'static str]| {
        let ends = [codes.first(), codes.last()].map(|code| code.map_or("", |code| *code));
        ends.join(" to ")
    };
    let (reader, import) = (range(code::ALL), range(turnstile_import::code::ALL));
    let name = &arguments.code;
    usage_error(&format!("no diagnostic has the code {name}; codes: {reader}, {import}"))
}
