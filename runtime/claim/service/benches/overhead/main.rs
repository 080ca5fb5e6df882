//! The overhead of `claim run RESOURCE -- true` over `true`, measured in turns.
//!
//! `cargo bench -p turnstile-claim --bench overhead -- [ROUNDS]` starts the real `turnstiled`, in
//! memory, and prints the table of `LOAD.md`. `beside DIRECTORY` adds the `claim` of another build.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum number of rounds.
const ROUNDS_MAX: usize = 10_000;

fn main() {
    // Cargo itself passes `--bench`.
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(300);
    let rounds = usize::clamp(rounds, 1, ROUNDS_MAX);
    let mut server = Command::new(env!("CARGO_BIN_EXE_turnstiled"))
        .args(["--listen", "127.0.0.1:0", "--in-memory"])
        .env("TURNSTILE_LOG", "warn")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let url = url(&mut server);
    let words: Vec<String> = std::env::args().collect();
    let other = words.iter().skip_while(|word| *word != "beside").nth(1);
    let (mut bare, mut claimed, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let run = |program: &Path| {
        let mut command = Command::new(program);
        command.args(["--url", &url, "run", "r", "--", "true"]);
        time(&mut command)
    };
    for _ in 0..rounds {
        bare.push(time(&mut Command::new("true")));
        claimed.push(run(Path::new(env!("CARGO_BIN_EXE_claim"))));
        others.extend(other.map(|other| run(&Path::new(other).join("claim"))));
    }
    server.kill().and_then(|()| server.wait()).expect("it is our child");
    println!("{rounds} rounds, one after the other\n");
    println!("| command | least ms | median ms | p99 ms |");
    println!("| --- | ---: | ---: | ---: |");
    print_row("true", &mut bare);
    print_row("claim run r -- true", &mut claimed);
    if other.is_some() {
        print_row("claim run r -- true, of another build", &mut others);
    }
    let over: Duration = claimed[rounds / 2].saturating_sub(bare[rounds / 2]);
    println!("\nover the bare command, at the median: {:.1} ms", ms(over));
}

/// The address that the server prints.
fn url(server: &mut Child) -> String {
    let out = server.stdout.take().expect("it is piped");
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
    line.split_whitespace().last().expect("a URL is the last word").to_owned()
}

fn time(command: &mut Command) -> Duration {
    let started = Instant::now();
    let status = command.status().expect("it starts");
    let took = started.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    took
}

fn print_row(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |percent: usize| ms(times[(times.len() * percent / 100).min(times.len() - 1)]);
    println!("| `{name}` | {:.1} | {:.1} | {:.1} |", at(0), at(50), at(99));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
