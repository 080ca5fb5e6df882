//! What a program with this command line consists of.

use turnstile_harness::Systems;
use turnstile_scenario::Protocol;

/// The parts of a program with this command line.
#[derive(Clone, Debug)]
pub struct Program {
    /// The systems that it can run.
    pub systems: Systems,
    /// The kinds of nodes in its scenarios and traces.
    pub languages: &'static [Protocol],
}
