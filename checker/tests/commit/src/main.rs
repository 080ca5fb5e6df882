//! Model-checks two-phase commit: the command line of Turnstile with a single system.
//!
//! `turnstile-commit check`, `turnstile-commit amend --verify`, `turnstile-commit explore commit`.

mod coordinator;
mod message;
mod nodes;
mod participant;
mod predicates;
mod system;

use std::process::ExitCode;

use turnstile_cli::Program;
use turnstile_harness::Systems;

fn main() -> ExitCode {
    turnstile_cli::main(Program { systems: Systems::new([system::entry()]), languages: &[] })
}
