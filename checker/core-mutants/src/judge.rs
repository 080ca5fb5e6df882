//! Runs the program that judges the mutants, and reads what it says.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A property failed in a world: `claim/small`.
    Killed(String),
    /// No property failed in the worlds that reach it; the first world with another outcome.
    Survived(Option<String>),
    /// A search in this world grew too large.
    Undecided(String),
    /// No world reaches it.
    Unreached,
}

impl Fate {
    /// A line of the program, without the mutant's number.
    fn read(words: &str) -> Option<Self> {
        let (word, world) = words.split_once(' ').unwrap_or((words, ""));
        let world = world.to_owned();
        match word {
            "killed" => Some(Self::Killed(world)),
            "survived" => Some(Self::Survived(Some(world))),
            "same" => Some(Self::Survived(None)),
            "undecided" => Some(Self::Undecided(world)),
            "unreached" => Some(Self::Unreached),
            _ => None,
        }
    }
}

/// The states of the worlds that the files in a folder pin, a line each: `claim/small 123`.
///
/// # Errors
///
/// Why a file cannot be read.
pub fn pinned(folder: &Path) -> Result<BTreeMap<String, usize>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut pinned = BTreeMap::new();
    for file in std::fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if path.to_string_lossy().ends_with("-amended.txt") {
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            let lines = text.lines().filter_map(|line| line.rsplit_once(' '));
            let counts =
                lines.map(|(world, states)| Some((world.to_owned(), states.parse().ok()?)));
            pinned.extend(counts.flatten());
        }
    }
    Ok(pinned)
}

/// What a line `states 123 claim/small` shows of a mutant that changes a core while it is off.
fn changed(line: &str, pinned: &BTreeMap<String, usize>) -> Option<String> {
    let (states, world) = line.split_once(' ')?;
    let known = pinned.get(world).filter(|known| known.to_string() != states)?;
    Some(format!(
        "{world} has {states} states where no mutant is on, and {known} are pinned: some mutant \
         changes the core while it is off, or the counts are stale"
    ))
}

/// Judges mutants, on all processors. `done`: told of each when it is decided.
///
/// # Errors
///
/// A world without a mutant does not hold or has other states than are pinned, the program cannot
/// be run, or a mutant ends it.
pub fn judge(
    program: &Path,
    mutants: &[usize],
    pinned: &BTreeMap<String, usize>,
    mut done: impl FnMut(usize, &Fate),
) -> Result<BTreeMap<usize, Fate>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut numbers = child.stdin.take().expect("it is piped");
    let text: String = mutants.iter().map(|number| format!("{number}\n")).collect();
    numbers.write_all(text.as_bytes()).map_err(failed)?;
    drop(numbers);
    let mut fates = BTreeMap::new();
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line.map_err(failed)?;
        if let Some(recorded) = line.strip_prefix("states ") {
            if let Some(what) = changed(recorded, pinned) {
                let _ = child.kill();
                return Err(what);
            }
            continue;
        }
        let fate = line
            .split_once(' ')
            .and_then(|(number, words)| Some((number.parse::<usize>().ok()?, Fate::read(words)?)));
        let (number, fate) = fate.ok_or_else(|| format!("not the fate of a mutant: {line}"))?;
        done(number, &fate);
        fates.insert(number, fate);
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() || fates.len() < mutants.len() {
        return Err(format!("{} mutants are not judged: {status}", mutants.len() - fates.len()));
    }
    Ok(fates)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Fate, changed};

    #[test]
    fn a_line_is_a_fate() {
        assert_eq!(Fate::read("killed claim/small"), Some(Fate::Killed("claim/small".to_owned())));
        assert_eq!(Fate::read("same"), Some(Fate::Survived(None)));
        assert_eq!(Fate::read("unreached"), Some(Fate::Unreached));
        assert_eq!(Fate::read("lost"), None);
    }

    #[test]
    fn a_world_has_the_states_that_are_pinned() {
        let pinned = BTreeMap::from([("claim/small".to_owned(), 123)]);
        assert_eq!(changed("123 claim/small", &pinned), None);
        assert_eq!(changed("9 claim/not pinned", &pinned), None);
        assert!(changed("124 claim/small", &pinned).is_some_and(|what| what.contains("123")));
    }
}
