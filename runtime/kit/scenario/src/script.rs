//! The parser and the writer of a scenario's text: declarations of nodes, inputs, effects.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::error::{InputError, LineError};
use super::network::Network;
use super::node::{Deliverable, Node};

/// Makes the node that a name and the text after `is a` describe.
type NodeOf<M> = fn(&str, &str) -> Option<Box<dyn Node<M>>>;

/// Called with each step played: the step, its effects, and how it reads as a line of a trace.
pub(super) type StepObserver<'e> =
    dyn FnMut(&ScriptLine, Vec<String>, &dyn Fn() -> Option<String>) + 'e;

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The title and the paragraph, as written.
    pub head: String,
    /// Declarations and inputs, in order.
    pub steps: Vec<ScriptLine>,
    /// Comments after the last step.
    pub tail: Vec<String>,
}

/// A line that is not indented, with the lines around it that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// The comments before it.
    pub comments: Vec<String>,
    /// Whether it declares a node; otherwise it is an input.
    pub is_declaration: bool,
    /// The line.
    pub line: Line,
    /// The effects below it, as written, with their line numbers counted from 1.
    pub expected: Vec<(usize, String)>,
}

/// A line, split into the node's name and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: usize,
    /// The node's name.
    pub name: String,
    /// The node's kind, or the input.
    pub text: String,
}

impl ScriptLine {
    /// Whether it is the line by which nodes accept messages from undeclared names.
    #[must_use]
    pub fn allows_unknown_senders(&self) -> bool {
        self.is_declaration && (&*self.line.name, &*self.line.text) == UNKNOWN_SENDERS
    }

    fn line_error(&self, InputError { reason, help }: InputError) -> LineError {
        let Line { number, name, text } = &self.line;
        let between = if self.is_declaration { IS_A } else { " " };
        LineError { line: *number, text: format!("{name}{between}{text}"), reason, help }
    }
}

const IS_A: &str = " is a ";
const UNKNOWN_SENDERS: (&str, &str) = ("everyone else", "stranger");

impl Script {
    /// Parses a scenario.
    ///
    /// # Errors
    ///
    /// A line names no declared node, or the title or the paragraph is missing.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let start = first_node_line(&lines).ok_or_else(|| LineError {
            line: 1,
            text: lines.first().map_or("", |(_, line)| line).to_owned(),
            reason: "a scenario begins with a title, a blank line and a paragraph".to_owned(),
            help: "after these and a blank line, `NAME is a KIND` declares the first node"
                .to_owned(),
        })?;
        let (head, body) = lines.split_at(start);
        let head: Vec<&str> = head.iter().map(|(_, line)| *line).collect();
        let head = head.join("\n").trim_end().to_owned();
        let mut script = Self { head, steps: Vec::new(), tail: Vec::new() };
        let mut names: Vec<String> = Vec::new();
        for &(number, line) in body {
            if line.is_empty() {
                continue;
            }
            if let Some(effect) = line.strip_prefix("  ") {
                if let Some(step) = script.steps.last_mut() {
                    step.expected.push((number, effect.to_owned()));
                }
                continue;
            }
            if line.starts_with('#') {
                script.tail.push(line.to_owned());
                continue;
            }
            let (is_declaration, line) = match line.split_once(IS_A) {
                Some((name, what)) => {
                    names.push(name.to_owned());
                    (true, Line { number, name: name.to_owned(), text: what.to_owned() })
                }
                None => (false, parse_input(&names, number, line)?),
            };
            let comments = core::mem::take(&mut script.tail);
            script.steps.push(ScriptLine { comments, is_declaration, line, expected: Vec::new() });
        }
        Ok(script)
    }

    /// Plays every step and calls `observe` with its effects.
    ///
    /// # Errors
    ///
    /// The first line that cannot be played.
    pub(super) fn play<M: Deliverable>(
        &self,
        node: NodeOf<M>,
        node_kinds: &str,
        observe: &mut StepObserver<'_>,
    ) -> Result<(), LineError> {
        let mut network = Network::new();
        for step in &self.steps {
            let Line { name, text, .. } = &step.line;
            if !step.is_declaration {
                let output =
                    network.take_input(name, text).map_err(|error| step.line_error(error))?;
                observe(step, output.effects, &|| network.last_step(name));
                continue;
            }
            if step.allows_unknown_senders() {
                network.allow_unknown_senders();
            } else {
                let unknown = || InputError::new("unknown node kind", node_kinds);
                let node = node(name, text).ok_or_else(|| step.line_error(unknown()))?;
                network.add(name, node);
            }
            observe(step, Vec::new(), &|| None);
        }
        Ok(())
    }

    /// The scenario's text with these effects.
    #[must_use]
    pub fn write(&self, effects: &[Vec<String>]) -> String {
        let mut text = format!("{}\n", self.head);
        let mut follows_declaration = false;
        for (step, effects) in self.steps.iter().zip(effects) {
            if !(step.is_declaration && follows_declaration) {
                text += "\n";
            }
            follows_declaration = step.is_declaration;
            for comment in &step.comments {
                text += &format!("{comment}\n");
            }
            let between = if step.is_declaration { IS_A } else { " " };
            text += &format!("{}{between}{}\n", step.line.name, step.line.text);
            for effect in effects {
                text += &format!("  {effect}\n");
            }
        }
        for comment in &self.tail {
            text += &format!("\n{comment}\n");
        }
        text
    }
}

/// The index of the first declaration: the first line of the third block of lines, or a later one.
fn first_node_line(lines: &[(usize, &str)]) -> Option<usize> {
    let (mut blocks, mut is_between) = (0, true);
    for (place, (_, line)) in lines.iter().enumerate() {
        let begins = is_between && !line.is_empty();
        blocks += usize::from(begins);
        is_between = line.is_empty();
        if begins && blocks > 2 && line.contains(IS_A) && !line.ends_with('.') {
            return Some(place);
        }
    }
    None
}

/// Splits an input after the longest declared name that it begins with.
fn parse_input(names: &[String], number: usize, line: &str) -> Result<Line, LineError> {
    let of = |name: &String| {
        let text = line.strip_prefix(&**name)?.strip_prefix(' ')?;
        Some(Line { number, name: name.clone(), text: text.to_owned() })
    };
    names.iter().filter_map(of).max_by_key(|line| line.name.len()).ok_or_else(|| LineError {
        line: number,
        text: line.to_owned(),
        reason: "undeclared node".to_owned(),
        help: format!("declared: {}; `NAME is a KIND` declares another", names.join(", ")),
    })
}
