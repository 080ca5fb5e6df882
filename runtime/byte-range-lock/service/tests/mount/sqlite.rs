//! How long SQLite takes, through each way.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const TRANSACTIONS: usize = 200;

/// Prints the time of transactions by one process and by eight, as ratios to the last way.
pub(crate) fn report(ways: &[(&'static str, &Path)]) {
    // Without locks, several processes would destroy the database.
    let ways: Vec<_> = ways.iter().filter(|way| !way.0.contains("at once")).copied().collect();
    println!("\n| SQLite, {TRANSACTIONS} transactions | 1 process | ratio | 8 processes | ratio |");
    println!("|---|---:|---:|---:|---:|");
    let all = super::turns(&ways, |path| [run(path, 1), run(path, 8)]);
    let [one, eight] = all.last().expect("there are ways").1;
    for (name, figures) in &all {
        let ratios = [figures[0] / one, figures[1] / eight];
        println!(
            "| {name} | {:.0} ms | {:.1} | {:.0} ms | {:.1} |",
            figures[0], ratios[0], figures[1], ratios[1]
        );
    }
}

/// Milliseconds of transactions that are shared among processes.
fn run(folder: &Path, processes: usize) -> f64 {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let path = folder.join(format!("{}.db", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let start = |lines: &str| {
        let mut command = Command::new("sqlite3");
        command.args(["-bail", "-cmd", ".timeout 100000"]).arg(&path);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("sqlite3 starts");
        let mut input = child.stdin.take().expect("it reads");
        input.write_all(lines.as_bytes()).expect("it reads");
        child
    };
    let made = start("CREATE TABLE count(n); INSERT INTO count VALUES(0);\n").wait();
    assert!(made.expect("it ends").success());
    let each = "BEGIN IMMEDIATE; UPDATE count SET n = n + 1; COMMIT;\n";
    let lines = each.repeat(TRANSACTIONS / processes);
    let started = Instant::now();
    let running: Vec<_> = (0..processes).map(|_| start(&lines)).collect();
    for mut one in running {
        assert!(one.wait().expect("it ends").success());
    }
    started.elapsed().as_secs_f64() * 1000.0
}
