//! The time and memory of a start with many claims.

use std::time::Instant;

use tokio::task::LocalSet;

use crate::reading::fill;
use crate::server::{Build, Server, empty};

/// The number of rounds if another build is measured, too.
const ROUNDS: usize = 3;

/// Prints a row for the creation of this number of claims, and one for a start after a SIGKILL.
pub(crate) fn run(claims: usize, other: Build<'_>) {
    println!("{claims} claims on disk\n");
    println!("| what | seconds | peak memory, MiB |");
    println!("| --- | ---: | ---: |");
    for round in 0..if other.is_some() { 2 * ROUNDS } else { 1 } {
        let is_other = round % 2 == 1;
        let whose = if is_other { "another build: " } else { "" };
        measure(claims, if is_other { other } else { None }, whose);
    }
}

fn measure(claims: usize, build: Build<'_>, whose: &str) {
    let dir = empty("load.start");
    let server = Server::on(build, &dir);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let started = Instant::now();
    LocalSet::new().block_on(&runtime, fill(&server, claims));
    print_row(&format!("{whose}creation"), started, &server);
    drop(server);
    let started = Instant::now();
    let server = Server::on(build, &dir);
    print_row(&format!("{whose}start after a SIGKILL"), started, &server);
    drop(server);
    std::fs::remove_dir_all(&dir).expect("the directory is ours");
}

fn print_row(what: &str, started: Instant, server: &Server) {
    println!("| {what} | {:.1} | {} |", started.elapsed().as_secs_f64(), server.memory_mib());
}
