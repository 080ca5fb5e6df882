#![doc = include_str!("../README.md")]

mod bounds;
mod counterexample;
mod files;
mod library;
mod output;
mod program;
mod replacement;
pub mod report;
mod same_table;
mod selection;
mod terminal;
mod verbs;

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
    List(verbs::list::Arguments),
    /// Report the errors, warnings and findings of table and system files
    #[command(after_help = crate::verbs::lint::STATUSES)]
    Lint(verbs::lint::Arguments),
    /// Model-check tables and systems exhaustively (default: everything bundled)
    #[command(after_help = crate::verbs::check::STATUSES)]
    Check(Box<verbs::check::Arguments>),
    /// Verify that every amendment is needed: without it a check must fail
    #[command(after_help = crate::verbs::amend::STATUSES)]
    Amend(verbs::amend::Arguments),
    /// Mutation-test tables: change one row, guard or formula; a check must fail
    #[command(after_help = crate::verbs::mutate::STATUSES)]
    Mutate(verbs::mutate::Arguments),
    /// Render tables as Markdown, diagrams and matrices
    #[command(after_help = crate::verbs::render::STATUSES)]
    Render(verbs::render::Arguments),
    /// Replay scenarios, traces and counterexamples and report every difference
    #[command(after_help = crate::verbs::replay::STATUSES)]
    Replay(verbs::replay::Arguments),
    /// Explore a world or a table step by step in a browser
    Explore(verbs::explore::Arguments),
    /// Explain a diagnostic's code, with an example
    Explain(verbs::explain::Arguments),
    /// Print the JSON Schema of table or system files, for editors
    Schema(verbs::schema::Arguments),
    /// Write a table, or a system of two tables, to begin with
    #[command(after_help = crate::verbs::new::STATUSES)]
    New(verbs::new::Arguments),
    /// Make a table file of the tables in a document
    #[command(after_help = crate::verbs::import::HELP)]
    Import(verbs::import::Arguments),
}

/// Parses the command line and runs its verb.
#[must_use]
pub fn main(program: Program) -> ExitCode {
    let systems = &program.systems;
    // Bad usage ends here, with status 2 and a text on standard error.
    let status = match Command::parse().verb {
        Verb::List(arguments) => verbs::list::run(&arguments, systems),
        Verb::Lint(arguments) => verbs::lint::run(&arguments),
        Verb::Check(arguments) => verbs::check::run(&arguments, systems),
        Verb::Amend(arguments) => verbs::amend::run(&arguments, systems),
        Verb::Mutate(arguments) => verbs::mutate::run(&arguments, systems),
        Verb::Render(arguments) => verbs::render::run(&arguments, systems),
        Verb::Replay(arguments) => verbs::replay::run(&arguments, &program),
        Verb::Explore(arguments) => verbs::explore::run(&arguments, systems),
        Verb::Explain(arguments) => verbs::explain::run(&arguments),
        Verb::Schema(arguments) => verbs::schema::run(&arguments),
        Verb::New(arguments) => verbs::new::run(&arguments),
        Verb::Import(arguments) => verbs::import::run(&arguments),
    };
    ExitCode::from(status.code())
}
