//! A page of the documentation, whose commands are run as written and whose outputs are compared.
//!
//! A block `sh` is run to its end; a block `sh NAME` goes on in a terminal of this name. A block
//! `text` has lines of the output of the last one, `text NAME` of a terminal, `text NAME|NAME` of
//! one of them: each appears after those of the blocks before, and `…` stands for any text.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::cluster::late;
use crate::place::Programs;
use crate::round::Folder;

/// A block of code: what follows the fence, and its lines.
struct Block<'p> {
    what: &'p str,
    text: String,
}

/// A terminal whose command goes on.
struct Terminal {
    process: Child,
    output: PathBuf,
    /// The lines that blocks before have matched.
    seen: usize,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = kill_process_group(Pid::from_child(&self.process), Signal::KILL);
        let _ended = self.process.wait();
    }
}

/// Runs a page. If it fails, its last command is run all the same, which cleans up.
pub(crate) fn run(page: &Path, programs: &Programs) -> io::Result<()> {
    let page = std::fs::read_to_string(page)?;
    let folder = Folder::new("page")?;
    let blocks = blocks(&page);
    let ran = run_blocks(&blocks, programs, folder.path());
    if ran.is_err()
        && let Some(last) = blocks.iter().rfind(|block| block.what == "sh")
    {
        // It may have been that one which failed.
        let _cleaned = output(shell(programs, folder.path(), &last.text));
    }
    ran?;
    println!("the page is as the programs do");
    Ok(())
}

fn run_blocks(blocks: &[Block<'_>], programs: &Programs, folder: &Path) -> io::Result<()> {
    let mut terminals: BTreeMap<&str, Terminal> = BTreeMap::new();
    let mut last = String::new();
    for Block { what, text } in blocks {
        match what.split_once(' ') {
            None if *what == "sh" => last = output(shell(programs, folder, text))?,
            None if *what == "text" => {
                let missing = matched(&last, 0, text).err();
                missing.map_or(Ok(()), |line| Err(unsaid(&line, &last)))?;
            }
            Some(("sh", name)) => {
                let output = folder.join(format!("{name}.txt"));
                let file = File::create(&output)?;
                let mut command = shell(programs, folder, text);
                command.process_group(0).stdout(file.try_clone()?).stderr(file);
                let process = command.spawn()?;
                terminals.insert(name, Terminal { process, output, seen: 0 });
            }
            Some(("text", names)) => await_text(&mut terminals, names, text)?,
            _ => {}
        }
    }
    Ok(())
}

fn shell(programs: &Programs, folder: &Path, text: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command.args(["-euc", text]).current_dir(folder).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", programs.0.display()));
    command
}

fn output(mut command: Command) -> io::Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(text).ok_or_else(|| io::Error::other(said.into_owned()))
}

/// Waits until one of the terminals has said what a block has.
fn await_text(terminals: &mut BTreeMap<&str, Terminal>, names: &str, text: &str) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        let mut missing = String::new();
        for name in names.split('|') {
            let unknown = || io::Error::other(format!("there is no terminal {name}"));
            let terminal = terminals.get_mut(name).ok_or_else(unknown)?;
            let said = std::fs::read_to_string(&terminal.output)?;
            match matched(&said, terminal.seen, text) {
                Ok(seen) => {
                    terminal.seen = seen;
                    return Ok(());
                }
                Err(line) => missing = unsaid(&line, &said).to_string(),
            }
        }
        late(begun, || missing)?;
    }
}

fn unsaid(line: &str, said: &str) -> io::Error {
    io::Error::other(format!("`{line}` is not among what it has printed:\n{said}\n"))
}

/// The number of lines up to the last one that a block has, which come after some others in any
/// order; or a line that is missing.
fn matched(said: &str, seen: usize, block: &str) -> Result<usize, String> {
    let lines: Vec<&str> = said.lines().collect();
    let mut last = seen;
    for pattern in block.lines() {
        let found = lines.iter().skip(seen).position(|line| fits(line, pattern));
        last = last.max(seen + 1 + found.ok_or(pattern)?);
    }
    Ok(last)
}

/// Whether a line is like a pattern, in which `…` stands for any text.
fn fits(line: &str, pattern: &str) -> bool {
    let Some((begins, mut pattern)) = pattern.split_once('…') else { return line == pattern };
    let Some(mut rest) = line.strip_prefix(begins) else { return false };
    while let Some((part, later)) = pattern.split_once('…') {
        let Some((_, after)) = rest.split_once(part) else { return false };
        (rest, pattern) = (after, later);
    }
    rest.ends_with(pattern)
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut all = Vec::new();
    let mut block: Option<Block<'_>> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), block.take()) {
            (Some(what), None) => block = Some(Block { what, text: String::new() }),
            (Some(_), Some(whole)) => all.push(whole),
            (None, Some(mut part)) => {
                part.text += line;
                part.text.push('\n');
                block = Some(part);
            }
            (None, None) => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_output_has_lines_that_come_later_than_those_before() {
        let said = "begun\nview=1 members=[a]\nview=2 members=[a, b]\n";
        assert_eq!(matched(said, 0, "… members=[a]\n"), Ok(2));
        assert_eq!(matched(said, 2, "view=…\n"), Ok(3));
        assert_eq!(matched(said, 0, "view=… members=[…, …]\nbegun\n"), Ok(3));
        assert_eq!(matched(said, 2, "begun\n"), Err("begun".into()));
        assert_eq!(matched(said, 0, "view=… members=[…, …, …]\n").ok(), None);
    }

    #[test]
    fn blocks_are_found_by_their_fences() {
        let page = "a\n```sh one\nls\n```\nb\n```text\nc\nd\n```\n";
        let all = blocks(page);
        let all: Vec<(&str, &str)> = all.iter().map(|one| (one.what, &*one.text)).collect();
        assert_eq!(all, [("sh one", "ls\n"), ("text", "c\nd\n")]);
    }
}
