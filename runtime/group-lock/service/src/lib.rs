#![doc = include_str!("../README.md")]

pub mod channel;
mod detector;
mod hub;
mod life;
mod lives;
mod living;
mod member;
mod peer;
pub mod router;
mod saved;
mod state;
mod status;
mod transfer;
mod turns;
mod view;
pub mod wire;

pub use crate::turns::token::FencingToken;
pub use crate::turns::users::LockUsers;
pub use member::{Builder, Guard, Member};
pub use state::{ApplicationState, StateReader};
pub use status::{GroupMember, GroupStatus};
pub use view::GroupView;
