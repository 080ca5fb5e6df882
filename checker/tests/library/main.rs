//! The checker as a library: searches, worlds, verdicts and their texts.

mod engines;
mod excused;
mod fairness;
mod interned;
mod liveness;
mod lock;
mod mutants;
mod numbers;
mod refused;
mod report;
mod spin;
mod step_rules;
mod symmetry;
mod table;
mod torn;
mod toy;
mod traces;
