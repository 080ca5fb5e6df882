//! The diagram for other programs to draw: Mermaid and DOT.

use askama::Template;

use crate::diagram::{Diagram, Entry, Node, Note, NoteKind, Phase};

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
        [] => plain(&entry.words()),
        does => plain(&format!("{} / {}", entry.words(), does.join(", "))),
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
            [] => entry.words(),
            does => format!("{}\n{}", entry.words(), does.join(", ")),
        })
        .collect();
    quoted(&lines.join("\n"))
}

/// A state's name, or the names of several.
fn name(node: &Node) -> String {
    match node.phase {
        Phase::Several => format!("any of: {}", node.holds.join(", ")),
        Phase::Answer | Phase::Time | Phase::Rest | Phase::End | Phase::Undeclared => {
            node.name.clone()
        }
    }
}

/// A note on one line.
fn note(note: &Note) -> String {
    let kind = match note.kind {
        NoteKind::Retry => "retries in",
        NoteKind::End => "ends in",
        NoteKind::Stay => "stays on",
    };
    format!("{kind} {}", note.text)
}

fn node_label(node: &Node) -> String {
    let held = if node.phase == Phase::Several { Vec::new() } else { node.holds.clone() };
    let notes = node.notes.iter().map(note);
    let loops =
        node.loops.iter().map(|entry| format!("{} / {}", entry.words(), entry.does.join(", ")));
    let lines: Vec<String> =
        std::iter::once(name(node)).chain(held).chain(loops).chain(notes).collect();
    quoted(&lines.join("\n"))
}

fn colour(phase: Phase) -> &'static str {
    match phase {
        Phase::Answer => "#e2edfb",
        Phase::Time => "#fdf0d3",
        Phase::Rest => "#efecfa",
        Phase::End => "#f4f4f2",
        Phase::Undeclared => "#fdecea",
        Phase::Several => "#fffefb",
    }
}
