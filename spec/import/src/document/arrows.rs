//! Lists of arrows: `1.2 ACTIVE->DELETED: Lock is released.` is a row of a table of transitions.
//!
//! A list has no columns, so the header is made up; its place is that of the first entry.

use std::collections::BTreeMap;

use crate::grid::{Grid, GridLine, Word};
use crate::place::{lines, span};

/// The arrows, the longest first.
const ARROWS: [&str; 6] = ["-->", "==>", "->", "=>", "→", "⟶"];

/// The most characters of a state in such a list: a longer text is a sentence with an arrow.
const STATE_LENGTH: usize = 40;

/// The entries of a whole document: fewer than two are no list.
pub(super) fn read(text: &str) -> Vec<Grid> {
    let mut grid = Grid::default();
    // Whether the line before belongs to an entry, and how far that is indented.
    let mut open: Option<usize> = None;
    for (start, line) in lines(text) {
        let indent = line.len() - line.trim_start().len();
        if let Some(entry) = entry(line, start) {
            grid.body.push(entry);
            open = Some(indent);
        } else if open.is_some_and(|above| indent > above) && !line.trim().is_empty() {
            let Some(last) = grid.body.last_mut() else { continue };
            last.span.end = span(0..start + line.len()).end;
            if let Some(condition) = last.cells.get_mut(2) {
                condition.text.push(' ');
                condition.text.push_str(line.trim());
                condition.span.end = last.span.end;
            }
        } else {
            open = None;
        }
    }
    let ends = |line: &GridLine| [line.cells[0].text.clone(), line.cells[1].text.clone()];
    let is_bare = |line: &&GridLine| line.cells[2].text.is_empty();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for end in grid.body.iter().filter(|line| !is_bare(line)).flat_map(ends) {
        *counts.entry(end).or_default() += 1;
    }
    // The arrow of a sentence shares no state with others. One without a condition is a mistake if
    // others have both of its states, and otherwise part of a sentence, too.
    grid.body.retain(|line| {
        let many = |end: &String| counts.get(end).copied().unwrap_or(0);
        let ends = ends(line);
        if is_bare(&line) {
            return ends.iter().all(|end| many(end) > 0);
        }
        ends.iter().any(|end| many(end) > 1)
    });
    if grid.body.len() < 2 {
        return Vec::new();
    }
    let at = grid.body[0].span;
    let cells = ["Source", "Destination", "Event"].map(|name| Word::new(name, at)).to_vec();
    grid.header = GridLine { cells, span: at };
    grid.is_of_arrows = true;
    for line in &mut grid.body {
        if let Some(condition) = line.cells.get_mut(2) {
            condition.text = first_sentence(&condition.text);
        }
    }
    vec![grid]
}

fn entry(line: &str, start: usize) -> Option<GridLine> {
    let (left, arrow, rest) = ARROWS.iter().find_map(|arrow| {
        let (left, rest) = line.split_once(arrow)?;
        Some((left, arrow, rest))
    })?;
    let (right, condition) = rest.split_once(':').unwrap_or((rest, ""));
    let number = |c: char| c.is_ascii_digit() || ".)*-#• ".contains(c) || c == '\t';
    let from = left.trim_start_matches(number).trim();
    let to = right.trim();
    let is_state = |text: &str| {
        !text.is_empty() && text.chars().count() <= STATE_LENGTH && !text.contains(['(', '"', '['])
    };
    if !is_state(from) || !is_state(to) {
        return None;
    }
    let at = |text: &str, low: usize| {
        let begin = start + low + line[low..].find(text).unwrap_or(0);
        Word::new(text, span(begin..begin + text.len()))
    };
    let after = left.len() + arrow.len();
    let cells =
        vec![at(from, 0), at(to, after), at(condition.trim(), line.len() - condition.len())];
    Some(GridLine { cells, span: span(start..start + line.len()) })
}

/// The first sentence, without its stop.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}
