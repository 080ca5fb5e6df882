//! Connections: accepted, limited, encrypted and closed.

pub(crate) mod connection;
pub(crate) mod connection_state;
pub(crate) mod disconnect;
pub(crate) mod listen;
pub(crate) mod slots;
pub(crate) mod tls;
pub(crate) mod write_timeout;
