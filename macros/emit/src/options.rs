//! What a call may ask for.

/// The options of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `derive(serde)`: every name serialises as the document spells it.
    pub serde: bool,
    /// `tracing`: every step is an event of the crate `tracing`.
    pub tracing: bool,
    /// `typestate`: the form with its state in its type.
    pub typestate: bool,
    /// `step_into`: the step that gives its actions to a sink.
    pub step_into: bool,
}
