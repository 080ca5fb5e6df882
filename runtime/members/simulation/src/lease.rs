//! A command whose supervisor is stopped: it ends with its lease.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use turnstile_simulation::Running;

/// How much later than its end a busy machine may notice that a lease is over.
const BUSY: Duration = Duration::from_secs(1);
/// How long a look is waited with after one that was too early.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs a command that ends by SIGKILL alone under a lock, and stops its supervisor: the command
/// must end with the lease, and then `next` gets the lock. Returns what the supervisor says when it
/// goes on.
#[track_caller]
pub fn ended_with_lease(run: &mut Command, lease: Duration, next: &mut Command) -> String {
    let script = "echo $$; trap '' TERM; while :; do sleep 0.1; done";
    run.args(["--", "sh", "-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Running(run.spawn().expect("the program is built"));
    let mut id = String::new();
    let output = run.0.stdout.as_mut().expect("it is piped");
    BufReader::new(output).read_line(&mut id).expect("it is text");
    let stat = format!("/proc/{}/stat", id.trim());
    let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
    assert!(!is_gone(), "it runs");
    signal(&run.0, "-STOP");
    let stopped = Instant::now();
    while !is_gone() {
        assert!(stopped.elapsed() < lease + BUSY, "it runs {:?}", stopped.elapsed());
        std::thread::park_timeout(PAUSE);
    }
    let next = next.output().expect("the program is built");
    assert!(next.status.success(), "{next:?}");
    signal(&run.0, "-CONT");
    let mut text = String::new();
    let errors = run.0.stderr.as_mut().expect("it is piped");
    errors.read_to_string(&mut text).expect("it is text");
    assert_eq!(run.0.wait().expect("it is ours").code(), Some(76), "{text}");
    text
}

/// Sends a signal to a process, `-STOP`.
pub fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status().expect("kill is there");
    assert!(sent.success());
}
