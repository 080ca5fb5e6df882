//! Claims: locks as leases. A server grants a lease, its holder renews it, otherwise it expires.
//!
//! [`client`] runs the document's claim machine, [`record`] is the server, [`keychain`] holds many
//! claims over one connection. They exchange [`message::Message`]s.

pub mod client;
mod display;
pub mod keychain;
pub mod message;
pub mod record;
