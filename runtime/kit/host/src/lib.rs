#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! A core ([`turnstile_step::Core`]) takes inputs and returns effects. A host carries them out:
//!
//! - [`Engine`] takes an input with its time and context, keeps the timers, and collects writes and
//! outputs. It does no IO: the same inputs at the same times give the same state and the same
//! bytes. A [`Service`] adds what the core leaves open: durations, encoding, context.
//! - [`Host`] shares an engine among tasks, fires its timers, and commits in groups: steps continue
//! while earlier ones are being saved, one sync serves all steps that have accumulated, and no
//! output leaves before everything that it depends on is durable.
//! - [`Node`] is the host of a core that needs only durations. Its messages go over a
//! [`transport`], its notices to its user, its saved state into a [`store`], and its steps into a
//! [`Trace`], which `turnstile_scenario::trace::replay_core` replays; `turnstile replay` does so
//! for the bundled cores.
//!
//! All queues are bounded: a user that does not read, a store that rejects writes, and a slow peer
//! either stop the inputs or get their messages handed back. A sync of a store blocks its thread,
//! so a runtime needs at least two threads.
//!
//! # Your own core
//!
//! Two runners pass a baton back and forth; each may be killed at any time. `examples/baton` has
//! their document, its table, and the core, which implements the table's actions:
//!
//! ```text
#![doc = include_str!("../examples/baton/core.rs")]
//! ```
//!
//! The rest is the program of one runner. The test `tests/processes.rs` runs two of them, kills one
//! repeatedly, and replays their traces. The program needs these crates:
//!
//! ```toml
//! [dependencies]
//! turnstile-host = "0.1"
//! turnstile-machine = "0.1"
//! turnstile-step = "0.1"
//! serde = { version = "1", features = ["derive"] }
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! ```text
#![doc = include_str!("../examples/baton/main.rs")]
//! ```

mod bell;
#[cfg(feature = "tls")]
pub mod certificates;
mod clock;
mod commit;
mod engine;
mod host;
mod io_context;
mod node;
#[cfg(feature = "tls")]
pub mod pem;
mod random;
mod rng;
pub mod seconds;
#[doc(hidden)]
pub mod simulation;
pub mod store;
mod timers;
mod trace;
pub mod transport;

pub use bell::Bell;
pub use clock::{Clock, Moment, wall_us};
pub use commit::Pause;
pub use engine::{Counts, Engine, Observer, Service, ServiceInput, StepIo, TimerOf};
pub use host::{Host, HostState, Outbox, Outlet};
pub use io_context::{at, unsupported_version};
pub use node::{
    Accept, Durations, Event, EventOf, Inbox, Node, NodeCore, Notices, Options, Stop, Stopped,
};
pub use random::bytes as random_bytes;
pub use rng::Rng;
pub use trace::Trace;
