#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! A core ([`turnstile_step::Core`]) takes inputs and says what is to be done. A host does it:
//!
//! - [`Engine`] takes an input with the time and the context that came with it, keeps timers, and
//!   collects what is to be saved and what is to leave. It does no IO: the same inputs at the same
//!   times give the same state and the same bytes. What a service adds is a [`Service`].
//! - [`Host`] shares an engine among tasks, fires its timers, and commits in groups: steps go on
//!   while earlier ones are being saved, one sync serves all that have collected, and nothing
//!   leaves before everything it depends on is durable.
//! - [`Node`] is the host of a core that needs nothing but durations. Its messages go over a
//!   [`transport`], its notices to its user, what it saves into a [`store`], its steps into a
//!   [`Trace`], which `turnstile_scenario::trace::replay_core` plays again; those of bundled cores
//!   `turnstile replay`, too.
//!
//! Nothing grows without bound: a user that does not read, a store that refuses and a peer that is
//! too slow stop the inputs, or are handed their messages back. A sync of a store blocks its
//! thread: give a runtime two threads at least.
//!
//! # A core of one's own
//!
//! Two runners pass a baton to and fro; either may be killed at any time. `examples/baton` has
//! their document, its table, and the core, which is what the table's rows do:
//!
//! ```text
#![doc = include_str!("../examples/baton/core.rs")]
//! ```
//!
//! The rest is the program of one runner. The test `tests/processes.rs` runs two of them, kills one
//! again and again, and replays what they have traced. It needs these crates:
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

mod clock;
mod commit;
mod dice;
mod engine;
mod host;
mod io_context;
mod node;
pub mod pem;
mod random;
pub mod store;
mod timers;
mod trace;
pub mod transport;

pub use clock::{Clock, Moment, wall_us};
pub use commit::Pause;
pub use dice::Dice;
pub use engine::{Counts, Engine, Observer, Service, ServiceInput, Step, TimerOf};
pub use host::{Host, HostState, Outbox, Outlet};
pub use io_context::at;
pub use node::{Durations, End, Event, EventOf, Inbox, Node, NodeCore, Notices, Options, Stopped};
pub use random::bytes as random_bytes;
pub use trace::Trace;
