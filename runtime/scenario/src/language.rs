//! Which nodes scenarios can have: those of one language send each other messages of one type.

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

    /// The node of a name that the text after `is a` means.
    fn node(name: &str, what: &str) -> Option<Box<dyn Node<Self::Message>>>;
}

/// The nodes of one language, whatever its messages are.
#[derive(Clone, Copy)]
pub struct Language {
    known: &'static str,
    has: fn(&str, &str) -> bool,
    play: fn(&Script, &str, &mut Each<'_>) -> Result<(), Fault>,
}

impl Language {
    /// The language of these nodes.
    #[must_use]
    pub const fn of<N: Nodes>() -> Self {
        Self {
            known: N::KNOWN,
            has: |name, what| N::node(name, what).is_some(),
            play: |script, known, each| script.play(N::node, known, each),
        }
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Language").field("known", &self.known).finish_non_exhaustive()
    }
}

/// Plays a script in the language of the first node that enters.
pub(super) fn perform(
    script: &Script,
    languages: &[Language],
    each: &mut Each<'_>,
) -> Result<(), Fault> {
    let known: Vec<&str> = languages.iter().map(|language| language.known).collect();
    let known: String = known.join("; or ");
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
            help: "a program whose systems have nodes plays scenarios".into(),
        }),
    }
}
