//! `check --watch`: each change of a file is checked, and what changed is said.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::command::{Scratch, ends_with, turnstile};

/// A program that watches; it is ended when the test is over.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn of(folder: &Path, file: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_turnstile"))
            .args(["check", "--watch", file])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary is built");
        let out = child.stdout.take().expect("it is piped");
        let (told, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| told.send(line))
        });
        Self { child, lines }
    }

    /// The lines of the next check.
    fn next(&self) -> String {
        let mut text = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("it goes on");
            text += &line;
            text.push('\n');
            if line.starts_with("watching ") {
                return text;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_is_checked_and_told() {
    let folder = Scratch::new("watch");
    ends_with(&turnstile(&folder, &["new", "shop", "--system"]), 0, "");
    let shop = folder.join("shop");
    let table =
        fs::read_dir(&shop).expect("it is new").map(|entry| entry.expect("readable").path());
    let table = table.into_iter().find(|path| !path.ends_with("shop.yaml")).expect("it has tables");
    let name = table.file_name().expect("it has a name").to_string_lossy().into_owned();
    let old = fs::read_to_string(&table).expect("it is new");
    let watch = Watch::of(&shop, "shop.yaml");
    let first = watch.next();
    assert!(first.contains("holds: ") && first.contains(&name), "{first}");
    assert!(!first.contains("since the last check"), "{first}");
    // An editor that replaces the file by another.
    let row = old.lines().find(|line| line.contains("- { from:")).expect("it has rows");
    let swap = shop.join("swap");
    fs::write(&swap, old.replace(row, &format!("#{row}"))).expect("writable");
    fs::rename(&swap, &table).expect("writable");
    let second = watch.next();
    for part in
        ["since the last check", &format!("{name} changed: row "), "is checked → has errors"]
    {
        assert!(second.contains(part), "`{part}` is not in {second}");
    }
    fs::write(&table, "machine: [").expect("writable");
    let broken = watch.next();
    assert!(broken.contains("error[T001]: ") && broken.contains(" changed\n"), "{broken}");
    fs::write(&table, &old).expect("writable");
    let back = watch.next();
    assert!(back.contains("shop/reliable: has errors → is checked"), "{back}");
}

/// What an edit replaces is given back: texts of 20 edits would be 4 MB, and were kept five times.
#[cfg(target_os = "linux")]
#[test]
fn edits_do_not_add_up() {
    const BYTES: usize = 200_000;
    let folder = Scratch::new("watch-long");
    ends_with(&turnstile(&folder, &["new", "shop", "--system"]), 0, "");
    let shop = folder.join("shop");
    let file = shop.join("shop.yaml");
    let text = fs::read_to_string(&file).expect("it is new") + "# " + &"x".repeat(BYTES) + "\n# ";
    let watch = Watch::of(&shop, "shop.yaml");
    let status = format!("/proc/{}/status", watch.child.id());
    let resident = || -> u64 {
        let status = fs::read_to_string(&status).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it has memory");
        line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse().ok()).expect("kB")
    };
    let first = watch.next();
    assert!(first.contains("holds: "), "{first}");
    let mut before = 0;
    for edit in 0..24 {
        let swap = shop.join("swap");
        fs::write(&swap, format!("{text}{edit}\n")).expect("writable");
        fs::rename(&swap, &file).expect("writable");
        let again = watch.next();
        assert!(again.contains("shop.yaml changed"), "{again}");
        if edit == 3 {
            before = resident();
        }
    }
    let after = resident();
    assert!(after < before + 6_000, "{before} kB after 4 edits, {after} kB after 24");
}

#[test]
fn watching_needs_a_file_and_a_screen() {
    let folder = Scratch::new("watch-nothing");
    ends_with(&turnstile(&folder, &["check", "--watch", "absent.yaml"]), 2, "absent.yaml");
    ends_with(&turnstile(&folder, &["check", "--watch", "--json"]), 2, "cannot be used with");
}
