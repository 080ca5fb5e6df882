//! `raftlock`: members of the replicated lock service, and commands that run under its locks.

mod cli;
mod member;
mod members;
mod service;
mod snapshot;
mod status;
mod wire;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use tokio::runtime::Builder;
use turnstile_local::{Client, Failure, Program, print, reap};

use self::cli::{Cli, CliCommand};
use self::wire::{Reply, Request};

/// This program.
const PROGRAM: Program =
    Program { name: "raftlock", variable: "RAFTLOCK", undecided: "has no contact to a majority" };

/// The maximum time for what the member and its leader do, which have time-outs of 10 s.
const CHANGE_MAX: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
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

/// A user of the member at a socket.
const fn user(socket: &Path) -> Client<'_> {
    Client::new(PROGRAM, socket)
}

/// Prints what the member knows.
async fn print_status(socket: &Path, json: bool) -> Result<u8, Failure> {
    let status = user(socket).status().await?;
    print(&if json { format!("{status}\n") } else { status::text(&status) })?;
    Ok(0)
}

/// Has the member do something that has no result.
async fn have_done(socket: &Path, request: &Request) -> Result<u8, Failure> {
    let Reply::Done = user(socket).ask(request, CHANGE_MAX).await? else { return Err(undone()) };
    Ok(0)
}

fn undone() -> Failure {
    Failure::Unavailable("the member does not say whether it is done".into())
}
