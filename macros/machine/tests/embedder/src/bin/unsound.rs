//! Findings in a table: it could run as written, but not compiled.

turnstile_machine::machine!("tables/unsound.yaml");

fn main() {
    let said = unsound::step(unsound::State::Shut, unsound::Event::Push, &|_| true);
    assert!(said.is_ok());
}
