#![doc = include_str!("../README.md")]

mod channel;
mod detector;
mod hub;
mod life;
mod line;
mod lives;
mod living;
mod locks;
mod member;
mod pause;
mod peer;
mod router;
mod saved;
mod shares;
mod state;
mod status;
mod token;
mod transfer;
mod users;
mod view;
mod wire;

pub use member::{Builder, Guard, Member};
pub use state::{ApplicationState, StateReader};
pub use status::{GroupMember, GroupStatus};
pub use token::FencingToken;
pub use users::LockUsers;
pub use view::GroupView;
