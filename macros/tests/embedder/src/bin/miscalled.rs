//! Calls that name nothing.

turnstile_macros::machine!(bundeled "claim");
turnstile_macros::machine!(bundled "clam");
turnstile_macros::machine!("tables/no-such.yaml");
turnstile_macros::machine!("tables/door.yaml", derive(Debug));
turnstile_macros::machine!("tables/door.yaml", trace);
turnstile_macros::machine!();
turnstile_macros::machine!(42);
turnstile_macros::machine!(bundled claim);
turnstile_macros::machine!("tables/door.yaml" tracing);
turnstile_macros::machine!("tables/door.yaml", derive());
turnstile_macros::machine!("tables/door.yaml", derive);
turnstile_macros::machine!("");
turnstile_macros::machine!("/tables/door.yaml");
turnstile_macros::machine!("tables");
turnstile_macros::machine!("tables/gate.yaml");
turnstile_macros::system!("tables/door.yaml");

fn main() {}
