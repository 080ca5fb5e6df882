//! The command line: what is asked, one file for each verb. It decides nothing about a table.

mod allocation;
mod amend;
mod bounds;
mod check;
mod chosen;
mod explain;
mod explore;
mod library;
mod lint;
mod list;
mod mutate;
mod output;
mod render;
mod replacement;
mod replay;
mod schema;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Checks transition tables and the cores that run them, exhaustively.
#[derive(Debug, Parser)]
#[command(name = "turnstile", version, arg_required_else_help = true)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// The tables and systems known here
    List(list::Arguments),
    /// What is wrong with files, as far as reading them shows
    Lint(lint::Arguments),
    /// Search tables and systems to the end; no name: everything known here
    #[command(after_help = check::STATUSES)]
    Check(Box<check::Arguments>),
    /// Leave out each amendment and see that something fails then
    #[command(after_help = check::STATUSES)]
    Amend(amend::Arguments),
    /// Change each row, condition and formula and see that some property notices
    #[command(after_help = check::STATUSES)]
    Mutate(mutate::Arguments),
    /// Write tables as Markdown, diagrams and matrices
    Render(render::Arguments),
    /// Play a scenario or a trace on the shipped cores, and say where it departs
    Replay(replay::Arguments),
    /// Walk through a world or a table in a browser
    Explore(explore::Arguments),
    /// What a fault's code means, with an example
    Explain(explain::Arguments),
    /// The JSON Schema of the table language, for editors
    Schema(schema::Arguments),
}

/// Does what the command line asks.
pub(crate) fn run() -> ExitCode {
    // Bad usage ends here, with status 2 and a text on standard error.
    let status = match Command::parse().verb {
        Verb::List(arguments) => list::run(&arguments),
        Verb::Lint(arguments) => lint::run(&arguments),
        Verb::Check(arguments) => check::run(&arguments),
        Verb::Amend(arguments) => amend::run(&arguments),
        Verb::Mutate(arguments) => mutate::run(&arguments),
        Verb::Render(arguments) => render::run(&arguments),
        Verb::Replay(arguments) => replay::run(&arguments),
        Verb::Explore(arguments) => explore::run(&arguments),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Schema(arguments) => schema::run(&arguments),
    };
    ExitCode::from(status.code())
}
