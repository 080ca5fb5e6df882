//! The rows of one level, in order, in segments that are let go as soon as they are done with.

/// Rows that one chunk found.
pub(super) type Segment = Vec<u32>;

/// Rows below which a segment is appended to the one before it.
const ROWS_MIN: usize = 64;

/// A run of rows of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// The segment.
    pub(super) segment: usize,
    /// The first row.
    pub(super) from: usize,
    /// Behind the last row.
    pub(super) to: usize,
}

/// The rows of one level.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    width: usize,
    segments: Vec<Segment>,
    rows: usize,
}

impl Frontier {
    /// No rows yet, of so many numbers each.
    #[must_use]
    pub(super) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Rows put in, whether let go or not.
    #[must_use]
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Takes rows in, behind those that are there.
    pub(super) fn append(&mut self, rows: &mut Segment) {
        let count = rows.len() / self.width;
        self.rows += count;
        match self.segments.last_mut() {
            _ if count == 0 => {}
            Some(last) if count.min(last.len() / self.width) < ROWS_MIN => last.append(rows),
            _ => {
                rows.shrink_to_fit();
                self.segments.push(std::mem::take(rows));
            }
        }
    }

    /// At most `most` rows from a segment and a row in it on, and where to go on; `None` at the
    /// end.
    #[must_use]
    pub(super) fn span(&self, (segment, from): (usize, usize), most: usize) -> Option<Span> {
        let rows = self.segments.get(segment)?.len() / self.width;
        if from == rows {
            self.span((segment + 1, 0), most)
        } else {
            Some(Span { segment, from, to: rows.min(from + most) })
        }
    }

    /// The rows of a span.
    pub(super) fn of(&self, span: Span) -> impl Iterator<Item = &[u32]> {
        self.segments[span.segment][span.from * self.width..span.to * self.width]
            .chunks_exact(self.width)
    }

    /// Lets the segments before this one go.
    pub(super) fn let_go(&mut self, before: usize) {
        for segment in self.segments[..before].iter_mut().rev() {
            if segment.capacity() == 0 {
                break;
            }
            *segment = Segment::new();
        }
    }

    /// Bytes allocated.
    #[must_use]
    pub(super) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.capacity() * size_of::<u32>()).sum()
    }
}
