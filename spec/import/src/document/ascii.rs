//! Drawn tables: framed by `+---+`, with `|` between columns, with a rule of dashes under the
//! header, or as the state tables of RFCs, with one bar after the first column.
//!
//! No library reads these: each knows one form of one markup language.

use super::layout::Drawn;
use crate::grid::{Grid, GridLine, Tables, Word};
use crate::place::{lines, span};

/// The tables of a text that begins at a byte of the document.
pub(super) fn read(text: &str, base: usize) -> Tables {
    let mut tables = Tables::default();
    let (mut section, mut block) = (String::new(), Vec::<Drawn>::new());
    for (start, line) in lines(text) {
        let line = Drawn::of(base + start, line);
        if !line.is_blank() {
            block.push(line);
            continue;
        }
        close(&mut block, &mut section, &mut tables);
    }
    close(&mut block, &mut section, &mut tables);
    tables
}

/// A block of lines without an empty one: a table, a heading or prose.
fn close(block: &mut Vec<Drawn>, section: &mut String, tables: &mut Tables) {
    let block = std::mem::take(block);
    if let Some(heading) = heading(&block) {
        *section = heading;
        if tables.title.is_empty() {
            section.clone_into(&mut tables.title);
        }
    }
    if let Some(grid) = table(&block) {
        tables.grids.push(Grid { section: section.clone(), ..grid });
    }
}

/// A line with an unbroken rule under it.
fn heading(block: &[Drawn]) -> Option<String> {
    let rule = block.get(1)?.text();
    let is_rule =
        rule.len() > 2 && (rule.chars().all(|c| c == '-') || rule.chars().all(|c| c == '='));
    is_rule.then(|| block[0].text())
}

fn table(block: &[Drawn]) -> Option<Grid> {
    let first = block.iter().position(Drawn::is_rule);
    let Some(first) = first else {
        // Without a rule, bars alone make a table if each line has as many.
        let bars = block.first()?.bars();
        let is_table = bars > 1 && block.len() > 1 && block.iter().all(|line| line.bars() == bars);
        return is_table.then(|| barred(&block[..1], &block[1..]));
    };
    let has_bars = |line: &Drawn| line.bars() > 0 && !line.is_rule();
    let Some(begin) = block.iter().position(has_bars) else { return spaced(block, first) };
    let rule = begin + block[begin..].iter().position(Drawn::is_rule)?;
    let (header, body) = (&block[begin..rule], &block[rule + 1..]);
    let body = &body
        [..body.iter().position(|line| line.bars() == 0 && !line.is_rule()).unwrap_or(body.len())];
    let one_bar = |line: &Drawn| line.between_bars().len() == 2 && line.bars() == 1;
    let last = header.last()?;
    if one_bar(last) && last.left().is_some_and(|(_, from)| last.fields(from, 2).len() > 1) {
        return hybrid(header, body);
    }
    Some(barred(header, body))
}

/// Columns between bars. Two rules below the header separate rows of several lines.
fn barred(header: &[Drawn], body: &[Drawn]) -> Grid {
    let mut grid = Grid { header: merged(header.iter().map(cells)), ..Grid::default() };
    let rules = body.iter().filter(|line| line.is_rule()).count();
    if rules < 2 {
        grid.body = body.iter().filter(|line| !line.is_rule()).map(cells).collect();
    } else {
        let groups = body.split(Drawn::is_rule).filter(|group| !group.is_empty());
        grid.body = groups.flat_map(rows_between).collect();
    }
    grid
}

/// The rows between two rules. A line with a first cell that fills most of its columns begins one:
/// then the rules separate groups of rows.
fn rows_between(group: &[Drawn]) -> Vec<GridLine> {
    let mut rows: Vec<GridLine> = Vec::new();
    for line in group.iter().map(cells) {
        let filled = line.cells.iter().filter(|cell| !cell.text.is_empty()).count();
        let has_first = line.cells.first().is_some_and(|cell| !cell.text.is_empty());
        match rows.last_mut() {
            Some(above) if !has_first || 2 * filled <= line.cells.len() => {
                *above = join(std::mem::take(above), line);
            }
            Some(_) | None => rows.push(line),
        }
    }
    rows
}

fn cells(line: &Drawn) -> GridLine {
    GridLine { cells: line.between_bars(), span: span(line.whole()) }
}

/// Several lines of one row: the texts of each column follow each other.
fn merged(lines: impl Iterator<Item = GridLine>) -> GridLine {
    lines.reduce(join).unwrap_or_default()
}

fn join(mut above: GridLine, below: GridLine) -> GridLine {
    above.span.end = below.span.end;
    for (nth, word) in below.cells.into_iter().enumerate() {
        match above.cells.get_mut(nth) {
            Some(known) if known.text.is_empty() => *known = word,
            Some(known) if !word.text.is_empty() => {
                known.text = format!("{} {}", known.text, word.text);
                known.span.end = word.span.end;
            }
            Some(_) => {}
            None => above.cells.push(word),
        }
    }
    above
}

/// One bar after the first column, gaps between the others. A cell may touch its neighbour with a
/// single space where it has none inside.
fn hybrid(header: &[Drawn], body: &[Drawn]) -> Option<Grid> {
    let line = |drawn: &Drawn, columns: Option<usize>| {
        let (left, from) = drawn.left()?;
        let mut fields = drawn.fields(from, 2);
        if columns.is_some_and(|columns| columns != fields.len()) {
            let narrow = drawn.fields(from, 1);
            if Some(narrow.len()) == columns {
                fields = narrow;
            }
        }
        let cells = std::iter::once(left).chain(fields).collect();
        Some(GridLine { cells, span: span(drawn.whole()) })
    };
    let columns = line(header.last()?, None)?.cells.len() - 1;
    // A line above with another number of columns is a caption.
    let heads = header.iter().filter_map(|drawn| line(drawn, Some(columns)));
    let header = merged(heads.filter(|head| head.cells.len() == columns + 1));
    let rows = body.iter().filter(|drawn| !drawn.is_rule());
    let rows = rows.filter_map(|drawn| line(drawn, Some(columns)));
    let body = rows.filter(|row| row.cells.len() > 1).collect();
    Some(Grid { header, body, ..Grid::default() })
}

/// Columns under the groups of a rule; a line without a first cell continues the one above.
fn spaced(block: &[Drawn], rule: usize) -> Option<Grid> {
    let starts: Vec<usize> = block[rule].groups().iter().map(|group| group.start).collect();
    if starts.len() < 2 {
        return None;
    }
    // Some frame the header with a rule above, too.
    let (header, body) = match (rule, block[1..].iter().position(Drawn::is_rule)) {
        (0, Some(second)) => (&block[1..=second], &block[second + 2..]),
        (0, None) => return None,
        (_, _) => (&block[rule - 1..rule], &block[rule + 1..]),
    };
    let line = |drawn: &Drawn| {
        let cells: Vec<Word> = drawn.at_columns(&starts).unwrap_or_else(|| drawn.fields(0, 2));
        GridLine { cells, span: span(drawn.whole()) }
    };
    let mut grid = Grid { header: merged(header.iter().map(line)), ..Grid::default() };
    for row in body.iter().take_while(|drawn| !drawn.is_rule()).map(line) {
        let is_more = row.cells.first().is_some_and(|cell| cell.text.is_empty());
        match grid.body.last_mut() {
            Some(above) if is_more => *above = join(std::mem::take(above), row),
            Some(_) | None => grid.body.push(row),
        }
    }
    Some(grid)
}
