//! Commands at a terminal, with a claim around them and without: keys, shells, scripts and
//! pipelines have the same effect.

use std::process::Command;

use crate::command::{CLAIM, statuses};
use crate::http::{Running, until};
use crate::terminal::Terminal;

const CTRL_C: &[u8] = &[3];
const CTRL_Z: &[u8] = &[26];
const CTRL_BACKSLASH: &[u8] = &[28];

/// What is awaited on the screen, and what is typed then.
type Steps<'a> = &'a [(&'a str, &'a [u8])];

/// A script, in which `$RUN` stands before the command.
#[derive(Default)]
struct Scene<'a> {
    /// What the shell that leads the session does.
    script: &'a str,
    /// A script within the script, which runs no jobs.
    inner: &'a str,
    /// What the command does.
    command: &'a str,
    steps: Steps<'a>,
    /// What must not be seen.
    never: &'a str,
}

impl Scene<'_> {
    /// Plays it without a claim, and with one.
    #[track_caller]
    fn check(&self) {
        let server = Running::in_memory();
        let bare = self.play(&server, "");
        assert!(statuses(&server, "r").is_empty());
        let wrapped = self.play(&server, &format!("{CLAIM} run r --"));
        assert_eq!(statuses(&server, "r"), ["released"]);
        assert_eq!(bare, wrapped, "{}", self.script);
    }

    /// How the leader of the session has ended.
    #[track_caller]
    fn play(&self, server: &Running, run: &str) -> String {
        let mut leader = Command::new("bash");
        leader.args(["-c", self.script]).env("RUN", run);
        leader.env("INNER", self.inner).env("COMMAND", self.command);
        leader.env("TURNSTILE_URL", format!("http://{}", server.at));
        let mut terminal = Terminal::start(leader);
        for (text, keys) in self.steps {
            terminal.wait_for(text);
            terminal.press(keys);
        }
        let end = terminal.end().to_string();
        let shown = &terminal.shown;
        assert!(self.never.is_empty() || !shown.contains(self.never), "{run}: {shown}");
        end
    }
}

const ECHO: &str = r#"echo begun; read line; echo "heard $line""#;

#[test]
fn ctrl_z_stops_a_job_and_the_shell_lets_it_go_on() {
    let script = r#"set -m; $RUN sh -c "$COMMAND"; echo "first $?"; fg >/dev/null; echo "then $?""#;
    let steps: Steps<'_> =
        &[("begun", CTRL_Z), ("first 148", b"words\n"), ("heard words", b""), ("then 0", b"")];
    Scene { script, command: ECHO, steps, ..Scene::default() }.check();
}

#[test]
fn ctrl_z_stops_a_script_that_runs_no_jobs() {
    let script = r#"set -m; sh -c "$INNER"; echo "first $?"; fg >/dev/null; echo "then $?""#;
    let inner = r#"$RUN sh -c "$COMMAND"; echo "next $?""#;
    let steps: Steps<'_> = &[
        ("begun", CTRL_Z),
        ("first 148", b"words\n"),
        ("heard words", b""),
        ("next 0", b""),
        ("then 0", b""),
    ];
    Scene { script, inner, command: ECHO, steps, ..Scene::default() }.check();
}

#[test]
fn ctrl_z_stops_nothing_where_nobody_could_let_it_go_on() {
    let steps: Steps<'_> = &[("begun", CTRL_Z), ("^Z", b"words\n"), ("heard words", b"")];
    // The command leads the session itself, or a script without jobs does.
    for script in [r#"exec $RUN sh -c "$COMMAND""#, r#"$RUN sh -c "$COMMAND"; exit 3"#] {
        Scene { script, command: ECHO, steps, ..Scene::default() }.check();
    }
}

// The commands below become what they wait for: a bash that hears Ctrl-C while it starts its child
// lets the child live, with a claim around it and without.

#[test]
fn ctrl_c_ends_the_script_too() {
    let inner = r#"$RUN sh -c "$COMMAND"; echo next"#;
    let command = "echo begun; exec sleep 100";
    for script in [r#"set -m; sh -c "$INNER"; echo "then $?""#, r#"sh -c "$INNER"; exit 3"#] {
        for key in [CTRL_C, CTRL_BACKSLASH] {
            let steps: Steps<'_> = &[("begun", key)];
            Scene { script, inner, command, steps, never: "next" }.check();
        }
    }
}

#[test]
fn ctrl_c_ends_a_pipeline() {
    let script = r#"set -m; $RUN sh -c "$COMMAND" | cat; echo "then $?""#;
    let steps: Steps<'_> = &[("begun", CTRL_C)];
    Scene { script, command: "echo begun; exec sleep 100", steps, ..Scene::default() }.check();
}

#[test]
fn a_pager_behind_the_command_has_the_keys() {
    let script = r#"set -m; $RUN yes | sh -c "$INNER"; echo "then $?""#;
    let inner = r#"read line; echo "key?"; read key </dev/tty; echo "$line and $key""#;
    let steps: Steps<'_> = &[("key?", b"k\n"), ("y and k", b""), ("then 0", b"")];
    Scene { script, inner, steps, ..Scene::default() }.check();
}

#[test]
fn a_command_asks_the_terminal_while_its_input_is_another() {
    let script = r#"set -m; echo x | $RUN sh -c "$COMMAND"; echo "then $?""#;
    let command = r#"echo "key?"; read key </dev/tty; read line; echo "$line and $key""#;
    let steps: Steps<'_> = &[("key?", b"k\n"), ("x and k", b""), ("then 0", b"")];
    Scene { script, command, steps, ..Scene::default() }.check();
}

#[test]
fn a_command_in_the_background_stops_when_it_reads_and_is_heard_in_the_foreground() {
    let script = r#"set -m; $RUN sh -c "$COMMAND" &
        while [ -z "$(jobs -s)" ]; do read -t 0.02 <>/dev/zero; done
        echo "it stops"; fg >/dev/null; echo "then $?""#;
    let steps: Steps<'_> = &[("it stops", b"words\n"), ("heard words", b""), ("then 0", b"")];
    Scene { script, command: ECHO, steps, ..Scene::default() }.check();
}

#[test]
fn who_reads_from_a_terminal_that_nobody_can_give_it_is_ended() {
    let server = Running::in_memory();
    let mut leader = Command::new("bash");
    // The command reads once the shell has the terminal again.
    let script = r#"set -m; rm -f "$GO"; mkfifo "$GO"
        ( $RUN sh -c 'read go; read line </dev/tty' <"$GO" & ); echo go >"$GO"; read hold"#;
    leader.args(["-c", script]).env("GO", concat!(env!("CARGO_TARGET_TMPDIR"), "/go"));
    leader.env("RUN", format!("{CLAIM} run r --"));
    leader.env("TURNSTILE_URL", format!("http://{}", server.at));
    let mut terminal = Terminal::start(leader);
    until("the claim is given back", || statuses(&server, "r") == ["released"]);
    terminal.press(b"\n");
    assert!(terminal.end().success(), "{}", terminal.shown);
}
