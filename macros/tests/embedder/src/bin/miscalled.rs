//! Calls that name nothing.

turnstile_macros::machine!(bundeled "claim");
turnstile_macros::machine!(bundled "clam");
turnstile_macros::machine!("tables/no-such.yaml");
turnstile_macros::machine!("tables/door.yaml", derive(Debug));
turnstile_macros::machine!("tables/door.yaml", trace);

fn main() {}
