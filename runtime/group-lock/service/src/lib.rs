#![doc = include_str!("../README.md")]

mod channel;
mod detector;
mod hub;
mod life;
mod line;
mod lives;
mod locks;
mod member;
mod peer;
mod router;
mod saved;
mod shares;
mod state;
mod status;
mod token;
mod transfer;
mod wire;

pub use member::{Builder, GroupView, Guard, Member};
pub use state::{ApplicationState, StateReader};
pub use status::{GroupMember, GroupStatus, LockUsers};
pub use token::FencingToken;
