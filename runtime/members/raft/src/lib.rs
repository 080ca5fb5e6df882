#![doc = include_str!("../README.md")]

pub mod arguments;
mod changes;
mod encoding;
mod engine;
mod error;
mod group;
mod identity;
mod inbox;
mod log;
mod machine;
mod member;
pub mod network;
mod news;
mod options;
mod peers;
mod proposer;
pub mod request;
mod status;
mod writer;

pub use crate::encoding::backup::Backup;
pub use changes::MemberChange;
pub use error::{MemberError, Members, Peer};
pub use machine::{Encode, LogPosition, StateMachine};
pub use member::{Member, NOT_OF_A_MEMBER};
pub use options::Options;
pub use status::{Leadership, Role, Status, VoteChange};
