//! A scenario's text taken apart into its cast and its inputs, and put together again.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Fault;
use super::actor::Travels;
use super::stage::Stage;

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The claim that the scenario makes, and its paragraph; as written.
    pub head: String,
    /// Who is on stage: a name and, after `is a`, what it is.
    pub cast: Vec<Line>,
    /// What happens: whom, and what; with the remarks before it.
    pub inputs: Vec<(Vec<String>, Line)>,
    /// Remarks after the last input.
    pub tail: Vec<String>,
}

/// A line that the runner reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: usize,
    /// The node.
    pub name: String,
    /// The rest.
    pub text: String,
}

impl Line {
    /// This line is wrong.
    #[must_use]
    pub fn fault(&self, because: &str) -> Fault {
        let text = format!("{} {}", self.name, self.text);
        Fault { line: self.number, text, because: because.to_owned() }
    }
}

const IS_A: &str = " is a ";

impl Script {
    /// Takes a text apart. Effects are not kept: they are what comes of it.
    ///
    /// # Errors
    ///
    /// [`Fault`] where a line names no node, or where there is no paragraph before the first.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
        let is_cast = |line: &str| line.contains(IS_A) && !line.ends_with('.');
        let start = lines.iter().position(|(_, line)| is_cast(line)).unwrap_or(lines.len());
        let (head, body) = lines.split_at(start);
        let head: Vec<&str> = head.iter().map(|(_, line)| *line).collect();
        let paragraphs = head.split(|line| line.is_empty()).filter(|part| !part.is_empty()).count();
        if paragraphs < 2 {
            let because =
                "a scenario opens with its claim, a blank line and a paragraph".to_owned();
            return Err(Fault {
                line: 1,
                text: head.first().map_or("", |it| it).to_owned(),
                because,
            });
        }
        let head = head.join("\n").trim_end().to_owned();
        let mut script = Self { head, cast: Vec::new(), inputs: Vec::new(), tail: Vec::new() };
        let mut remarks = Vec::new();
        for &(number, line) in body {
            if line.is_empty() || line.starts_with(' ') {
                continue;
            }
            if line.starts_with('#') {
                remarks.push(line.to_owned());
            } else if let Some((name, what)) = line.split_once(IS_A)
                && script.inputs.is_empty()
            {
                script.cast.push(Line { number, name: name.to_owned(), text: what.to_owned() });
            } else {
                let line = script.whose(number, line)?;
                script.inputs.push((core::mem::take(&mut remarks), line));
            }
        }
        script.tail = remarks;
        Ok(script)
    }

    fn whose(&self, number: usize, line: &str) -> Result<Line, Fault> {
        let of = |cast: &Line| {
            let text = line.strip_prefix(&*cast.name)?.strip_prefix(' ')?;
            Some(Line { number, name: cast.name.clone(), text: text.to_owned() })
        };
        self.cast.iter().find_map(of).ok_or_else(|| Fault {
            line: number,
            text: line.to_owned(),
            because: "no such node is on stage".to_owned(),
        })
    }

    /// Plays every input and writes the scenario anew, with the effects as they are.
    ///
    /// # Errors
    ///
    /// [`Fault`] at the first input that cannot be played.
    pub fn play<M: Travels>(&self, stage: &mut Stage<M>) -> Result<String, Fault> {
        let mut text = format!("{}\n\n", self.head);
        for Line { name, text: what, .. } in &self.cast {
            text += &format!("{name}{IS_A}{what}\n");
        }
        for (remarks, line) in &self.inputs {
            text += "\n";
            for remark in remarks {
                text += &format!("{remark}\n");
            }
            text += &format!("{} {}\n", line.name, line.text);
            let effects = stage.happen(&line.name, &line.text);
            for effect in effects.map_err(|because| line.fault(&because))? {
                text += &format!("  {effect}\n");
            }
        }
        for remark in &self.tail {
            text += &format!("\n{remark}\n");
        }
        Ok(text)
    }
}
