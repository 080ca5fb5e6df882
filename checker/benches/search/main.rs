//! The searches side by side: `cargo bench -p turnstile-checker`, with `-- full` for the larger
//! sizes and more rounds, `-- fair` for liveness under fairness only.
//!
//! Each search runs in a process of its own, so that its peak memory is its own; rounds are
//! interleaved, and the fastest of each counts. Rates are by wall time, ratios by the processor
//! time of the busiest thread, which is more reliable on a loaded machine.

mod actors;
mod clock;
mod fair;
mod packed;
mod promela;
mod subject;
mod table;

use std::env;
use std::process::{Command, ExitCode};

use subject::Benchmark;
use table::TableRow;

/// The argument of a process that runs one search and prints its measurement.
const SINGLE: &str = "--alone";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [first, name, size, ..] = &arguments[..]
        && first == SINGLE
    {
        return subject::run_single(name, size);
    }
    let has_argument = |word: &str| arguments.iter().any(|argument| argument == word);
    let is_full = has_argument("full");
    let rounds = if is_full { 5 } else { 3 };
    for size in subject::sizes(is_full) {
        let benchmarks = if has_argument("fair") { Vec::new() } else { Benchmark::of(&size) };
        let mut rows: Vec<TableRow> =
            benchmarks.iter().map(|benchmark| TableRow::new(benchmark.title)).collect();
        for _ in 0..rounds {
            for (benchmark, row) in benchmarks.iter().zip(&mut rows) {
                row.add(measure(benchmark, &size));
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

/// Runs one search in a process of its own. `None`: it is not available here.
fn measure(benchmark: &Benchmark, size: &str) -> Option<table::Measurement> {
    let program = env::current_exe().expect("a process knows its program");
    let output = Command::new(program).args([SINGLE, benchmark.name, size]).output();
    let output = output.expect("the program can be started again");
    let output = String::from_utf8_lossy(&output.stdout);
    table::Measurement::read(output.lines().last()?)
}
