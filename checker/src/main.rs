//! The `turnstile` command.

use std::process::ExitCode;

use turnstile_cli::Program;

fn main() -> ExitCode {
    turnstile_cli::main(Program {
        systems: turnstile_checker::SYSTEMS.clone(),
        languages: turnstile_checker::PROTOCOLS,
    })
}
