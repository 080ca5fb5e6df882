//! `turnstile explain T012`: the explanation of a diagnostic's code.

use turnstile_harness::results::status::Status;
use turnstile_manual::explain;

use crate::output::{usage_error, write_stdout};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The code in a diagnostic's first line, for example T012
    #[arg(value_name = "CODE")]
    code: String,
}

/// Prints the page of the code.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let code = arguments.code.to_uppercase();
    if let Some(page) = explain::explain(&code).or_else(|| turnstile_import::code::explain(&code)) {
        return write_stdout(&format!("{}\n", page.trim_end()));
    }
    let range = |codes: &[&'static str]| {
        let ends = [codes.first(), codes.last()].map(|code| code.map_or("", |code| *code));
        ends.join(" to ")
    };
    let (reader, import) = (range(explain::CODES), range(turnstile_import::code::ALL));
    let code = &arguments.code;
    usage_error(&format!("no diagnostic has the code {code}; codes: {reader}, {import}"))
}
