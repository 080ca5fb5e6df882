#![doc = include_str!("../README.md")]

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
pub mod report;
mod schema;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use turnstile_harness::Systems;
use turnstile_scenario::Language;

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

/// What a program of this command line is made of.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The systems that it can run.
    pub systems: Systems,
    /// The nodes that its scenarios and traces can have.
    pub languages: &'static [Language],
}

/// Does what the command line asks.
#[must_use]
pub fn main(program: Program) -> ExitCode {
    let Program { systems, languages } = program;
    // Bad usage ends here, with status 2 and a text on standard error.
    let status = match Command::parse().verb {
        Verb::List(arguments) => list::run(&arguments, systems),
        Verb::Lint(arguments) => lint::run(&arguments),
        Verb::Check(arguments) => check::run(&arguments, systems),
        Verb::Amend(arguments) => amend::run(&arguments, systems),
        Verb::Mutate(arguments) => mutate::run(&arguments, systems),
        Verb::Render(arguments) => render::run(&arguments, systems),
        Verb::Replay(arguments) => replay::run(&arguments, languages),
        Verb::Explore(arguments) => explore::run(&arguments, systems),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Schema(arguments) => schema::run(&arguments),
    };
    ExitCode::from(status.code())
}
