//! How far the tests search what is large.

/// The states at which a search of the tests stops: so many, or as many as `TURNSTILE_STATES` says;
/// none if that is `all`.
///
/// # Panics
/// If it is something else.
#[must_use]
pub fn states(unless_asked: u64) -> Option<u64> {
    match std::env::var("TURNSTILE_STATES").as_deref() {
        Ok("all") => None,
        Ok(asked) => Some(asked.parse().expect("a number of states, or `all`")),
        Err(_) => Some(unless_asked),
    }
}
