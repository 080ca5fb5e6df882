//! The diagram for other programs to draw: Mermaid and DOT.

use askama::Template;

use crate::diagram::{Diagram, Entry, Node, Phase};

#[derive(Template)]
#[template(path = "diagram.mmd", escape = "none")]
struct Mermaid<'a> {
    header: &'a str,
    diagram: &'a Diagram,
}

#[derive(Template)]
#[template(path = "diagram.dot", escape = "none")]
struct Dot<'a> {
    header: &'a str,
    diagram: &'a Diagram,
}

/// A Mermaid state diagram.
pub(crate) fn mermaid(diagram: &Diagram, header: &str) -> String {
    Mermaid { header, diagram }.render().expect("writing to a string does not fail")
}

/// A DOT graph.
pub(crate) fn dot(diagram: &Diagram, header: &str) -> String {
    Dot { header, diagram }.render().expect("writing to a string does not fail")
}

/// A row on one line.
fn row(entry: &Entry) -> String {
    match entry.does.as_slice() {
        [] => plain(&entry.event),
        does => plain(&format!("{} / {}", entry.event, does.join(", "))),
    }
}

/// A text without what Mermaid's grammar gives a meaning.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        match letter {
            ':' | ';' | '#' | '<' | '>' | '"' => plain += &format!("#{};", u32::from(letter)),
            _ => plain.push(letter),
        }
    }
    plain
}

/// A text in double quotes, as DOT has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A row as DOT's label, actions on a line of their own.
fn label(entries: &[Entry]) -> String {
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| match entry.does.as_slice() {
            [] => entry.event.clone(),
            does => format!("{}\n{}", entry.event, does.join(", ")),
        })
        .collect();
    quoted(&lines.join("\n"))
}

fn node_label(node: &Node) -> String {
    let loops =
        node.loops.iter().map(|entry| format!("{} / {}", entry.event, entry.does.join(", ")));
    let lines: Vec<String> =
        std::iter::once(node.name.clone()).chain(node.holds.clone()).chain(loops).collect();
    quoted(&lines.join("\n"))
}

fn colour(phase: Phase) -> &'static str {
    match phase {
        Phase::Answer => "#e2edfb",
        Phase::Time => "#fdf0d3",
        Phase::Rest => "#efecfa",
        Phase::End => "#f4f4f2",
        Phase::Undeclared => "#fdecea",
    }
}
