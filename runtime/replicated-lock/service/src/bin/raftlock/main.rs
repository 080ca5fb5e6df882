//! `raftlock`: members of the replicated lock service, and commands that run under its locks.

mod cli;
mod member;
mod members;
mod service;
mod snapshot;
mod status;
mod user;
mod wire;

use std::path::Path;
use std::process::ExitCode;

use tokio::runtime::Builder;
use turnstile_local::{Failure, parse, print, reap};

use self::cli::{Cli, CliCommand};
use self::user::{PROGRAM, user};

fn main() -> ExitCode {
    let Cli { command } = parse();
    match command {
        CliCommand::Reap => {
            reap();
            ExitCode::SUCCESS
        }
        CliCommand::Member(args) => PROGRAM.finish(Builder::new_multi_thread(), member::run(args)),
        CliCommand::Run { socket, run } => PROGRAM.run(&socket.socket, &run),
        CliCommand::Members { command } => {
            PROGRAM.finish(Builder::new_current_thread(), members::run(command))
        }
        CliCommand::Snapshot { command } => {
            PROGRAM.finish(Builder::new_current_thread(), snapshot::run(command))
        }
        CliCommand::Status { socket, json } => {
            let printed = print_status(&socket.socket, json);
            PROGRAM.finish(Builder::new_current_thread(), printed)
        }
    }
}

/// Prints what the member knows.
async fn print_status(socket: &Path, json: bool) -> Result<u8, Failure> {
    let status = user(socket).status().await?;
    print(&if json { format!("{status}\n") } else { status::text(&status) })?;
    Ok(0)
}
