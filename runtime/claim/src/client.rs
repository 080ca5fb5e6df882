//! The client of claims: [`Manager`] and [`Claim`], over any connection, blocking or not.
//!
//! The claim core says what is sent, when it is sent again and what the user is told; this gives
//! it requests, timers and a user. No retry, no withdrawal and no loss is decided here.

mod ask;
mod call;
mod chain;
mod claim;
mod clock;
mod connect;
mod drive;
mod entry;
mod error;
mod held;
mod leave;
mod look;
mod manager;
mod order;
mod pace;
mod place;
mod request;
mod sent;
mod service;
mod slot;
mod watch;

pub use ask::Ask;
pub use claim::{Changes, Claim, Standing};
pub use clock::Clock;
pub use connect::{Connector, Stream};
pub use error::{Cause, Error};
pub use held::{HELD, Held};
pub use leave::LeaveGuard;
pub use manager::{Manager, Setup};
pub use pace::Dice;
pub use place::Place;
