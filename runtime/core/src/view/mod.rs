//! View handling with merges: who belongs to a group, and how two groups become one.
//!
//! [`Handler`] is the core of a member; the document's machine runs inside it, and what the machine
//! is asked of (JOIN, MERGE-REQ, a Resumer's end) are its inputs. Nothing in here decides who is
//! alive: that is what the layers below say, as [`Command`]s.

mod carry;
mod handler;
mod merge;
mod message;
mod spread;
mod state;
mod turn;
mod types;
mod words;

pub use handler::{Command, Handler, MACHINE, Notice, Timer};
pub use message::{Message, Request};
pub use state::{Leader, LeftOut, Merge, QUEUE_MAX, State, Wants, Work};
pub use types::{MemberId, Members, Suspension, View};
