//! The checker as a library: searches, worlds, verdicts and their texts.

#[path = "../../search/tests/edges/mod.rs"]
mod edges;
mod engines;
mod excused;
mod fairness;
mod interned;
#[path = "../literal/mod.rs"]
mod literal;
mod liveness;
mod lock;
mod mutants;
mod numbers;
#[path = "../../benches/lock/parts.rs"]
mod parts;
mod refused;
mod report;
mod spin;
mod symmetry;
mod table;
mod torn;
mod toy;
mod traces;
#[path = "../../benches/lock/world.rs"]
mod world;
