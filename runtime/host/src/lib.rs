//! Runs sans-IO cores: timers, durable state saved in groups, transports, traces.

mod io_context;
mod random;
pub mod store;
mod timers;
pub mod transport;

pub use io_context::at;
pub use random::bytes as random_bytes;
pub use timers::Timers;
