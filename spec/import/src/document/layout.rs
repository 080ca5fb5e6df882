//! One line of a drawn table: its characters by column, and how it falls into cells.
//!
//! Columns of a drawing are columns of a screen, so a line is a list of characters, each with its
//! byte. Lines of boxes (`│`, `─`, `┼`) are read as `|`, `-`, `+`.

use std::ops::Range;

use crate::grid::Word;
use crate::place::span;

/// A line of a drawing.
pub(super) struct Drawn {
    /// The characters, lines of boxes replaced, each with its byte in the document.
    chars: Vec<(usize, char)>,
    end: usize,
}

impl Drawn {
    pub(super) fn of(start: usize, line: &str) -> Self {
        let chars = line.char_indices().map(|(at, c)| (start + at, plain(c))).collect();
        Self { chars, end: start + line.len() }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.chars.iter().all(|(_, c)| c.is_whitespace())
    }

    /// The place of the line.
    pub(super) fn whole(&self) -> Range<usize> {
        self.word(0..self.chars.len()).1
    }

    pub(super) fn text(&self) -> String {
        self.word(0..self.chars.len()).0
    }

    /// The number of `|`.
    pub(super) fn bars(&self) -> usize {
        self.chars.iter().filter(|(_, c)| *c == '|').count()
    }

    /// Whether the line is a rule of a table: dashes with `+`, `|` or gaps between them. The
    /// unbroken rule under a heading is none.
    pub(super) fn is_rule(&self) -> bool {
        let text = self.text();
        let is_drawn = text.chars().all(|c| "-=+|: ".contains(c));
        let has_dashes = text.contains("--") || text.contains("==");
        is_drawn && has_dashes && (text.contains(['+', '|']) || text.contains(' '))
    }

    /// The columns of a rule: where each group of dashes is.
    pub(super) fn groups(&self) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (at, (_, c)) in self.chars.iter().enumerate() {
            match groups.last_mut() {
                _ if !"-=:".contains(*c) => {}
                Some(last) if last.end == at => last.end = at + 1,
                Some(_) | None => groups.push(at..at + 1),
            }
        }
        groups
    }

    /// The cells between bars; bars at both ends are the frame.
    pub(super) fn between_bars(&self) -> Vec<Word> {
        let mut bars: Vec<usize> = Vec::new();
        for (at, (_, c)) in self.chars.iter().enumerate() {
            if *c == '|' {
                bars.push(at);
            }
        }
        let is_blank = |range: Range<usize>| self.word(range).0.is_empty();
        let mut from = 0;
        if let Some(first) = bars.first().copied()
            && is_blank(0..first)
        {
            from = first + 1;
            bars.remove(0);
        }
        let mut cells = Vec::new();
        for bar in &bars {
            cells.push(self.cell(from..*bar));
            from = bar + 1;
        }
        let is_framed = !bars.is_empty() && is_blank(from..self.chars.len());
        if !is_framed {
            cells.push(self.cell(from..self.chars.len()));
        }
        cells
    }

    /// What stands left of the first bar, and the column after it.
    pub(super) fn left(&self) -> Option<(Word, usize)> {
        let bar = self.chars.iter().position(|(_, c)| *c == '|')?;
        Some((self.cell(0..bar), bar + 1))
    }

    /// The parts from a column on that gaps of so many spaces separate.
    pub(super) fn fields(&self, from: usize, gap: usize) -> Vec<Word> {
        let mut fields = Vec::new();
        let mut open: Option<Range<usize>> = None;
        for at in from..self.chars.len() {
            if self.chars[at].1.is_whitespace() {
                continue;
            }
            match &mut open {
                Some(range) if at - range.end < gap => range.end = at + 1,
                Some(range) => {
                    fields.push(self.cell(range.clone()));
                    open = Some(at..at + 1);
                }
                None => open = Some(at..at + 1),
            }
        }
        fields.extend(open.map(|range| self.cell(range)));
        fields
    }

    /// The cells that begin at these columns; `None` if a text crosses a column's beginning.
    pub(super) fn at_columns(&self, starts: &[usize]) -> Option<Vec<Word>> {
        let mut cells = Vec::new();
        for (nth, start) in starts.iter().enumerate() {
            let low = if nth == 0 { 0 } else { *start };
            let high = starts.get(nth + 1).copied().unwrap_or(self.chars.len());
            let is_text = |at: usize| self.chars.get(at).is_some_and(|(_, c)| !c.is_whitespace());
            if low > 0 && is_text(low - 1) && is_text(low) {
                return None;
            }
            let end = self.chars.len();
            cells.push(self.cell(low.min(end)..high.min(end)));
        }
        Some(cells)
    }

    fn cell(&self, range: Range<usize>) -> Word {
        let (text, place) = self.word(range);
        Word::new(text, span(place))
    }

    /// The text of a range of columns without the space around it, and its place.
    fn word(&self, range: Range<usize>) -> (String, Range<usize>) {
        let byte = |at: usize| self.chars.get(at).map_or(self.end, |(byte, _)| *byte);
        let slice = &self.chars[range.clone()];
        let is_text = |(_, c): &(usize, char)| !c.is_whitespace();
        let Some(first) = slice.iter().position(is_text) else {
            return (String::new(), byte(range.start)..byte(range.start));
        };
        let last = slice.iter().rposition(is_text).unwrap_or(first) + 1;
        let text = slice[first..last].iter().map(|(_, c)| *c).collect();
        (text, byte(range.start + first)..byte(range.start + last))
    }
}

fn plain(c: char) -> char {
    match c {
        '│' | '┃' | '║' | '¦' => '|',
        '─' | '━' => '-',
        '═' => '=',
        '\u{250c}'..='\u{254b}' | '\u{2552}'..='\u{256c}' => '+',
        '\u{feff}' | '\t' => ' ',
        _ => c,
    }
}
