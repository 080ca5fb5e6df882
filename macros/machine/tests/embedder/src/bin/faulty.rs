//! Errors of a table: the text that is no table still has names, so these are all one sees.

turnstile_machine::machine!("tables/faulty.yaml");

fn main() {
    let state = faulty::State::Shut;
    assert!(!state.is_final());
}
