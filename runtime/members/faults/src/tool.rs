//! Programs of the system that are run to their end.

use std::io;
use std::process::Command;

/// Runs a program; what it says on standard error is the error.
pub(crate) fn run(command: &mut Command) -> io::Result<()> {
    let output = command.output().map_err(|error| named(command, &error.to_string()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(named(command, String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn named(command: &Command, error: &str) -> io::Error {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let program = command.get_program().to_string_lossy();
    io::Error::other(format!("{program} {}: {error}", words.join(" ")))
}
