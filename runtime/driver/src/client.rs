//! The client of claims: [`Manager`] and [`Claim`], over any connection, blocking or not.
//!
//! The claim core says what is sent, when it is sent again and what the user is told; this gives
//! it requests, timers and a user. No retry, no withdrawal and no loss is decided here.

mod ask;
mod call;
mod chain;
mod claim;
mod connect;
mod drive;
mod error;
mod look;
mod manager;
mod pace;
mod place;

pub use ask::Ask;
pub use claim::{Changes, Claim, Standing};
pub use connect::{Connector, Stream};
pub use error::{Cause, Error};
pub use manager::{Manager, Setup};
pub use pace::Dice;
pub use place::Place;
