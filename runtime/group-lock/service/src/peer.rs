//! Who a process is: its address, and which of its lives this is.

use std::net::SocketAddr;

use foca::Identity;
use serde::{Deserialize, Serialize};
use turnstile_view_handler_core::MemberId;

/// A process at an address, as all others know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Peer {
    /// The address that the others connect to.
    pub(crate) at: SocketAddr,
    /// Grows with each start of a process at the address, with each of its lives, and when it
    /// refutes that it is gone: microseconds, at first those of its clock.
    pub(crate) age: u64,
    /// How often it has refuted that it is gone.
    pub(crate) refutations: u32,
    /// Its number in the group: another one in each life.
    pub(crate) member: MemberId,
}

impl Identity for Peer {
    type Addr = SocketAddr;

    /// The first step is small. If the clock of this process is behind that of the former one at
    /// its address, the others believe only an age that is greater than that one's: each further
    /// step is a thousand times as large, up to fifty days.
    fn renew(&self) -> Option<Self> {
        let step = 1 << (10 * self.refutations).min(42);
        let (age, refutations) =
            (self.age.saturating_add(step), self.refutations.saturating_add(1));
        Some(Self { age, refutations, ..*self })
    }

    fn addr(&self) -> SocketAddr {
        self.at
    }

    fn win_addr_conflict(&self, adversary: &Self) -> bool {
        self.age > adversary.age
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_process_with_an_old_clock_soon_wins_over_the_former_one() {
        let hour = 3_600_000_000;
        let at = (Ipv4Addr::LOCALHOST, 1).into();
        let peer = |age| Peer { at, age, refutations: 0, member: MemberId(1) };
        let (former, mut own) = (peer(200 * hour), peer(hour));
        for _ in 0..5 {
            own = own.renew().expect("it can always be renewed");
        }
        assert!(own.win_addr_conflict(&former), "{own:?}");
        let before = own.age;
        for _ in 0..1_000 {
            own = own.renew().expect("it can always be renewed");
        }
        assert!(own.age < before + 1_000 * 60 * 24 * hour, "{own:?}");
    }
}
