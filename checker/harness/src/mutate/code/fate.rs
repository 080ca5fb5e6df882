//! What the worlds say of a mutant of Rust code.

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A property fails in a world, or the code panics there.
    Killed {
        /// `claim/small`.
        world: String,
    },
    /// No property fails in the worlds that reach it, or `differs_in` names none that differs.
    Survived {
        /// The first world with another outcome: `claim/small`.
        differs_in: Option<String>,
    },
    /// A search grew too large.
    Undecided {
        /// `claim/small`.
        world: String,
    },
    /// No world reaches it.
    Unreached,
}
