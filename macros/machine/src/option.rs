//! Bounds for what `machine!` generates only with an option. No type implements these traits: a
//! stub that is generated without the option is bounded by one, so that the compiler names the
//! missing option wherever the stub is used.

/// The option `typestate`.
#[diagnostic::on_unimplemented(
    message = "`machine!` was called without the option `typestate`",
    label = "generated only with that option",
    note = "add the option: `machine!(\"….yaml\", typestate)`"
)]
pub trait Typestate<'a> {}

/// The option `step_into`.
#[diagnostic::on_unimplemented(
    message = "`machine!` was called without the option `step_into`",
    label = "generated only with that option",
    note = "add the option: `machine!(\"….yaml\", step_into)`"
)]
pub trait StepInto<'a> {}
