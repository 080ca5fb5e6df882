//! Programs of the system that are run to their end.

use std::io;
use std::process::Command;

/// Runs a program; what it says on standard error is the error.
pub(crate) fn run(command: &mut Command) -> io::Result<()> {
    output(command).map(drop)
}

/// The same, with what it has written on standard output, which of a failure is part of the error.
pub(crate) fn output(command: &mut Command) -> io::Result<String> {
    let output = command.output().map_err(|error| named(command, &error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.success() {
        true => Ok(said.into_owned()),
        false => {
            let error = String::from_utf8_lossy(&output.stderr);
            Err(named(command, format!("{said}{error}").trim()))
        }
    }
}

fn named(command: &Command, error: &str) -> io::Error {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let program = command.get_program().to_string_lossy();
    io::Error::other(format!("{program} {}: {error}", words.join(" ")))
}
