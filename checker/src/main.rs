//! The `turnstile` command.
fn main() {}
