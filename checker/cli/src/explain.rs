//! `turnstile explain T012`: the explanation of a diagnostic's code.

use turnstile_harness::status::Status;
use turnstile_spec::explain;

use super::output::{usage_error, write_stdout};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The code in a diagnostic's first line, for example T012
    #[arg(value_name = "CODE")]
    code: String,
}

/// Prints the page of the code.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let code = arguments.code.to_uppercase();
    if let Some(page) = explain::explain(&code) {
        return write_stdout(&format!("{}\n", page.trim_end()));
    }
    let (first, last) = (explain::CODES.first(), explain::CODES.last());
    let range = [first, last].map(|code| code.map_or("", |code| *code)).join(" to ");
    usage_error(&format!("no diagnostic has the code {}; codes: {range}", arguments.code))
}
