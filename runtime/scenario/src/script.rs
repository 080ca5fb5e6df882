//! A scenario's text taken apart into who enters and what happens, and put together again.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Fault;
use super::network::Network;
use super::node::{Deliverable, Node, Wrong};

/// The node of a name that the text after `is a` means.
type NodeOf<M> = fn(&str, &str) -> Option<Box<dyn Node<M>>>;

/// What is told of a step: the step, what it comes to, and who says it as a line of a trace.
pub(super) type Each<'e> = dyn FnMut(&Step, Vec<String>, &dyn Fn() -> Option<String>) + 'e;

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The claim that the scenario makes, and its paragraph; as written.
    pub head: String,
    /// Who enters and what happens, in order.
    pub steps: Vec<Step>,
    /// Remarks after the last of them.
    pub tail: Vec<String>,
}

/// A line that the runner reads, and what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The remarks before it.
    pub remarks: Vec<String>,
    /// Whether a node enters, or something happens to one that has.
    pub is_entry: bool,
    /// The line.
    pub line: Line,
    /// The indented lines below, with their numbers: the effects as they are written.
    pub written: Vec<(usize, String)>,
}

/// A line: whom it is about, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: usize,
    /// The node.
    pub name: String,
    /// What it is, or what happens to it.
    pub text: String,
}

impl Step {
    /// Whether it is the line that lets nodes hear from who is not on network.
    #[must_use]
    pub fn admits_strangers(&self) -> bool {
        self.is_entry && (&*self.line.name, &*self.line.text) == STRANGERS
    }

    fn fault(&self, Wrong { because, help }: Wrong) -> Fault {
        let Line { number, name, text } = &self.line;
        let between = if self.is_entry { IS_A } else { " " };
        Fault { line: *number, text: format!("{name}{between}{text}"), because, help }
    }
}

const IS_A: &str = " is a ";
const STRANGERS: (&str, &str) = ("everyone else", "stranger");

impl Script {
    /// Takes a text apart.
    ///
    /// # Errors
    ///
    /// [`Fault`] where a line names no node, or where there is no paragraph before the first.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let start = opening(&lines).ok_or_else(|| Fault {
            line: 1,
            text: lines.first().map_or("", |(_, line)| line).to_owned(),
            because: "a scenario opens with its claim, a blank line and a paragraph".to_owned(),
            help: "after these and a blank line, `NAME is a WHAT` lets the first node enter"
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
                    step.written.push((number, effect.to_owned()));
                }
                continue;
            }
            if line.starts_with('#') {
                script.tail.push(line.to_owned());
                continue;
            }
            let (is_entry, line) = match line.split_once(IS_A) {
                Some((name, what)) => {
                    names.push(name.to_owned());
                    (true, Line { number, name: name.to_owned(), text: what.to_owned() })
                }
                None => (false, whose(&names, number, line)?),
            };
            let remarks = core::mem::take(&mut script.tail);
            script.steps.push(Step { remarks, is_entry, line, written: Vec::new() });
        }
        Ok(script)
    }

    /// Plays every step, and hands out what each comes to now.
    ///
    /// # Errors
    ///
    /// [`Fault`] at the first line that cannot be played.
    pub(super) fn play<M: Deliverable>(
        &self,
        node: NodeOf<M>,
        known: &str,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let mut network = Network::new();
        for step in &self.steps {
            let Line { name, text, .. } = &step.line;
            if !step.is_entry {
                let did = network.happen(name, text).map_err(|wrong| step.fault(wrong))?;
                each(step, did.effects, &|| network.last_step(name));
                continue;
            }
            if step.admits_strangers() {
                network.admit_strangers();
            } else {
                let unknown = || Wrong::new("no such node is known here", known);
                let node = node(name, text).ok_or_else(|| step.fault(unknown()))?;
                network.enter(name, node);
            }
            each(step, Vec::new(), &|| None);
        }
        Ok(())
    }

    /// Writes the scenario anew, with these effects.
    #[must_use]
    pub fn write(&self, effects: &[Vec<String>]) -> String {
        let mut text = format!("{}\n", self.head);
        let mut follows_entry = false;
        for (step, effects) in self.steps.iter().zip(effects) {
            if !(step.is_entry && follows_entry) {
                text += "\n";
            }
            follows_entry = step.is_entry;
            for remark in &step.remarks {
                text += &format!("{remark}\n");
            }
            let between = if step.is_entry { IS_A } else { " " };
            text += &format!("{}{between}{}\n", step.line.name, step.line.text);
            for effect in effects {
                text += &format!("  {effect}\n");
            }
        }
        for remark in &self.tail {
            text += &format!("\n{remark}\n");
        }
        text
    }
}

/// Where the first node enters: at the head of the third block of lines, or of a later one.
fn opening(lines: &[(usize, &str)]) -> Option<usize> {
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

/// Whom a line is about: the one with the longest name that it begins with.
fn whose(names: &[String], number: usize, line: &str) -> Result<Line, Fault> {
    let of = |name: &String| {
        let text = line.strip_prefix(&**name)?.strip_prefix(' ')?;
        Some(Line { number, name: name.clone(), text: text.to_owned() })
    };
    names.iter().filter_map(of).max_by_key(|line| line.name.len()).ok_or_else(|| Fault {
        line: number,
        text: line.to_owned(),
        because: "no such node has entered".to_owned(),
        help: format!("entered: {}; others enter by `NAME is a WHAT`", names.join(", ")),
    })
}
