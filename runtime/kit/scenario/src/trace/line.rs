//! The writer and the parser of a trace's lines.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use turnstile_step::{EffectOf, InputOf, OutOf, RowOutcome};

use super::serde_core::SerdeCore;
use crate::error::InputError;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The first line of a trace, with its line break.
pub const HEAD: &str = "{\"trace\":1}\n";

/// The characters of a line that an error shows, at most.
const SHOWN_MAX: usize = 200;

/// The line that declares a node, or starts it again. `is` describes it, as after `is a` in a
/// scenario.
#[must_use]
pub fn declaration_line(node: &str, is: &str) -> String {
    #[derive(Serialize)]
    struct Declaration<'l> {
        node: &'l str,
        is: &'l str,
    }
    let line = serde_json::to_string(&Declaration { node, is }).expect("two texts are JSON");
    line + "\n"
}

/// The line of a step.
///
/// # Errors
///
/// JSON cannot have a value of the core: a map whose keys are neither text nor numbers.
pub fn step_line<C: SerdeCore>(
    node: &str,
    input: &InputOf<C>,
    out: &OutOf<C>,
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    #[serde(bound = "")]
    struct StepLine<'l, C: SerdeCore> {
        node: &'l str,
        input: &'l InputOf<C>,
        rows: &'l [RowOutcome],
        effects: &'l [EffectOf<C>],
    }
    let step = StepLine::<C> { node, input, rows: &out.rows, effects: &out.effects };
    let mut line = serde_json::to_string(&step)?;
    line.push('\n');
    Ok(line)
}

/// A line after the first.
pub(super) enum TraceLine<'l> {
    /// It declares a node.
    Declaration { node: Cow<'l, str>, is: Cow<'l, str> },
    /// It records a step.
    Step(TraceStep<'l>),
}

/// A step as recorded.
pub(super) struct TraceStep<'l> {
    pub(super) node: Cow<'l, str>,
    pub(super) input: &'l RawValue,
    pub(super) rows: &'l RawValue,
    pub(super) effects: &'l RawValue,
}

/// Why a line cannot be parsed.
pub(super) enum TraceLineError {
    /// It is truncated.
    Truncated,
    /// It is invalid.
    Invalid(InputError),
}

const LINES: &str = "a line is `{\"node\":NAME,\"is\":KIND}`, which declares a node, or \
                     `{\"node\":NAME,\"input\":INPUT,\"rows\":[…],\"effects\":[…]}`; \
                     delete it, or record the trace again";

impl<'l> TraceLine<'l> {
    /// Parses a line.
    pub(super) fn parse(text: &'l str) -> Result<Self, TraceLineError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields<'l> {
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
        let fields = serde_json::from_str(text).map_err(|error| match error.is_eof() {
            true => TraceLineError::Truncated,
            false => TraceLineError::Invalid(InputError::new(message_without_line(&error), LINES)),
        })?;
        match fields {
            Fields { node, is: Some(is), input: None, rows: None, effects: None } => {
                Ok(Self::Declaration { node, is })
            }
            Fields {
                node,
                is: None,
                input: Some(input),
                rows: Some(rows),
                effects: Some(effects),
            } => Ok(Self::Step(TraceStep { node, input, rows, effects })),
            Fields { .. } => {
                let reason = "neither a declaration of a node nor a complete step";
                Err(TraceLineError::Invalid(InputError::new(reason, LINES)))
            }
        }
    }
}

/// Checks the first line, which names the version of the format.
pub(super) fn check_head(text: &str) -> Result<(), InputError> {
    let head: Option<Value> = serde_json::from_str(text).ok();
    let fields = head.as_ref().and_then(Value::as_object);
    let help = format!(
        "name a file that `--trace` has written, not a log: it begins with `{}`",
        HEAD.trim()
    );
    let Some((fields, version)) = fields.and_then(|all| Some((all, all.get("trace")?))) else {
        return Err(InputError::new("a trace begins with the version of its format", help));
    };
    if *version != VERSION {
        let reason = format!("format version {version} is not supported, only {VERSION}");
        return Err(InputError::new(reason, "replay it with the release that wrote it"));
    }
    match fields.keys().find(|name| *name != "trace") {
        None => Ok(()),
        Some(name) => Err(InputError::new(format!("the format has no field `{name}`"), help)),
    }
}

/// The text of a JSON error without its line number, which is that of the parsed line alone.
pub(super) fn message_without_line(error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    match text.strip_suffix(&*place) {
        Some(text) => format!("{text}, at column {column}"),
        None => text,
    }
}

/// A text, cut after [`SHOWN_MAX`] characters.
pub(super) fn short(text: &(impl Display + ?Sized)) -> String {
    let text = text.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        None => text,
        Some((end, _)) => text[..end].to_owned() + "…",
    }
}
