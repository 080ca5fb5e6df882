//! What a call of `machine!` must ask for. Nothing implements these: where a call did not ask, what
//! it did not get is bounded by one, and whoever uses it is told which option is missing.

/// The typestate form.
#[diagnostic::on_unimplemented(
    message = "this machine has no typestate form: its call of `machine!` does not ask for it",
    label = "made only where the call asks for it",
    note = "add the option: `machine!(\"….yaml\", typestate)`"
)]
pub trait Typestate<'a> {}

/// The step that gives its actions to a sink.
#[diagnostic::on_unimplemented(
    message = "this machine has no `step_into`: its call of `machine!` does not ask for it",
    label = "made only where the call asks for it",
    note = "add the option: `machine!(\"….yaml\", step_into)`"
)]
pub trait StepInto<'a> {}
