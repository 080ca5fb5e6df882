//! `turnstiled`: the claim server around the record core.
//!
//! HTTP in, inputs to the core, effects out to timers, store and answers. Which answer a request
//! gets is decided by the core alone; nothing here looks at a claim's status to decide anything.

mod clock;
mod entry;
mod timers;

pub use clock::Clock;
