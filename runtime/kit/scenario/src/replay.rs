//! The replay of a scenario, and the result of a replay: where a file differs from the cores.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::compare::compare;
use super::error::LineError;
use super::protocol::{Protocol, play_script};
use super::script::{Script, ScriptLine};

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The number of nodes declared.
    pub nodes: usize,
    /// The number of inputs played.
    pub steps: usize,
    /// The number of effects compared; for a trace, of rows and effects.
    pub lines: usize,
    /// The number of timers in a trace that fired late: they had expired before they were disarmed.
    pub late_timers: usize,
    /// The differences, in the order of the file.
    pub mismatches: Vec<Mismatch>,
    /// The line after a mismatch at which the replay stopped, if it could not go on.
    pub stopped_at: Option<LineError>,
    /// The last line of a trace, counted from 1, if it is truncated: its writer was killed.
    pub truncated_line: Option<usize>,
}

/// A difference between a file and the cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line, counted from 1: the one that differs, or the one before which an effect is
    /// missing; in a trace, the line of the step.
    pub line: usize,
    /// The input of the step.
    pub input: String,
    /// The row or effect in the file; `None` if the file lacks it.
    pub expected: Option<String>,
    /// The row or effect of the core; `None` if the core has none.
    pub actual: Option<String>,
}

/// Replays a scenario by one of these protocols and compares its effects.
///
/// # Errors
///
/// A line cannot be played, and no mismatch precedes it.
pub fn replay(text: &str, protocols: &[Protocol]) -> Result<Replay, LineError> {
    let script = Script::parse(text)?;
    let mut replay = Replay::default();
    let mut names = BTreeSet::new();
    let played = play_script(&script, protocols, &mut |step, actual, _| {
        if step.allows_unknown_senders() {
            return;
        }
        if step.is_declaration {
            names.insert(step.line.name.clone());
        } else {
            replay.steps += 1;
        }
        replay.lines += step.expected.len().max(actual.len());
        replay.compare(step, &actual);
    });
    replay.nodes = names.len();
    match played {
        Ok(()) => Ok(replay),
        Err(error) if replay.mismatches.is_empty() => Err(error),
        Err(error) => Ok(Replay { stopped_at: Some(error), ..replay }),
    }
}

impl Replay {
    /// Whether the cores do what the file says, up to its end.
    #[must_use]
    pub const fn matches(&self) -> bool {
        self.mismatches.is_empty() && self.stopped_at.is_none()
    }

    /// Compares the effects of a step; effects of the same kind are paired.
    fn compare(&mut self, step: &ScriptLine, actual: &[String]) {
        let ScriptLine { line: of, expected, .. } = step;
        let is_same = |(_, a): &(usize, String), b: &String| a == b;
        let is_like = |(_, a): &(usize, String), b: &String| first_word(a) == first_word(b);
        compare(expected, actual, is_same, is_like, |place, old, new| {
            let line = expected.get(place).map_or(of.number + 1 + place, |(line, _)| *line);
            let input = format!("{} {}", of.name, of.text);
            let (expected, actual) = (old.map(|(_, text)| text.clone()), new.cloned());
            self.mismatches.push(Mismatch { line, input, expected, actual });
        });
    }
}

/// The kind of an effect: `sends`, `arms`.
fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}
