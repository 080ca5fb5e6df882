//! `turnstile explain T012`: what a fault's code means.

use turnstile_harness::status::Status;
use turnstile_spec::explain;

use super::output::{complain, put};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The code of a fault, as printed with it: T012
    code: String,
}

/// Prints the page of the code.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let code = arguments.code.to_uppercase();
    if let Some(page) = explain::explain(&code) {
        return put(&format!("{}\n", page.trim_end()));
    }
    let codes = explain::CODES.join(", ");
    complain(&format!("no fault has the code {}; the codes are {codes}", arguments.code))
}
