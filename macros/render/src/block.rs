//! Lines of text in a box or on an arrow: how big they are together and where each stands.

use crate::diagram::{Arrow, Entry, Node, Phase};
use crate::layout::{Point, Size};
use crate::measure::Font;

/// How a line looks; the picture's style sheet has the same sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A state's name.
    Name,
    /// What a state holds.
    Holds,
    /// A row that stays in its state.
    Loop,
    /// What stands for arrows that are not drawn.
    Note,
    /// An event.
    Event,
    /// Actions.
    Does,
    /// An amendment's id.
    Tag,
    /// An amendment's id below a row that stays in its state.
    LoopTag,
}

impl Look {
    fn font(self) -> Font {
        match self {
            Self::Name => Font { size: 15.0, bold: true },
            Self::Event => Font { size: 12.0, bold: true },
            Self::Holds | Self::Loop | Self::Note | Self::Does => Font { size: 11.0, bold: false },
            Self::Tag | Self::LoopTag => Font { size: 11.0, bold: true },
        }
    }

    /// From one line to the next.
    fn height(self) -> f64 {
        match self {
            Self::Name => 20.0,
            Self::Event => 15.0,
            Self::Holds | Self::Loop | Self::Note | Self::Does => 13.5,
            Self::Tag | Self::LoopTag => 13.0,
        }
    }

    /// The class in the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Holds => "holds",
            Self::Loop | Self::Note => "loop",
            Self::Event => "event",
            Self::Does => "does",
            Self::Tag => "tag",
            Self::LoopTag => "tag left",
        }
    }

    fn is_left(self) -> bool {
        matches!(self, Self::Loop | Self::Note | Self::LoopTag)
    }
}

/// A line of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) look: Look,
    pub(crate) text: String,
    /// The entry it belongs to, for its colour.
    pub(crate) entry: usize,
    /// Its base line, from the block's top.
    pub(crate) base: f64,
}

/// Lines one below the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) lines: Vec<Line>,
    /// Of the text, with its margins.
    pub(crate) size: Size,
    /// From where to where each entry's lines go, from the block's top.
    pub(crate) spans: Vec<(f64, f64)>,
    /// How far below the block's top each note begins.
    pub(crate) notes: Vec<f64>,
}

/// How wide lines may be, where their words allow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Widths {
    /// Of a state's name, and of what it holds.
    name: f64,
    /// Of a label.
    label: f64,
    /// Of a row in a box.
    row: f64,
    /// Of a note in a box.
    note: f64,
}

impl Widths {
    /// Long lines, of which fewer are needed.
    pub(crate) const LONG: Self =
        Self { name: f64::INFINITY, label: 154.0, row: 262.0, note: 190.0 };

    /// Short labels, of which more stand side by side; long notes.
    pub(crate) const MIXED: Self =
        Self { name: f64::INFINITY, label: 112.0, row: 180.0, note: 200.0 };

    /// Short lines.
    pub(crate) const SHORT: Self = Self { name: 110.0, label: 112.0, row: 150.0, note: 160.0 };

    /// As short as the words of most tables allow.
    pub(crate) const SHORTEST: Self = Self { name: 110.0, label: 84.0, row: 130.0, note: 130.0 };
}

/// Room for what a note begins with.
const ICON: f64 = 16.0;

/// Room beside the text.
const MARGIN: f64 = 7.0;

impl Block {
    /// What stands in a state's box, which must be at least so wide.
    pub(crate) fn of_node(node: &Node, width_min: f64, widths: Widths) -> Self {
        let mut block = Self::default();
        block.size.height = 7.0;
        if !node.name.is_empty() {
            block.put(Look::Name, &node.name, widths.name, 0);
        }
        if node.phase == Phase::Undeclared {
            block.put(Look::Holds, "not declared", f64::INFINITY, 0);
        }
        for held in &node.holds {
            block.put(Look::Holds, held, widths.name, 0);
        }
        for (place, entry) in node.loops.iter().enumerate() {
            block.size.height += if place == 0 { 9.0 } else { 3.0 };
            let does = if entry.does.is_empty() {
                String::new()
            } else {
                format!(" / {}", entry.does.join(", "))
            };
            let from = block.size.height;
            block.put(Look::Loop, &format!("{}{does}", entry.words()), widths.row, place);
            block.tag(Look::LoopTag, entry, place);
            block.spans.push((from, block.size.height));
        }
        for (place, note) in node.notes.iter().enumerate() {
            block.size.height += if place == 0 { 5.0 } else { 2.0 };
            block.notes.push(block.size.height + 2.0);
            block.put(Look::Note, &note.text, widths.note, place);
        }
        block.size.height += 8.0;
        block.size.width = (block.size.width + 26.0).max(width_min);
        block
    }

    /// What stands on an arrow.
    pub(crate) fn of_arrow(arrow: &Arrow, widths: Widths) -> Self {
        let mut block = Self::default();
        for (place, entry) in arrow.entries.iter().enumerate() {
            block.size.height += if place == 0 { 2.0 } else { 5.0 };
            let from = block.size.height;
            block.put(Look::Event, &entry.words(), widths.label, place);
            block.put(Look::Does, &entry.does.join(", "), widths.label, place);
            block.tag(Look::Tag, entry, place);
            block.spans.push((from, block.size.height));
        }
        if !arrow.entries.is_empty() {
            block.size.height += 4.0;
            block.size.width += 2.0 * MARGIN;
        }
        block
    }

    fn tag(&mut self, look: Look, entry: &Entry, place: usize) {
        if let Some(amendment) = &entry.amended_by {
            self.put(look, amendment, f64::INFINITY, place);
        }
    }

    fn put(&mut self, look: Look, text: &str, width: f64, entry: usize) {
        let font = look.font();
        for text in font.wrap(text, width) {
            let icon = if look == Look::Note { ICON } else { 0.0 };
            self.size.width = self.size.width.max(font.width(&text) + icon);
            self.size.height += look.height();
            self.lines.push(Line { look, text, entry, base: self.size.height - 3.5 });
        }
    }

    /// Makes the block so big; its lines move to the middle.
    pub(crate) fn grow(&mut self, size: Size) {
        let down = (size.height - self.size.height) / 2.0;
        let bases = self.lines.iter_mut().map(|line| &mut line.base);
        let spans = self.spans.iter_mut().flat_map(|(from, to)| [from, to]);
        for y in bases.chain(spans).chain(&mut self.notes) {
            *y += down;
        }
        self.size = size;
    }

    /// Where a line is written when the block's middle is here.
    pub(crate) fn point(&self, line: &Line, middle: Point) -> Point {
        let left = middle.x - self.size.width / 2.0 + 13.0;
        let icon = if line.look == Look::Note { ICON } else { 0.0 };
        let x = if line.look.is_left() { left + icon } else { middle.x };
        Point { x, y: middle.y - self.size.height / 2.0 + line.base }
    }
}
