#![doc = include_str!("../README.md")]

mod amend;
mod bounds;
mod check;
mod counterexample;
mod explain;
mod explore;
mod files;
mod import;
mod library;
mod lint;
mod list;
mod mutate;
mod new;
mod output;
mod program;
mod render;
mod replacement;
mod replay;
pub mod report;
mod same_table;
mod schema;
mod selection;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use program::Program;

/// Model checker for transition tables and for the cores that run them
#[derive(Debug, Parser)]
#[command(name = "turnstile", version, arg_required_else_help = true, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the tables, systems and worlds that can be checked by name
    List(list::Arguments),
    /// Report the errors, warnings and findings of table and system files
    #[command(after_help = lint::STATUSES)]
    Lint(lint::Arguments),
    /// Model-check tables and systems exhaustively (default: everything bundled)
    #[command(after_help = check::STATUSES)]
    Check(Box<check::Arguments>),
    /// Verify that every amendment is needed: without it a check must fail
    #[command(after_help = amend::STATUSES)]
    Amend(amend::Arguments),
    /// Mutation-test tables: change one row, guard or formula; a check must fail
    #[command(after_help = mutate::STATUSES)]
    Mutate(mutate::Arguments),
    /// Render tables as Markdown, diagrams and matrices
    #[command(after_help = render::STATUSES)]
    Render(render::Arguments),
    /// Replay scenarios, traces and counterexamples and report every difference
    #[command(after_help = replay::STATUSES)]
    Replay(replay::Arguments),
    /// Explore a world or a table step by step in a browser
    Explore(explore::Arguments),
    /// Explain a diagnostic's code, with an example
    Explain(explain::Arguments),
    /// Print the JSON Schema of table or system files, for editors
    Schema(schema::Arguments),
    /// Write a table, or a system of two tables, to begin with
    #[command(after_help = new::STATUSES)]
    New(new::Arguments),
    /// Make a table file of the tables in a document
    #[command(after_help = import::HELP)]
    Import(import::Arguments),
}

/// Parses the command line and runs its verb.
#[must_use]
pub fn main(program: Program) -> ExitCode {
    let systems = &program.systems;
    // Bad usage ends here, with status 2 and a text on standard error.
    let status = match Command::parse().verb {
        Verb::List(arguments) => list::run(&arguments, systems),
        Verb::Lint(arguments) => lint::run(&arguments),
        Verb::Check(arguments) => check::run(&arguments, systems),
        Verb::Amend(arguments) => amend::run(&arguments, systems),
        Verb::Mutate(arguments) => mutate::run(&arguments, systems),
        Verb::Render(arguments) => render::run(&arguments, systems),
        Verb::Replay(arguments) => replay::run(&arguments, &program),
        Verb::Explore(arguments) => explore::run(&arguments, systems),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Schema(arguments) => schema::run(&arguments),
        Verb::New(arguments) => new::run(&arguments),
        Verb::Import(arguments) => import::run(&arguments),
    };
    ExitCode::from(status.code())
}
