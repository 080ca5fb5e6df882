//! The searches side by side: `cargo bench -p turnstile-checker`, with `-- full` for the larger
//! sizes and more rounds, `-- fair` for nothing but what fair runs cost.
//!
//! Each search runs in a process of its own, so that its peak memory is its own; rounds are
//! interleaved, and the fastest of each counts. Rates are by wall time, ratios by the processor
//! time of the busiest thread, which says more on a machine that does something else meanwhile.

#[path = "lock/actors.rs"]
mod actors;
#[path = "search/clock.rs"]
mod clock;
#[path = "search/fair.rs"]
mod fair;
#[path = "lock/packed.rs"]
mod packed;
#[path = "lock/parts.rs"]
mod parts;
#[path = "lock/promela.rs"]
mod promela;
#[path = "search/subject.rs"]
mod subject;
#[path = "search/table.rs"]
mod table;
#[path = "lock/world.rs"]
mod world;

use std::env;
use std::process::{Command, ExitCode};

use subject::Subject;
use table::Row;

/// The argument that makes a process run one search and say what it took.
const ALONE: &str = "--alone";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [first, name, size, ..] = &arguments[..]
        && first == ALONE
    {
        return subject::alone(name, size);
    }
    let is_said = |word: &str| arguments.iter().any(|argument| argument == word);
    let is_full = is_said("full");
    let rounds = if is_full { 5 } else { 3 };
    for size in subject::sizes(is_full) {
        let subjects = if is_said("fair") { Vec::new() } else { Subject::of(&size) };
        let mut rows: Vec<Row> = subjects.iter().map(|subject| Row::new(subject.title)).collect();
        for _ in 0..rounds {
            for (subject, row) in subjects.iter().zip(&mut rows) {
                row.take(measure(subject, &size));
            }
        }
        if !rows.is_empty() {
            println!("\n{size}: the fastest of {rounds} interleaved rounds");
            table::print(&rows);
        }
        if let Some((clients, each)) = subject::protocol(&size) {
            fair::print(&size, clients, each, rounds);
        }
    }
    ExitCode::SUCCESS
}

/// Runs one search in a process of its own. `None`: it cannot run here.
fn measure(subject: &Subject, size: &str) -> Option<table::Taken> {
    let program = env::current_exe().expect("a process knows its program");
    let output = Command::new(program).args([ALONE, subject.name, size]).output();
    let output = output.expect("the program can be started again");
    let said = String::from_utf8_lossy(&output.stdout);
    table::Taken::read(said.lines().last()?)
}
