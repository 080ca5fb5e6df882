//! `grouplock`: members of a group, and commands that run under its locks.

mod cli;
mod member;
mod service;
mod status;

use std::process::ExitCode;

use serde_json::Value;
use tokio::runtime::Builder;
use turnstile_local::{Client, Failure, parse, print, reap};

use self::cli::{Cli, CliCommand, PROGRAM, PrintArgs};

fn main() -> ExitCode {
    let Cli { command } = parse();
    let shown =
        |args, part, text| PROGRAM.finish(Builder::new_current_thread(), show(args, part, text));
    match command {
        CliCommand::Reap => {
            reap();
            ExitCode::SUCCESS
        }
        CliCommand::Member(args) => PROGRAM.finish(Builder::new_multi_thread(), member::run(args)),
        CliCommand::Run { socket, run } => PROGRAM.run(&socket.socket, &run),
        CliCommand::Ls(args) => shown(args, Some("locks"), status::locks),
        CliCommand::Members(args) => shown(args, Some("members"), status::members),
        CliCommand::Status(args) => shown(args, None, status::text),
    }
}

/// Prints what the member knows, as text, or a part of it as JSON.
async fn show(
    args: PrintArgs,
    part: Option<&str>,
    text: fn(&Value) -> String,
) -> Result<u8, Failure> {
    let status = Client::new(PROGRAM, &args.socket.socket).status().await?;
    let shown = part.map_or(&status, |part| &status[part]);
    print(&if args.json { format!("{shown}\n") } else { text(&status) })?;
    Ok(0)
}
