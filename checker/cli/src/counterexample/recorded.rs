//! The format of recorded counterexamples, and what a file in it says.

use serde::{Deserialize, Serialize};
use turnstile_harness::retrace::RecordedStep;

/// The version of the format.
pub(super) const VERSION: u32 = 1;
/// How every such file begins.
const BEGINNING: &[u8] = b"{\"counterexample\":";
/// The file where nothing fails.
pub(super) const NONE: &str = "{\"counterexample\":null}\n";

/// The first line of a counterexample. A line for each step follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) counterexample: u32,
    /// The name of a bundled system, or the path of its file; `None`: a table alone.
    pub(super) system: Option<String>,
    pub(super) world: Option<String>,
    /// Of a system: the path of a table that runs in place of a bundled one. Otherwise the name of
    /// a bundled table, or the path of its file.
    pub(super) table: Option<String>,
    pub(super) as_written: bool,
    pub(super) set: Vec<(String, String)>,
    pub(super) property: String,
    pub(super) loop_from: Option<usize>,
    /// How many lines of steps follow.
    pub(super) steps: usize,
}

/// Whether a file that begins like this is one of these.
pub(crate) fn is_counterexample(beginning: &[u8]) -> bool {
    beginning.trim_ascii_start().starts_with(BEGINNING)
}

/// A counterexample, and the line of its head, counted from 1.
pub(super) struct Recorded {
    pub(super) line: usize,
    pub(super) head: Head,
    pub(super) steps: Vec<RecordedStep>,
}

/// The counterexamples that a file has.
pub(super) fn parse(name: &str, text: &str) -> Result<Vec<Recorded>, String> {
    let mut all: Vec<Recorded> = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let told = |error: serde_json::Error| {
            format!("{name}:{line}: not a line of a counterexample: {error}")
        };
        if is_counterexample(text.as_bytes()) {
            let head: Head = serde_json::from_str(text).map_err(told)?;
            if head.counterexample != VERSION {
                let version = head.counterexample;
                return Err(format!(
                    "{name}:{line}: version {version} of the format is not known; this program \
                     reads version {VERSION}"
                ));
            }
            all.push(Recorded { line, head, steps: Vec::new() });
        } else {
            let step = serde_json::from_str(text).map_err(told)?;
            let last =
                all.last_mut().ok_or_else(|| format!("{name}:{line}: a step before a head"))?;
            last.steps.push(step);
        }
    }
    for Recorded { line, head, steps } in &all {
        let (expected, found) = (head.steps, steps.len());
        if expected != found {
            return Err(format!(
                "{name}:{line}: this counterexample has {expected} steps, and {found} follow: the \
                 file is cut, or lines were added"
            ));
        }
        if head.loop_from.is_some_and(|first| first > found) {
            return Err(format!("{name}:{line}: its loop begins after its {found} steps"));
        }
    }
    Ok(all)
}
