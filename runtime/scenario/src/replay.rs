//! What a scenario or a trace says, line by line beside what the cores do now.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Fault;
use super::language::{Language, perform};
use super::script::{Script, Step};

/// How a file compares with the cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// How many nodes enter.
    pub nodes: usize,
    /// How many inputs were played.
    pub steps: usize,
    /// How many lines below them were compared.
    pub lines: usize,
    /// Where they differ, in the order of the file.
    pub departures: Vec<Departure>,
    /// The line after a departure at which nothing more could be played.
    pub stopped: Option<Fault>,
}

/// A line that is not what the cores do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The line, or the one before which something is missing; counted from 1.
    pub line: usize,
    /// The input that it is about.
    pub input: String,
    /// What the file says; nothing where a line is missing.
    pub written: Option<String>,
    /// What the core does; nothing where a line is too many.
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
    let played = perform(&script, languages, &mut |step, now| {
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

    /// Pairs the lines between those at both ends that agree: each with the next that is the same,
    /// or of the same kind.
    fn compare(&mut self, step: &Step, now: &[String]) {
        let Step { line: of, written, .. } = step;
        let same = |a: &(usize, String), b: &String| a.1 == *b;
        let ahead = written.iter().zip(now).take_while(|(a, b)| same(a, b)).count();
        let (written, now) = (&written[ahead..], &now[ahead..]);
        let ends = written.iter().rev().zip(now.iter().rev());
        let behind = ends.take_while(|(a, b)| same(a, b)).count();
        let (old, now) = (&written[..written.len() - behind], &now[..now.len() - behind]);
        let input = format!("{} {}", of.name, of.text);
        let mut departs = |line: usize, written: Option<&String>, now: Option<&String>| {
            let (written, now) = (written.cloned(), now.cloned());
            self.departures.push(Departure { line, input: input.clone(), written, now });
        };
        let mut rest = now;
        for (line, text) in old {
            let like = |other: &&String| first_word(other) == first_word(text);
            let place = rest.iter().position(|other| other == text);
            let place = place.or_else(|| rest.iter().position(|other| like(&other)));
            let Some(place) = place else {
                departs(*line, Some(text), None);
                continue;
            };
            let (missing, found) = (&rest[..place], &rest[place]);
            missing.iter().for_each(|missing| departs(*line, None, Some(missing)));
            if found != text {
                departs(*line, Some(text), Some(found));
            }
            rest = &rest[place + 1..];
        }
        let after = of.number + 1 + ahead + old.len();
        rest.iter().for_each(|missing| departs(after, None, Some(missing)));
    }
}

/// What kind of line it is: `sends`, `arms`.
fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}
