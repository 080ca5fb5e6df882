//! What the formulas of a table may ask of the core that applies them. A core that is asked for
//! anything else would give an answer that is about nothing: whoever puts another table into a core
//! refuses it before.

/// What a core answers.
#[derive(Clone, Copy, Debug)]
pub struct Answers<R: 'static, P: 'static, C: 'static> {
    /// The rules for which this is so: those that the core asks.
    pub rules: &'static [R],
    /// The predicates that it answers.
    pub predicates: &'static [P],
    /// The collections that it lists.
    pub collections: &'static [C],
    /// Whether it knows all instances of the machine, and their states.
    pub instances: bool,
}
