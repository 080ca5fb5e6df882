//! The terms of formulas and loops.

/// An argument of a predicate: an instance, a byte, a member. The core decides what the number
/// denotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

/// The maximum number of terms in the scope of a formula.
pub(crate) const MAX_TERMS: usize = 8;

/// A list of at most 8 terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    terms: [Term; MAX_TERMS],
    count: usize,
}

impl Terms {
    /// These terms; those beyond the eighth are dropped.
    #[must_use]
    pub fn of(terms: &[Term]) -> Self {
        let none = Self { terms: [Term(0); MAX_TERMS], count: 0 };
        terms.iter().fold(none, |all, term| all.with(*term))
    }

    /// Appends a term.
    #[must_use]
    pub fn with(mut self, term: Term) -> Self {
        if let Some(slot) = self.terms.get_mut(self.count) {
            *slot = term;
            self.count += 1;
        }
        self
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[Term] {
        self.terms.get(..self.count).unwrap_or(&[])
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn get(&self, at: u8) -> Term {
        self.terms.get(usize::from(at)).copied().unwrap_or_default()
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn all(&self, of: &[u8]) -> Self {
        of.iter().fold(Self::of(&[]), |all, at| all.with(self.get(*at)))
    }
}
