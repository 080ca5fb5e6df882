//! Runs sans-IO cores: timers, durable state saved in groups, transports, traces.

mod clock;
mod commit;
mod dice;
mod engine;
mod host;
mod io_context;
mod node;
mod random;
pub mod store;
mod timers;
pub mod transport;

pub use clock::{Clock, Moment, wall_us};
pub use commit::Pause;
pub use dice::Dice;
pub use engine::{Counts, Engine, Observer, Service, ServiceInput, Step, TimerOf};
pub use host::{Host, HostState, Outbox, Outlet};
pub use io_context::at;
pub use node::{Durations, Event, EventOf, Inbox, Node, NodeCore, Notices, Options};
pub use random::bytes as random_bytes;
pub use timers::Timers;
