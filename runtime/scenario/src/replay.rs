//! What a scenario or a trace says, line by line beside what the cores do now.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Fault;
use super::compare::compare;
use super::language::{Language, perform};
use super::script::{Script, Step};

/// How a file compares with the cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// How many nodes enter.
    pub nodes: usize,
    /// How many inputs were played.
    pub steps: usize,
    /// How many lines below them were compared; of a trace, how many rows and effects.
    pub lines: usize,
    /// How many timers of a trace fired though they were disarmed: their time was over already.
    pub late: usize,
    /// Where they differ, in the order of the file.
    pub departures: Vec<Departure>,
    /// The line after a departure at which nothing more could be played.
    pub stopped: Option<Fault>,
    /// The last line of a trace, if whoever wrote it was killed meanwhile.
    pub torn: Option<usize>,
}

/// A line that is not what the cores do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The line, or the one before which something is missing; of a trace, that of the step.
    /// Counted from 1.
    pub line: usize,
    /// The input that it is about.
    pub input: String,
    /// What the file says; nothing where it is missing there.
    pub written: Option<String>,
    /// What the core does; nothing where the file says too much.
    pub now: Option<String>,
}

/// Plays a scenario or a trace whose nodes speak one of these languages, and compares what it says.
///
/// # Errors
///
/// [`Fault`] where it cannot be read, or cannot be played though nothing has departed before.
pub fn replay(text: &str, languages: &[Language]) -> Result<Replay, Fault> {
    let script = Script::read(text)?;
    let mut replay = Replay::default();
    let mut names = BTreeSet::new();
    let played = perform(&script, languages, &mut |step, now, _| {
        if step.admits_strangers() {
            return;
        }
        if step.is_entry {
            names.insert(step.line.name.clone());
        } else {
            replay.steps += 1;
        }
        replay.lines += step.written.len().max(now.len());
        replay.compare(step, &now);
    });
    replay.nodes = names.len();
    match played {
        Ok(()) => Ok(replay),
        Err(fault) if replay.departures.is_empty() => Err(fault),
        Err(fault) => Ok(Replay { stopped: Some(fault), ..replay }),
    }
}

impl Replay {
    /// Whether the cores do what the file says, to its end.
    #[must_use]
    pub const fn is_as_written(&self) -> bool {
        self.departures.is_empty() && self.stopped.is_none()
    }

    /// Compares the lines below a step: those of the same kind go together.
    fn compare(&mut self, step: &Step, now: &[String]) {
        let Step { line: of, written, .. } = step;
        let is_same = |(_, a): &(usize, String), b: &String| a == b;
        let is_like = |(_, a): &(usize, String), b: &String| first_word(a) == first_word(b);
        compare(written, now, is_same, is_like, |place, old, new| {
            let line = written.get(place).map_or(of.number + 1 + place, |(line, _)| *line);
            let input = format!("{} {}", of.name, of.text);
            let (written, now) = (old.map(|(_, text)| text.clone()), new.cloned());
            self.departures.push(Departure { line, input, written, now });
        });
    }
}

/// What kind of line it is: `sends`, `arms`.
fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}
