//! The example `alternating_bit`: two processes that talk by the system file over TCP, one of which
//! is killed again and again.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use turnstile_simulation::free_port;

/// A process that is killed at the end, and the lines that it prints.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn of(words: &[&str]) -> Self {
        let mut program = std::env::current_exe().expect("a test has a path");
        program.pop();
        program.pop();
        program.push("examples/alternating_bit");
        assert!(program.exists(), "{} is not built: cargo build --examples", program.display());
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("it goes on").expect("it prints text")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("it is our child");
    }
}

#[test]
fn each_message_is_delivered_once_though_the_receiver_is_killed() {
    let [sends, receives] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alternating-bit");
    if data.exists() {
        std::fs::remove_dir_all(&data).expect("it is this test's");
    }
    let words = ["receiver", &receives, &sends, data.to_str().expect("it is text")];
    let mut receiver = Some(Running::of(&words));
    let mut sender = Running::of(&["sender", &sends, &receives]);
    for number in 0..8 {
        // Every other message is sent while nobody listens.
        let is_killed = number % 2 == 1;
        drop(receiver.take_if(|_| is_killed));
        let mut input = sender.child.stdin.as_ref().expect("it is piped");
        input.write_all(b"\n").expect("it reads");
        let receiver = receiver.get_or_insert_with(|| Running::of(&words));
        assert_eq!(receiver.line(), (number % 2).to_string());
        assert_eq!(sender.line(), "acknowledged");
    }
}
