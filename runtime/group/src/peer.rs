//! Who a process is: its address, and which of its lives this is.

use std::net::SocketAddr;

use foca::Identity;
use serde::{Deserialize, Serialize};
use turnstile_core::view::MemberId;

/// A process at an address, as all others know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Peer {
    /// The address that the others connect to.
    pub(crate) at: SocketAddr,
    /// Grows with each start of a process at the address, with each of its lives, and when it
    /// refutes that it is gone.
    pub(crate) age: u64,
    /// Its number in the group: another one in each life.
    pub(crate) member: MemberId,
}

impl Identity for Peer {
    type Addr = SocketAddr;

    fn renew(&self) -> Option<Self> {
        Some(Self { age: self.age + 1, ..*self })
    }

    fn addr(&self) -> SocketAddr {
        self.at
    }

    fn win_addr_conflict(&self, adversary: &Self) -> bool {
        self.age > adversary.age
    }
}
