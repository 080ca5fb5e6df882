//! The byte-range lock system: a cache manager, whose clients lock ranges of files, and the file
//! server with which it asserts their locks, and from which other hosts take locks, too.
//!
//! Wiring and predicates only; what the nodes do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/byte-range-lock.yaml`.

mod apart;
mod asserted;
mod kept;
mod nodes;
mod past;
mod predicates;
mod ranges;
mod system;
mod told;
mod world;

use ranges::{BYTES, FIRST, HOST, MANAGER, SERVER};
pub use ranges::{LockRules, Ranges, ServerRules};
pub use world::ENTRY;
