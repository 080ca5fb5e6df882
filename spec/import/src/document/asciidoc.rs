//! Tables of AsciiDoc: blocks between `|===`, with the cells on one line or on several.
//!
//! No maintained library of Rust reads them. Cells that span columns or rows are refused, and
//! nested tables are not read: the row then has a wrong number of cells, which is reported.

use turnstile_spec::diagnostic::Span;

use crate::grid::{Grid, GridLine, Tables, Word};
use crate::place::{lines, span};

/// A table whose end is not read yet.
#[derive(Default)]
struct Block {
    columns: Option<usize>,
    cells: Vec<Word>,
    /// Cells that span columns or rows, or stand for several.
    spanning: Vec<Span>,
    /// The cells of the first line with any: as many columns has the table, if `cols` says nothing.
    first: usize,
}

pub(super) fn read(text: &str) -> Tables {
    let mut tables = Tables::default();
    let (mut section, mut attributes) = (String::new(), String::new());
    let mut open: Option<Block> = None;
    for (start, line) in lines(text) {
        let trimmed = line.trim();
        if trimmed.starts_with("|===") {
            match open.take() {
                Some(mut block) => {
                    tables.spanning.append(&mut block.spanning);
                    let grid = block.close();
                    tables.grids.push(Grid { section: section.clone(), ..grid });
                }
                None => open = Some(Block { columns: columns(&attributes), ..Block::default() }),
            }
            attributes.clear();
        } else if let Some(block) = &mut open {
            block.take(start, line);
        } else if trimmed.starts_with('[') && trimmed.ends_with(']') {
            trimmed.clone_into(&mut attributes);
        } else if let Some(heading) = heading(trimmed) {
            heading.clone_into(&mut section);
            if tables.title.is_empty() {
                heading.clone_into(&mut tables.title);
            }
        }
    }
    // A table without an end reaches to the end of the document.
    if let Some(mut block) = open {
        tables.spanning.append(&mut block.spanning);
        tables.grids.push(Grid { section, ..block.close() });
    }
    tables
}

/// `== Heading`.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('=');
    let is_heading = text.len() < line.len() && text.starts_with(' ');
    is_heading.then(|| text.trim())
}

/// The number of columns of `[cols="1,2,1"]`, `[cols="3*"]` or `[cols=3*]`.
fn columns(attributes: &str) -> Option<usize> {
    let value = attributes.split_once("cols=")?.1;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ']']).next()?,
    };
    let of_part = |part: &str| match part.trim().split_once('*') {
        Some((times, _)) => times.parse().unwrap_or(1),
        None => 1usize,
    };
    let count: usize = value.split([',', ';']).map(of_part).fold(0, usize::saturating_add);
    (1..=1_000).contains(&count).then_some(count)
}

impl Block {
    /// A line of the block: cells begin with `|`; a line without one continues the last cell.
    fn take(&mut self, start: usize, line: &str) {
        let bars: Vec<usize> =
            line.match_indices('|').map(|(at, _)| at).filter(|at| !is_escaped(line, *at)).collect();
        let first = bars.first().copied().unwrap_or(line.len());
        let before = line[..first].trim();
        // `2+|` begins a cell with a specification; anything else continues the last cell.
        if !before.is_empty() && !is_specification(before) {
            let end = span(start..start + first).end;
            if let Some(last) = self.cells.last_mut() {
                last.text = format!("{} {before}", last.text).trim().to_owned();
                last.span.end = end;
            }
        }
        let mut before = before;
        for (nth, bar) in bars.iter().enumerate() {
            if is_specification(before) && before.contains(['+', '*']) {
                let from = start + bar - before.len();
                self.spanning.push(span(from..start + bar + 1));
            }
            before = "";
            let end = bars.get(nth + 1).copied().unwrap_or(line.len());
            let mut text = &line[bar + 1..end];
            if nth + 1 < bars.len()
                && let Some((rest, word)) = text.rsplit_once(' ')
                && is_specification(word)
            {
                (text, before) = (rest, word);
            }
            let begin = bar + 1 + (text.len() - text.trim_start().len());
            let text = text.trim();
            let place = span(start + begin..start + begin + text.len());
            self.cells.push(Word::new(text.replace("\\|", "|"), place));
        }
        if self.first == 0 {
            self.first = bars.len();
        }
    }

    fn close(self) -> Grid {
        let columns = self.columns.unwrap_or(self.first).max(1);
        let mut rows = self.cells.chunks(columns).map(|cells| {
            let start = cells.first().map_or(0, |cell| cell.span.start);
            let end = cells.last().map_or(start, |cell| cell.span.end);
            GridLine { cells: cells.to_vec(), span: Span { start, end } }
        });
        let header = rows.next().unwrap_or_default();
        Grid { header, body: rows.collect(), ..Grid::default() }
    }
}

fn is_escaped(line: &str, at: usize) -> bool {
    line[..at].ends_with('\\')
}

/// `2+`, `.3+`, `^`, `a`: what may stand before a cell's bar.
fn is_specification(word: &str) -> bool {
    let style = word.strip_suffix(['a', 'd', 'e', 'h', 'l', 'm', 's', 'v']).unwrap_or(word);
    let is_mark = |c: char| c.is_ascii_digit() || "+*.<^>".contains(c);
    !word.is_empty()
        && style.chars().all(is_mark)
        && (style.len() > 1 || style != word || "<^>".contains(style))
}
