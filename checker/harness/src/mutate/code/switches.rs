//! The switches of a program with mutants: which one is on, and what a step reaches.

/// The mutants of a program, by number. Each thread has its own switch.
pub trait Switches: Sync {
    /// Makes one mutant run on this thread, or none.
    fn switch_to(&self, mutant: Option<u32>);

    /// A step begins. If a mutant gives it no end, it panics.
    fn begin_step(&self);

    /// The places that this thread has reached since the last call, while no mutant was on.
    fn reached(&self) -> Vec<u32>;

    /// A world is recorded, while no mutant was on: its name, `claim/small`, and its states.
    fn recorded(&self, _world: &str, _states: usize) {}
}
