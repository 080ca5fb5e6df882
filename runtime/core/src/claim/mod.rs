//! Claims: a lock as a lease that a server grants, that its holder renews, and that lapses.
//!
//! [`client`] runs the document's claim machine, [`record`] is the server's side of it,
//! [`keychain`] holds many claims over one connection. They speak [`message::Message`]s.

pub mod client;
pub mod keychain;
pub mod message;
pub mod record;
mod words;
