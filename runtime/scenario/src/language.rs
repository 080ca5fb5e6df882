//! Which nodes scenarios and traces can have: those of one language send each other messages of one
//! type.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Fault;
use super::node::{Deliverable, Node};
use super::script::{Each, Script};

/// The nodes of one language.
pub trait Nodes {
    /// What they send each other.
    type Message: Deliverable;

    /// What may enter, for whoever let something else in.
    const KNOWN: &'static str;

    /// The node of a name that the text after `is a` means: a [`CoreNode`], or, to be in traces as
    /// well, a `TracedNode`.
    ///
    /// [`CoreNode`]: super::CoreNode
    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Self::Message>>>;
}

/// The nodes of one language, whatever its messages are.
#[derive(Clone, Copy)]
pub struct Language {
    known: &'static str,
    has: fn(&str, &str) -> bool,
    play: fn(&Script, &str, &mut Each<'_>) -> Result<(), Fault>,
    #[cfg(feature = "trace")]
    traced: fn(&str, &str) -> Option<Box<dyn crate::trace::Traced>>,
}

impl Language {
    /// The language of these nodes.
    #[must_use]
    pub const fn of<N: Nodes>() -> Self {
        Self {
            known: N::KNOWN,
            has: |name, what| N::node(name, what).is_some(),
            play: |script, known, each| script.play(N::node, known, each),
            #[cfg(feature = "trace")]
            traced: |name, what| N::node(name, what)?.traced(),
        }
    }

    /// The node of a name that `is` means, for a trace.
    #[cfg(feature = "trace")]
    pub(super) fn traced(&self, name: &str, is: &str) -> Option<Box<dyn crate::trace::Traced>> {
        (self.traced)(name, is)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Language").field("known", &self.known).finish_non_exhaustive()
    }
}

/// What is said where there is no language.
const NO_NODES: &str = "a program whose systems have nodes plays scenarios and replays traces";

/// What may enter, of all these languages.
pub(super) fn known(languages: &[Language]) -> String {
    let known: Vec<&str> = languages.iter().map(|language| language.known).collect();
    if known.is_empty() { NO_NODES.into() } else { known.join("; or ") }
}

/// Plays a script in the language of the first node that enters.
pub(super) fn perform(
    script: &Script,
    languages: &[Language],
    each: &mut Each<'_>,
) -> Result<(), Fault> {
    let known = known(languages);
    let first = script.steps.iter().find(|step| step.is_entry && !step.admits_strangers());
    let speaks = |language: &&Language| {
        first.is_some_and(|step| (language.has)(&step.line.name, &step.line.text))
    };
    match languages.iter().find(speaks).or(languages.first()) {
        Some(language) => (language.play)(script, &known, each),
        None => Err(Fault {
            line: 1,
            text: String::new(),
            because: "no node is known here".into(),
            help: known,
        }),
    }
}
