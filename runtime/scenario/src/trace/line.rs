//! The lines of a trace: how they are written, and taken apart.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use turnstile_step::{EffectOf, InputOf, OutOf, RowOutcome};

use super::Data;
use crate::node::Wrong;

/// The format of traces.
pub const VERSION: u32 = 1;

/// What a trace begins with.
pub const HEAD: &str = "{\"trace\":1}\n";

/// More of a line than this nobody reads on a terminal.
const SHOWN_MAX: usize = 200;

/// The line with which a node enters, or begins anew, as what scenarios call so.
#[must_use]
pub fn entry_line(node: &str, is: &str) -> String {
    #[derive(Serialize)]
    struct Entry<'l> {
        node: &'l str,
        is: &'l str,
    }
    let line = serde_json::to_string(&Entry { node, is }).expect("two texts are JSON");
    line + "\n"
}

/// The line of a step.
///
/// # Errors
///
/// Where a type of the core is none that JSON can have: a map by what is neither text nor number.
pub fn step_line<C: Data>(
    node: &str,
    input: &InputOf<C>,
    out: &OutOf<C>,
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    #[serde(bound = "")]
    struct Step<'l, C: Data> {
        node: &'l str,
        input: &'l InputOf<C>,
        rows: &'l [RowOutcome],
        effects: &'l [EffectOf<C>],
    }
    let step = Step::<C> { node, input, rows: &out.rows, effects: &out.effects };
    let mut line = serde_json::to_string(&step)?;
    line.push('\n');
    Ok(line)
}

/// What a line says.
pub(super) enum Line<'l> {
    /// A node enters.
    Entry { node: Cow<'l, str>, is: Cow<'l, str> },
    /// A node takes a step.
    Step(Step<'l>),
}

/// A step as it is written.
pub(super) struct Step<'l> {
    pub(super) node: Cow<'l, str>,
    pub(super) input: &'l RawValue,
    pub(super) rows: &'l RawValue,
    pub(super) effects: &'l RawValue,
}

/// Why a line is none.
pub(super) enum Unread {
    /// It ends in the middle.
    Torn,
    /// Something else.
    Wrong(Wrong),
}

const LINES: &str = "a line is `{\"node\":NAME,\"is\":WHAT}`, by which a node enters, or \
                     `{\"node\":NAME,\"input\":INPUT,\"rows\":[…],\"effects\":[…]}`; \
                     delete it, or write the trace anew";

impl<'l> Line<'l> {
    /// Takes a line apart.
    pub(super) fn read(text: &'l str) -> Result<Self, Unread> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Any<'l> {
            #[serde(borrow)]
            node: Cow<'l, str>,
            #[serde(borrow)]
            is: Option<Cow<'l, str>>,
            #[serde(borrow)]
            input: Option<&'l RawValue>,
            #[serde(borrow)]
            rows: Option<&'l RawValue>,
            #[serde(borrow)]
            effects: Option<&'l RawValue>,
        }
        let any = serde_json::from_str(text).map_err(|error| match error.is_eof() {
            true => Unread::Torn,
            false => Unread::Wrong(Wrong::new(words(&error), LINES)),
        })?;
        match any {
            Any { node, is: Some(is), input: None, rows: None, effects: None } => {
                Ok(Self::Entry { node, is })
            }
            Any {
                node,
                is: None,
                input: Some(input),
                rows: Some(rows),
                effects: Some(effects),
            } => Ok(Self::Step(Step { node, input, rows, effects })),
            Any { .. } => {
                let because = "it is neither a node that enters nor a whole step";
                Err(Unread::Wrong(Wrong::new(because, LINES)))
            }
        }
    }
}

/// Looks whether the first line says that a trace of this format follows.
pub(super) fn read_head(text: &str) -> Result<(), Wrong> {
    let head: Option<Value> = serde_json::from_str(text).ok();
    let fields = head.as_ref().and_then(Value::as_object);
    let help = format!("its first line is `{}`; write it anew, or put the line back", HEAD.trim());
    let Some((fields, version)) = fields.and_then(|all| Some((all, all.get("trace")?))) else {
        return Err(Wrong::new("a trace begins with its format", help));
    };
    if *version != VERSION {
        let because = format!("this trace is of format {version}, and {VERSION} is read here");
        return Err(Wrong::new(because, "replay it with the release that wrote it"));
    }
    match fields.keys().find(|name| *name != "trace") {
        None => Ok(()),
        Some(name) => Err(Wrong::new(format!("the format has no field `{name}`"), help)),
    }
}

/// What serde says of a text of one line, without the line's number.
pub(super) fn words(error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    match text.strip_suffix(&*place) {
        Some(text) => format!("{text}, at column {column}"),
        None => text,
    }
}

/// The beginning of a text that may be long.
pub(super) fn short(text: &(impl Display + ?Sized)) -> String {
    let text = text.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        None => text,
        Some((end, _)) => text[..end].to_owned() + "…",
    }
}
