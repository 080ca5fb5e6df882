//! Tables of Markdown: those of pulldown-cmark, and drawings in code blocks.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::ascii;
use crate::grid::{Grid, GridLine, Tables, Word};
use crate::place::span;

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    tables: Tables,
    section: String,
    /// The text of the open heading or cell.
    open: Option<String>,
    line: GridLine,
    drawing: Option<Range<usize>>,
}

pub(super) fn read(text: &str) -> Tables {
    let mut reader = Reader { text, ..Reader::default() };
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in parser {
        reader.take(event, range);
    }
    reader.tables
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) | Event::Code(text) => {
                if let Some(drawing) = &mut self.drawing {
                    let start =
                        if drawing.start == drawing.end { range.start } else { drawing.start };
                    *drawing = start..range.end;
                }
                self.add(&text);
            }
            Event::SoftBreak => self.add(" "),
            Event::HardBreak => self.add("\n"),
            Event::InlineHtml(html) | Event::Html(html) => {
                let tag = html.to_lowercase();
                if tag.starts_with("<br") {
                    self.add("\n");
                }
            }
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn add(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.push_str(text);
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        if matches!(tag, Tag::Heading { .. } | Tag::TableCell) {
            self.open = Some(String::new());
        } else if matches!(tag, Tag::Table(_)) {
            let section = self.section.clone();
            self.tables.grids.push(Grid { section, ..Grid::default() });
        } else if matches!(tag, Tag::TableHead | Tag::TableRow) {
            self.line = GridLine { cells: Vec::new(), span: span(self.trimmed(range)) };
        } else if matches!(tag, Tag::Paragraph) {
            let range = self.trimmed(range);
            let first = self.text[range.clone()].lines().next().unwrap_or_default().trim_end();
            if first.starts_with('|') && first.len() > 1 {
                self.tables.strays.push(span(range.start..range.start + first.len()));
            }
        } else if matches!(tag, Tag::CodeBlock(_)) {
            self.drawing = Some(0..0);
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        if let TagEnd::Heading(level) = tag {
            self.section = self.open.take().unwrap_or_default().trim().to_owned();
            if level == HeadingLevel::H1 && self.tables.title.is_empty() {
                self.section.clone_into(&mut self.tables.title);
            }
        } else if tag == TagEnd::TableCell {
            let text = self.open.take().unwrap_or_default().trim().to_owned();
            self.line.cells.push(Word::new(text, span(self.trimmed(range))));
        } else if matches!(tag, TagEnd::TableHead | TagEnd::TableRow) {
            self.end_line(tag == TagEnd::TableHead);
        } else if tag == TagEnd::CodeBlock
            && let Some(drawing) = self.drawing.take()
        {
            let drawn = ascii::read(&self.text[drawing.clone()], drawing.start);
            let section = &self.section;
            let grids = drawn.grids.into_iter();
            self.tables.grids.extend(grids.map(|grid| Grid { section: section.clone(), ..grid }));
        }
    }

    /// Markdown fills a line that is too short and cuts one that is too long; a table of
    /// transitions has neither.
    fn end_line(&mut self, is_header: bool) {
        let mut line = std::mem::take(&mut self.line);
        let raw = &self.text[line.span.start as usize..line.span.end as usize];
        let Some(grid) = self.tables.grids.last_mut() else { return };
        if is_header {
            grid.header = line;
            return;
        }
        let at = line.span;
        line.cells.resize_with(count(raw), || Word::new("", at));
        grid.body.push(line);
    }

    /// A range without the white space around it.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        start..start.max(range.start + text.trim_end().len())
    }
}

/// The number of cells of a line as it is written.
fn count(raw: &str) -> usize {
    let raw = raw.trim();
    let raw = raw.strip_prefix('|').unwrap_or(raw);
    let raw = raw.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(raw);
    let mut is_escaped = false;
    let mut cells = 1;
    for byte in raw.bytes() {
        cells += usize::from(byte == b'|' && !is_escaped);
        is_escaped = byte == b'\\' && !is_escaped;
    }
    cells
}
