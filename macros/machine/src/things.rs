//! The things that formulas and loops speak of.

/// Something that a formula or a loop speaks of: an instance, a byte, a member. What the number
/// stands for is the core's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thing(pub u64);

/// The most things that one formula speaks of at once.
pub(crate) const MOST: usize = 8;

/// Things in order, [`MOST`] at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Things {
    things: [Thing; MOST],
    count: usize,
}

impl Things {
    /// These; those that are too many are left out.
    #[must_use]
    pub fn of(things: &[Thing]) -> Self {
        let none = Self { things: [Thing(0); MOST], count: 0 };
        things.iter().fold(none, |all, thing| all.with(*thing))
    }

    /// These and one more.
    #[must_use]
    pub fn with(mut self, thing: Thing) -> Self {
        if let Some(slot) = self.things.get_mut(self.count) {
            *slot = thing;
            self.count += 1;
        }
        self
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[Thing] {
        self.things.get(..self.count).unwrap_or(&[])
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn get(&self, at: u8) -> Thing {
        self.things.get(usize::from(at)).copied().unwrap_or_default()
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn all(&self, of: &[u8]) -> Self {
        of.iter().fold(Self::of(&[]), |all, at| all.with(self.get(*at)))
    }
}
