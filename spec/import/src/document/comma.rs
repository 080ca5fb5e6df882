//! Tables of CSV files, with commas, semicolons or tabs. An empty line begins another table.

use csv::{ReaderBuilder, Trim};
use turnstile_spec::Diagnostic;

use crate::code;
use crate::fault::error;
use crate::grid::{Grid, GridLine, Tables, Word};
use crate::place::{lines, span};

pub(super) fn read(text: &str) -> Result<Tables, Box<Diagnostic>> {
    let mut tables = Tables::default();
    for (base, block) in blocks(text) {
        if let Some(line) = open_quote(block) {
            let place = span(base + line.0..base + line.0 + line.1.len());
            let fault = error(code::UNREADABLE, place, "a quote that is never closed");
            let fault = fault.label("from here on").help("close the quote, or write it twice");
            return Err(Box::new(fault));
        }
        let mut grid = Grid::default();
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter(block))
            .trim(Trim::All)
            .from_reader(block.as_bytes());
        for (nth, record) in reader.records().enumerate() {
            let record = record.map_err(|fault| Box::new(unread(&fault, base)))?;
            let start = record.position().map_or(0, |place| place.byte());
            let start = usize::try_from(start).unwrap_or(block.len());
            let line = cells(&record, block, start, base);
            if nth == 0 {
                grid.header = line;
            } else {
                grid.body.push(line);
            }
        }
        // A line above a table is its caption.
        if grid.header.cells.len() > 1 || !grid.body.is_empty() {
            tables.grids.push(grid);
        }
    }
    Ok(tables)
}

fn unread(fault: &csv::Error, base: usize) -> Diagnostic {
    let at = fault.position().map_or(0, |place| usize::try_from(place.byte()).unwrap_or(0));
    error(code::UNREADABLE, span(base + at..base + at + 1), format!("not CSV: {fault}"))
        .label("here")
        .help("save the table as CSV again")
}

/// The cells of a record; a cell's place is where its text stands in the line.
fn cells(record: &csv::StringRecord, block: &str, start: usize, base: usize) -> GridLine {
    // The reader counts the line ends before a record to it.
    let rest = &block[start..];
    let start = start + (rest.len() - rest.trim_start_matches(['\r', '\n']).len());
    let mut at = start;
    let mut line = GridLine::default();
    for field in record {
        let found = block[at..].find(field).filter(|_| !field.is_empty());
        let begin = found.map_or(at, |found| at + found);
        let end = if found.is_some() { begin + field.len() } else { begin };
        at = end;
        line.cells.push(Word::new(field, span(base + begin..base + end)));
    }
    let end = block[at..].find('\n').map_or(block.len(), |end| at + end);
    line.span = span(base + start..base + block[..end].trim_end().len().max(start));
    line
}

/// The parts between empty lines, with the byte at which each begins. An empty line between quotes
/// belongs to a cell.
fn blocks(text: &str) -> Vec<(usize, &str)> {
    let mut blocks = Vec::new();
    let (mut from, mut quotes) = (0, 0);
    for (start, line) in lines(text) {
        let is_empty = line.trim_matches([' ', ',', ';', '\t', '\u{feff}']).is_empty();
        if is_empty && quotes % 2 == 0 {
            blocks.push((from, &text[from..start]));
            from = (start + line.len() + 1).min(text.len());
            while !text.is_char_boundary(from) {
                from += 1;
            }
        }
        quotes += line.matches('"').count();
    }
    blocks.push((from.min(text.len()), &text[from.min(text.len())..]));
    blocks.retain(|(_, block)| !block.trim().is_empty());
    blocks
}

/// The line from which on the quotes are open to the end.
fn open_quote(block: &str) -> Option<(usize, &str)> {
    let mut open = None;
    for line in lines(block) {
        if line.1.matches('"').count() % 2 == 1 {
            open = if open.is_none() { Some(line) } else { None };
        }
    }
    open
}

/// The separator that the first line has most of.
fn delimiter(block: &str) -> u8 {
    let first = block.lines().next().unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // Of equal numbers the last one wins.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}
