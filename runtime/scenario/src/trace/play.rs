//! A trace, line by line, beside what the cores do now.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::BufRead;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::line::{Line, Step, Unread, read_head, short, words};
use super::node::Traced;
use crate::compare::compare;
use crate::node::Wrong;
use crate::{Departure, Fault, Replay};

/// The node of a name that `is` means.
type Enter<'e> = dyn FnMut(&str, &str) -> Result<Box<dyn Traced>, Wrong> + 'e;

/// Replays a trace of the nodes that enter.
pub(super) fn play(mut trace: impl BufRead, enter: &mut Enter<'_>) -> Result<Replay, Fault> {
    let mut player = Player { enter, nodes: BTreeMap::new(), replay: Replay::default() };
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = trace.read_until(b'\n', &mut bytes);
        let taken = match read {
            Ok(0) if number > 1 => break,
            Ok(_) => player.take(number, &bytes),
            Err(error) => Err(Wrong::new(
                format!("it cannot be read: {error}"),
                "replay a copy of what can be read",
            )),
        };
        let Err(Wrong { because, help }) = taken else { continue };
        let text = short(String::from_utf8_lossy(&bytes).trim_end());
        let fault = Fault { line: number, text, because, help };
        if player.replay.departures.is_empty() {
            return Err(fault);
        }
        player.replay.stopped = Some(fault);
        break;
    }
    Ok(Replay { nodes: player.nodes.len(), ..player.replay })
}

struct Player<'e, 'f> {
    enter: &'e mut Enter<'f>,
    nodes: BTreeMap<String, Box<dyn Traced>>,
    replay: Replay,
}

impl Player<'_, '_> {
    fn take(&mut self, number: usize, bytes: &[u8]) -> Result<(), Wrong> {
        let is_whole = bytes.ends_with(b"\n");
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text.trim(),
            Err(error) if number > 1 && !is_whole && error.error_len().is_none() => {
                self.replay.torn = Some(number);
                return Ok(());
            }
            Err(error) => {
                let because = format!("byte {} is not UTF-8", error.valid_up_to() + 1);
                return Err(Wrong::new(because, "save it as UTF-8"));
            }
        };
        if number == 1 {
            return read_head(text);
        }
        if text.is_empty() {
            return Ok(());
        }
        match Line::read(text) {
            Ok(Line::Entry { node, is }) => {
                let entered = (self.enter)(&node, &is)?;
                self.nodes.insert(node.into_owned(), entered);
                Ok(())
            }
            Ok(Line::Step(step)) => self.step(number, &step),
            Err(Unread::Torn) if !is_whole => {
                self.replay.torn = Some(number);
                Ok(())
            }
            Err(Unread::Torn) => {
                let help = "only the last line may, of a process that was killed; delete it";
                Err(Wrong::new("the line ends in the middle", help))
            }
            Err(Unread::Wrong(wrong)) => Err(wrong),
        }
    }

    fn step(&mut self, number: usize, step: &Step<'_>) -> Result<(), Wrong> {
        let Some(node) = self.nodes.get_mut(&*step.node) else {
            let names: Vec<&str> = self.nodes.keys().map(|name| &**name).collect();
            let help = format!(
                "entered: {}; others enter by `{{\"node\":NAME,\"is\":WHAT}}`",
                names.join(", ")
            );
            return Err(Wrong::new("no such node has entered", help));
        };
        let now = node.replay(step.input.get())?;
        self.replay.steps += 1;
        self.replay.late += usize::from(now.is_late);
        let rows = self.compare(number, step, step.rows, &now.rows)?;
        let effects = self.compare(number, step, step.effects, &now.effects)?;
        self.replay.lines += now.count + rows + effects;
        Ok(())
    }

    /// Compares what is written with what is done now; how much more is written.
    fn compare(
        &mut self,
        line: usize,
        step: &Step<'_>,
        written: &RawValue,
        now: &str,
    ) -> Result<usize, Wrong> {
        if written.get() == now {
            return Ok(0);
        }
        let written = items(written.get())?;
        let now = items(now)?;
        let is_same = |a: &Item<'_>, b: &Item<'_>| a.value == b.value;
        let is_like = |a: &Item<'_>, b: &Item<'_>| a.kind() == b.kind();
        let departures = &mut self.replay.departures;
        compare(&written, &now, is_same, is_like, |_, old, new| {
            let input = format!("{} {}", step.node, short(step.input.get()));
            let text = |item: &Item<'_>| item.text.to_owned();
            departures.push(Departure { line, input, written: old.map(text), now: new.map(text) });
        });
        Ok(written.len().saturating_sub(now.len()))
    }
}

/// A row or an effect.
struct Item<'l> {
    text: &'l str,
    value: Value,
}

impl Item<'_> {
    /// What kind of row or effect it is: `send`, `arm`.
    fn kind(&self) -> Option<&String> {
        self.value.as_object().map(Map::keys)?.next()
    }
}

fn items(list: &str) -> Result<Vec<Item<'_>>, Wrong> {
    let none = |error: serde_json::Error| {
        let because = format!("rows and effects are lists: {}", words(&error));
        Wrong::new(because, "write the trace anew, or put the list back")
    };
    let texts: Vec<&RawValue> = serde_json::from_str(list).map_err(none)?;
    let mut items = Vec::with_capacity(texts.len());
    for text in texts.into_iter().map(RawValue::get) {
        items.push(Item { text, value: serde_json::from_str(text).map_err(none)? });
    }
    Ok(items)
}
