//! The frontier: the states of one level in order, in segments that are freed once expanded.

/// State vectors, one behind the other: those that one chunk found.
pub(crate) type Segment = Vec<u32>;

/// A segment with fewer states is appended to the one before it.
const VECTORS_MIN: usize = 64;

/// A range of states of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// The index of the segment.
    pub(crate) segment: usize,
    /// The first state.
    pub(crate) from: usize,
    /// The end, exclusive.
    pub(crate) to: usize,
}

/// The states of one level.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    /// The length of a state vector.
    width: usize,
    segments: Vec<Segment>,
    /// States appended so far.
    vectors: usize,
}

impl Frontier {
    /// An empty level of state vectors of this width.
    #[must_use]
    pub(crate) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// The number of states, freed ones included.
    #[must_use]
    pub(crate) fn vectors(&self) -> usize {
        self.vectors
    }

    /// Appends states.
    pub(crate) fn append(&mut self, vectors: &mut Segment) {
        let count = vectors.len() / self.width;
        self.vectors += count;
        match self.segments.last_mut() {
            _ if count == 0 => {}
            Some(last) if count.min(last.len() / self.width) < VECTORS_MIN => last.append(vectors),
            _ => {
                vectors.shrink_to_fit();
                self.segments.push(std::mem::take(vectors));
            }
        }
    }

    /// The next span of at most `most` states, from a segment and a state in it; `None` at the end.
    #[must_use]
    pub(crate) fn span(&self, (segment, from): (usize, usize), most: usize) -> Option<Span> {
        let vectors = self.segments.get(segment)?.len() / self.width;
        if from == vectors {
            self.span((segment + 1, 0), most)
        } else {
            Some(Span { segment, from, to: vectors.min(from + most) })
        }
    }

    /// The states of a span.
    pub(crate) fn of(&self, span: Span) -> impl Iterator<Item = &[u32]> {
        self.segments[span.segment][span.from * self.width..span.to * self.width]
            .chunks_exact(self.width)
    }

    /// Frees the segments before this one.
    pub(crate) fn release(&mut self, before: usize) {
        for segment in self.segments[..before].iter_mut().rev() {
            if segment.capacity() == 0 {
                break;
            }
            *segment = Segment::new();
        }
    }

    /// Bytes allocated.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.capacity() * size_of::<u32>()).sum()
    }
}
