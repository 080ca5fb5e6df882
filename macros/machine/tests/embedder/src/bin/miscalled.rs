//! Calls that name nothing.

turnstile_machine::machine!(table "claim.yaml");
turnstile_machine::machine!("tables/no-such.yaml");
turnstile_machine::machine!("tables/door.yaml", derive(Debug));
turnstile_machine::machine!("tables/door.yaml", trace);
turnstile_machine::machine!();
turnstile_machine::machine!(42);
turnstile_machine::machine!(claim);
turnstile_machine::machine!("tables/door.yaml" tracing);
turnstile_machine::machine!("tables/door.yaml", derive());
turnstile_machine::machine!("tables/door.yaml", derive);
turnstile_machine::machine!("");
turnstile_machine::machine!("/tables/door.yaml");
turnstile_machine::machine!("tables");
turnstile_machine::machine!("tables/gate.yaml");
turnstile_machine::system!("tables/door.yaml");

fn main() {}
