//! How an action goes on, in a word.

/// How an action goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step(u32);

/// The sorts of steps: the two highest bits.
const SORT: u32 = 0b11 << 30;
const FORK: u32 = 0b00 << 30;
const COURSE: u32 = 0b01 << 30;
const EITHER: u32 = 0b10 << 30;
const OTHER: u32 = 0b11 << 30;
/// Among the others, those that stay: from here on, by label.
const STAYS: u32 = 2;

/// How an action goes on, to be looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It meets a part.
    Fork(u32),
    /// It has come to its end.
    Course(u32),
    /// In one of several ways.
    Either(u32),
    /// Not at all.
    Nowhere,
    /// To where it began, by this label.
    Stays(u16),
    /// Not worked out.
    Unknown,
}

impl Step {
    /// It leads nowhere: refused, or nothing changes.
    pub(super) const NOWHERE: Self = Self(OTHER);
    /// Not worked out.
    pub(super) const UNKNOWN: Self = Self(OTHER | 1);

    /// It meets a part, at this fork.
    pub(super) fn fork(index: usize) -> Self {
        Self::of(FORK, index)
    }

    /// It has come to its end, by this course.
    pub(super) fn course(index: usize) -> Self {
        Self::of(COURSE, index)
    }

    /// It goes on in one of these ways.
    pub(super) fn either(index: usize) -> Self {
        Self::of(EITHER, index)
    }

    /// It leads to where it began, and relieves something.
    pub(super) fn stays(label: u16) -> Self {
        Self(OTHER | (STAYS + u32::from(label)))
    }

    fn of(sort: u32, index: usize) -> Self {
        let index = u32::try_from(index).expect("a tree is cut down before");
        assert_eq!(index & SORT, 0, "a tree is cut down before");
        Self(sort | index)
    }

    /// A step from its word.
    #[inline]
    pub(super) fn from_word(word: u64) -> Self {
        Self(u32::try_from(word).expect("a step"))
    }

    /// Its word.
    #[inline]
    pub(super) fn word(self) -> u64 {
        self.0.into()
    }

    /// How an action goes on after it.
    #[inline(always)]
    pub(super) fn next(self) -> Next {
        let index = self.0 & !SORT;
        match self.0 & SORT {
            FORK => Next::Fork(index),
            COURSE => Next::Course(index),
            EITHER => Next::Either(index),
            _ if self == Self::NOWHERE => Next::Nowhere,
            _ if self == Self::UNKNOWN => Next::Unknown,
            _ => Next::Stays(u16::try_from(index - STAYS).expect("it is made of one")),
        }
    }
}
