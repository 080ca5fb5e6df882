//! `claim run` at a terminal, and stopped: who is in the foreground, and what becomes of the claim.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use rustix::termios::{Winsize, tcgetpgrp, tcsetwinsize};

use crate::command::CLAIM;
use crate::http::{PATIENCE, Running, until};

/// A terminal, and a program that leads the session on it.
pub(crate) struct Terminal {
    screen: File,
    /// Keeps the terminal open.
    _line: OwnedFd,
    child: Child,
    pub(crate) shown: String,
}

impl Terminal {
    fn run(server: &Running, arguments: &[&str]) -> Self {
        let mut command = Command::new(CLAIM);
        command.args(arguments).env("TURNSTILE_URL", format!("http://{}", server.at));
        Self::start(command)
    }

    /// A shell that runs jobs; `$RUN` is the program that runs commands under a claim.
    fn shell(server: &Running, script: &str, ttl: &str) -> Self {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("set -m; {script}")]);
        command.env("RUN", format!("{CLAIM} run r --ttl {ttl} --"));
        command.env("TURNSTILE_URL", format!("http://{}", server.at));
        Self::start(command)
    }

    /// A program that leads the session.
    pub(crate) fn start(mut command: Command) -> Self {
        let (screen, line) = open();
        let end = || Stdio::from(line.try_clone().expect("a file can be had twice"));
        command.stdin(end()).stdout(end()).stderr(end());
        #[expect(unsafe_code, reason = "a session with a terminal begins between fork and exec")]
        // SAFETY: the closure calls only functions that are async-signal-safe: setsid, signal and
        // ioctl.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                // Whoever runs the tests in the background ignores keys.
                for signal in [Signal::INT, Signal::QUIT, Signal::TSTP] {
                    libc::signal(signal.as_raw(), libc::SIG_DFL);
                }
                match libc::ioctl(libc::STDIN_FILENO, libc::TIOCSCTTY, 0) {
                    0 => Ok(()),
                    _ => Err(io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().expect("the program starts");
        Self { screen, _line: line, child, shown: String::new() }
    }

    fn leader(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Types something; Ctrl-C is 3, Ctrl-Z is 26.
    pub(crate) fn press(&mut self, keys: &[u8]) {
        self.screen.write_all(keys).expect("the terminal is open");
    }

    /// Reads the screen until something is on it.
    pub(crate) fn wait_for(&mut self, text: &str) {
        until(text, || {
            self.look();
            self.shown.contains(text)
        });
    }

    fn look(&mut self) {
        let mut bytes = [0; 4_096];
        match self.screen.read(&mut bytes) {
            Ok(len) => self.shown += &String::from_utf8_lossy(&bytes[..len]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error} after {}", self.shown),
        }
    }

    /// Which process group the terminal's keys reach.
    fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(self.screen.as_fd()).ok()
    }

    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        until("the program ends", || {
            self.look();
            status = self.child.try_wait().expect("it is our child");
            status.is_some()
        });
        status.expect("it has ended")
    }

    fn status(&mut self) -> Option<i32> {
        self.end().code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has ended already, unless the test fails.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The two ends of a new terminal.
fn open() -> (File, OwnedFd) {
    let (mut screen, mut line) = (-1, -1);
    let none = std::ptr::null_mut();
    #[expect(unsafe_code, reason = "the standard library opens no terminals")]
    // SAFETY: both places are ours to write to, and nobody else owns what is written there.
    let (screen, line) = unsafe {
        let opened = libc::openpty(&raw mut screen, &raw mut line, none, none.cast(), none.cast());
        assert_eq!(opened, 0, "{}", io::Error::last_os_error());
        (OwnedFd::from_raw_fd(screen), OwnedFd::from_raw_fd(line))
    };
    rustix::io::ioctl_fionbio(&screen, true).expect("a terminal takes it");
    assert!(screen.as_raw_fd() >= 0);
    (File::from(screen), line)
}

fn statuses(server: &Running) -> Vec<String> {
    crate::command::statuses(server, "r")
}

#[test]
fn the_command_has_the_terminal_and_ctrl_c_reaches_it_alone() {
    let server = Running::in_memory();
    let script = "trap 'echo told; exit 5' INT; read line; echo \"heard $line\"; \
                  while :; do sleep 0.05; done";
    let mut terminal = Terminal::run(&server, &["run", "r", "--", "sh", "-c", script]);
    until("the command is in the foreground", || {
        terminal.foreground().is_some_and(|group| group != terminal.leader())
    });
    // It reads from the terminal without being stopped for it.
    terminal.press(b"words\n");
    terminal.wait_for("heard words");
    assert_eq!(statuses(&server), ["active"]);
    terminal.press(&[3]);
    terminal.wait_for("told");
    assert_eq!(terminal.status(), Some(5), "{}", terminal.shown);
    assert_eq!(statuses(&server), ["released"]);
}

#[test]
fn a_command_that_ctrl_z_stops_goes_on_under_a_claim_that_is_held() {
    let server = Running::in_memory();
    let script = r#"$RUN sh -c 'echo begun; read line; echo "heard $line"'; echo "first $?"; fg"#;
    let mut terminal = Terminal::shell(&server, script, "60");
    terminal.wait_for("begun");
    let command = terminal.foreground().expect("there is one");
    assert_ne!(command, terminal.leader());
    terminal.press(&[26]);
    terminal.wait_for("first 148");
    assert_eq!(statuses(&server), ["active"]);
    until("the command has the terminal again", || terminal.foreground() == Some(command));
    terminal.press(b"words\n");
    terminal.wait_for("heard words");
    assert_eq!(terminal.status(), Some(0), "{}", terminal.shown);
    assert_eq!(statuses(&server), ["released"]);
}

#[test]
fn a_command_that_was_stopped_for_too_long_does_not_go_on() {
    let server = Running::in_memory();
    let script = r#"$RUN sh -c 'echo begun; read line; echo "heard $line"; sleep 100';
                    echo "first $?"; read go; fg >/dev/null"#;
    let mut terminal = Terminal::shell(&server, script, "1.5");
    terminal.wait_for("begun");
    terminal.press(&[26]);
    terminal.wait_for("first 148");
    // Nobody renews the lease, so it is another's in the end.
    let mut other = server.client().with("prefer", "wait=20");
    other.post(r#"{"resource":"r","ttl":60}"#).expect(201);
    terminal.press(b"go\nwords\n");
    assert_eq!(terminal.status(), Some(76), "{}", terminal.shown);
    assert!(!terminal.shown.contains("heard words"), "{}", terminal.shown);
    assert_eq!(statuses(&server), ["expired", "active"]);
}

#[test]
fn a_command_is_told_that_the_window_has_changed() {
    let server = Running::in_memory();
    let script = "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done";
    let mut terminal = Terminal::run(&server, &["run", "r", "--", "sh", "-c", script]);
    terminal.wait_for("ready");
    let size = Winsize { ws_row: 33, ws_col: 77, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal.screen.as_fd(), size).expect("a terminal takes it");
    terminal.wait_for("33 77");
    assert_eq!(terminal.status(), Some(0), "{}", terminal.shown);
}

/// A command in the background, whose wrapper is told to stop.
fn stopped(server: &Running, ttl: &str) -> (Child, Pid) {
    let mut command = Command::new(CLAIM);
    command.args(["run", "r", "--ttl", ttl, "--", "sh", "-c", "echo $$; exec sleep 100"]);
    // A job of its own, as of a shell that could let it go on.
    command.env("TURNSTILE_URL", format!("http://{}", server.at)).process_group(0);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
    let pid = said_id(&mut child);
    kill_process(Pid::from_child(&child), Signal::TSTP).expect("it runs");
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    until("the wrapper stops", || {
        waitid(WaitId::Pid(Pid::from_child(&child)), options).is_ok_and(|it| it.is_some())
    });
    until("its command has stopped as well", || state_of(pid) == Some('T'));
    (child, pid)
}

/// The process id that a child says first.
fn said_id(child: &mut Child) -> Pid {
    let mut line = String::new();
    let mut out = io::BufReader::new(child.stdout.take().expect("it is piped"));
    io::BufRead::read_line(&mut out, &mut line).expect("the command speaks");
    line.trim().parse().ok().and_then(Pid::from_raw).expect("a process id")
}

/// The state of a process, as the kernel's letter.
fn state_of(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
}

#[test]
fn a_wrapper_that_is_stopped_stops_its_command_and_both_go_on() {
    let server = Running::in_memory();
    let (mut child, pid) = stopped(&server, "60");
    kill_process(Pid::from_child(&child), Signal::CONT).expect("it is there");
    until("the command goes on", || state_of(pid) == Some('S'));
    assert_eq!(statuses(&server), ["active"]);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    assert_eq!(child.wait().expect("it is our child").code(), Some(128 + 15));
    assert_eq!(statuses(&server), ["released"]);
}

#[test]
fn a_command_whose_wrapper_was_stopped_for_too_long_is_ended() {
    let server = Running::in_memory();
    let (mut child, pid) = stopped(&server, "1.5");
    let mut other = server.client().with("prefer", "wait=20");
    other.post(r#"{"resource":"r","ttl":60}"#).expect(201);
    assert_eq!(state_of(pid), Some('T'), "it does nothing while another holds the lock");
    kill_process(Pid::from_child(&child), Signal::CONT).expect("it is there");
    assert_eq!(child.wait().expect("it is our child").code(), Some(76));
    assert_eq!(state_of(pid), None);
}

#[test]
fn a_command_that_is_stopped_alone_stays_so_and_its_claim_is_renewed() {
    let server = Running::in_memory();
    let ttl = Duration::from_millis(400);
    let script = "echo $$; exec sleep 100";
    let arguments = ["run", "r", "--ttl", "0.4", "--", "sh", "-c", script];
    let mut command = Command::new(CLAIM);
    command.args(arguments).env("TURNSTILE_URL", format!("http://{}", server.at));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
    let pid = said_id(&mut child);
    kill_process(pid, Signal::STOP).expect("it runs");
    until("two ttls go by", || {
        let list = server.client().get("/v1/claims/?resource=r").expect(200).json();
        assert_eq!(list[0]["status"], "active");
        list[0]["active_duration"].as_f64() > Some(2.0 * ttl.as_secs_f64())
    });
    assert_eq!(state_of(pid), Some('T'), "nobody has let it go on");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    kill_process(pid, Signal::CONT).expect("it is there");
    assert_eq!(child.wait().expect("it is our child").code(), Some(128 + 15));
    assert!(PATIENCE > ttl);
}
