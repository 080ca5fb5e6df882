//! The systems known here: wiring of shipped cores and property predicates, nothing else.

pub mod lock;
