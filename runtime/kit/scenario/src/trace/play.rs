//! The player of a trace: it gives the recorded inputs to the cores and compares what they do.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::BufRead;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::line::{TraceLine, TraceLineError, TraceStep, check_head, message_without_line, short};
use super::replay_node::{ReplayNode, ReplayedStep};
use crate::compare::compare;
use crate::error::{InputError, LineError};
use crate::replay::{Mismatch, Replay};

/// Makes the node that a name and its `is` describe.
pub(super) type MakeNode<'e> =
    dyn FnMut(&str, &str) -> Result<Box<dyn ReplayNode>, InputError> + 'e;

/// Replays a trace; `make_node` makes the nodes that it declares.
pub(super) fn play(trace: impl BufRead, make_node: &mut MakeNode<'_>) -> Result<Replay, LineError> {
    let mut player = Player::new(trace);
    loop {
        match player.step(make_node) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(player.end()),
            Err(error) => return player.stop(error),
        }
    }
}

/// A step that a player has replayed.
pub(super) struct PlayedStep {
    pub(super) line: usize,
    pub(super) node: String,
    pub(super) step: ReplayedStep,
}

/// Replays one trace.
pub(super) struct Player<R> {
    trace: R,
    /// The last line that was read, and its number.
    bytes: Vec<u8>,
    number: usize,
    nodes: BTreeMap<String, Box<dyn ReplayNode>>,
    replay: Replay,
}

impl<R: BufRead> Player<R> {
    pub(super) fn new(trace: R) -> Self {
        let (nodes, replay) = (BTreeMap::new(), Replay::default());
        Self { trace, bytes: Vec::new(), number: 0, nodes, replay }
    }

    /// Replays lines until a step is done; `None` at the end of the trace.
    pub(super) fn step(
        &mut self,
        make_node: &mut MakeNode<'_>,
    ) -> Result<Option<PlayedStep>, LineError> {
        loop {
            self.number += 1;
            self.bytes.clear();
            let played = match self.trace.read_until(b'\n', &mut self.bytes) {
                Ok(0) if self.number > 1 => return Ok(None),
                Ok(_) => self.play_line(make_node),
                Err(error) => Err(InputError::new(
                    format!("read error: {error}"),
                    "replay a copy of the readable part",
                )),
            };
            match played {
                Ok(None) => {}
                Ok(Some(step)) => return Ok(Some(step)),
                Err(InputError { reason, help }) => {
                    let text = short(String::from_utf8_lossy(&self.bytes).trim_end());
                    return Err(LineError { line: self.number, text, reason, help });
                }
            }
        }
    }

    /// Whether the cores have done what is recorded, so far.
    pub(super) const fn matches(&self) -> bool {
        self.replay.mismatches.is_empty()
    }

    /// Whether the last line is incomplete.
    pub(super) const fn is_cut_off(&self) -> bool {
        self.replay.truncated_line.is_some()
    }

    pub(super) fn end(self) -> Replay {
        Replay { nodes: self.nodes.len(), ..self.replay }
    }

    /// The result if a line cannot be played.
    pub(super) fn stop(mut self, error: LineError) -> Result<Replay, LineError> {
        if self.matches() {
            return Err(error);
        }
        self.replay.stopped_at = Some(error);
        Ok(self.end())
    }

    fn play_line(
        &mut self,
        make_node: &mut MakeNode<'_>,
    ) -> Result<Option<PlayedStep>, InputError> {
        let bytes = std::mem::take(&mut self.bytes);
        let played = self.play_bytes(&bytes, make_node);
        self.bytes = bytes;
        played
    }

    fn play_bytes(
        &mut self,
        bytes: &[u8],
        make_node: &mut MakeNode<'_>,
    ) -> Result<Option<PlayedStep>, InputError> {
        let number = self.number;
        let is_whole = bytes.ends_with(b"\n");
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text.trim(),
            Err(error) if number > 1 && !is_whole && error.error_len().is_none() => {
                self.replay.truncated_line = Some(number);
                return Ok(None);
            }
            Err(error) => {
                let reason = format!("byte {} is not UTF-8", error.valid_up_to() + 1);
                return Err(InputError::new(reason, "save it as UTF-8"));
            }
        };
        if number == 1 {
            return check_head(text).map(|()| None);
        }
        if text.is_empty() {
            return Ok(None);
        }
        match TraceLine::parse(text) {
            Ok(TraceLine::Declaration { node, is }) => {
                let made = make_node(&node, &is)?;
                self.nodes.insert(node.into_owned(), made);
                Ok(None)
            }
            Ok(TraceLine::Step(step)) => self.play_step(number, &step).map(Some),
            Err(TraceLineError::Truncated) if !is_whole => {
                self.replay.truncated_line = Some(number);
                Ok(None)
            }
            Err(TraceLineError::Truncated) => {
                let help = "only the last line may be, if the process was killed; delete this line";
                Err(InputError::new("truncated line", help))
            }
            Err(TraceLineError::Invalid(error)) => Err(error),
        }
    }

    fn play_step(&mut self, line: usize, step: &TraceStep<'_>) -> Result<PlayedStep, InputError> {
        let Some(node) = self.nodes.get_mut(&*step.node) else {
            let names: Vec<&str> = self.nodes.keys().map(|name| &**name).collect();
            let help = format!(
                "declared: {}; `{{\"node\":NAME,\"is\":KIND}}` declares another",
                names.join(", ")
            );
            return Err(InputError::new("undeclared node", help));
        };
        let actual = node.replay(step.input.get())?;
        self.replay.steps += 1;
        self.replay.late_timers += usize::from(actual.was_disarmed);
        let rows = self.compare(line, step, step.rows, &actual.rows)?;
        let effects = self.compare(line, step, step.effects, &actual.effects)?;
        self.replay.lines += actual.count + rows + effects;
        Ok(PlayedStep { line, node: step.node.clone().into_owned(), step: actual })
    }

    /// Compares recorded rows or effects with those of the core. Returns how many more are
    /// recorded.
    fn compare(
        &mut self,
        line: usize,
        step: &TraceStep<'_>,
        expected: &RawValue,
        actual: &str,
    ) -> Result<usize, InputError> {
        if expected.get() == actual {
            return Ok(0);
        }
        let expected = items(expected.get())?;
        let actual = items(actual)?;
        let is_same = |a: &Item<'_>, b: &Item<'_>| a.value == b.value;
        let is_like = |a: &Item<'_>, b: &Item<'_>| a.kind() == b.kind();
        let mismatches = &mut self.replay.mismatches;
        compare(&expected, &actual, is_same, is_like, |_, old, new| {
            let input = format!("{} {}", step.node, short(step.input.get()));
            let text = |item: &Item<'_>| item.text.to_owned();
            mismatches.push(Mismatch {
                line,
                input,
                expected: old.map(text),
                actual: new.map(text),
            });
        });
        Ok(expected.len().saturating_sub(actual.len()))
    }
}

/// A row or an effect.
struct Item<'l> {
    text: &'l str,
    value: Value,
}

impl Item<'_> {
    /// Its kind: `send`, `arm`.
    fn kind(&self) -> Option<&String> {
        self.value.as_object().map(Map::keys)?.next()
    }
}

fn items(list: &str) -> Result<Vec<Item<'_>>, InputError> {
    let invalid = |error: serde_json::Error| {
        let reason =
            format!("expected a list of rows or effects: {}", message_without_line(&error));
        InputError::new(reason, "restore the list, or record the trace again")
    };
    let texts: Vec<&RawValue> = serde_json::from_str(list).map_err(invalid)?;
    let mut items = Vec::with_capacity(texts.len());
    for text in texts.into_iter().map(RawValue::get) {
        items.push(Item { text, value: serde_json::from_str(text).map_err(invalid)? });
    }
    Ok(items)
}
