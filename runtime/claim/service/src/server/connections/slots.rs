//! Connection slots: limits on open connections, and which connection is closed when they are
//! reached.
//!
//! A connection is idle (the server waits for a header, a body, or for the client to read) or busy
//! (a request is being processed). When no slot is free, the connection that has been idle longest
//! is closed. Authenticated connections are preferred: unauthenticated ones cannot displace them,
//! but an eighth of the slots is left to unauthenticated ones. So a new connection gets a slot, and
//! a client that sends its request at once keeps it, however many others send theirs byte by byte.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::server::access::network::network;
use crate::server::connections::connection_state::{ConnectionFlags, ConnectionState};

/// The part of the slots that is reserved for unauthenticated connections: one in this many.
const RESERVE: usize = 8;
/// The part of the slots that is freed at once, to amortize the search: one in this many.
const BATCH: usize = 64;

/// The number of connections that were open at once below which no memory is given back.
const MANY: usize = 256;

/// The maximum number of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    pub(crate) all: usize,
    /// Per address; `None`: a quarter of all, and all for loopback.
    pub(crate) address: Option<usize>,
}

impl ConnectionLimits {
    /// The maximum number of requests that wait for a lock; the other slots stay available.
    pub(crate) fn waits(self) -> usize {
        self.all - reserve(self.all)
    }

    fn of(self, from: IpAddr) -> usize {
        match self.address {
            Some(address) => address.max(1),
            None if from.is_loopback() => self.all,
            None => (self.all / 4).max(1),
        }
    }
}

/// The number of slots reserved for unauthenticated connections.
fn reserve(room: usize) -> usize {
    if room < 2 { 0 } else { (room / RESERVE).max(1) }
}

/// Every open connection.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    room: ConnectionLimits,
    open: Mutex<OpenConnections>,
    /// Notified when a connection has closed.
    gone: Notify,
    /// Notified when half of many connections have closed.
    shrunk: Notify,
    made_room: AtomicU64,
}

#[derive(Debug)]
struct OpenConnections {
    epoch: Instant,
    connections: BTreeMap<u64, Occupied>,
    all: ConnectionCounts,
    addresses: BTreeMap<IpAddr, ConnectionCounts>,
    last: u64,
    /// The most that were open at once since half of them have closed.
    peak: usize,
}

/// The number of connections, and of those that were asked to close.
#[derive(Clone, Copy, Debug, Default)]
struct ConnectionCounts {
    open: usize,
    leaving: usize,
}

#[derive(Debug)]
struct Occupied {
    from: IpAddr,
    state: Arc<ConnectionState>,
}

/// A slot of a connection; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    number: u64,
    pub(crate) state: Arc<ConnectionState>,
}

impl ConnectionSlots {
    pub(crate) fn new(room: ConnectionLimits) -> Arc<Self> {
        let (connections, addresses) = (BTreeMap::new(), BTreeMap::new());
        let open = OpenConnections {
            epoch: Instant::now(),
            connections,
            all: ConnectionCounts::default(),
            addresses,
            last: 0,
            peak: 0,
        };
        let (open, gone, shrunk) = (Mutex::new(open), Notify::new(), Notify::new());
        Arc::new(Self { room, open, gone, shrunk, made_room: AtomicU64::new(0) })
    }

    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.open().all.open
    }

    /// The number of connections that were closed to free slots.
    pub(crate) fn made_room(&self) -> u64 {
        self.made_room.load(Ordering::Relaxed)
    }

    /// Returns when half of many connections have closed since the last time.
    pub(crate) async fn have_shrunk(&self) {
        self.shrunk.notified().await;
    }

    /// A slot for a connection from this address; `None` if all are busy. Only one task may call
    /// it.
    pub(crate) async fn take(self: &Arc<Self>, from: IpAddr) -> Option<ConnectionSlot> {
        let from = network(from);
        loop {
            let gone = self.gone.notified();
            let step = self.open().step(self.room, from);
            match step {
                SlotOffer::Taken(number, state) => {
                    return Some(ConnectionSlot { slots: self.clone(), number, state });
                }
                SlotOffer::Full => return None,
                SlotOffer::Leaving(count) => {
                    self.made_room.fetch_add(count, Ordering::Relaxed);
                    gone.await;
                }
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of an attempt to get a slot.
enum SlotOffer {
    Taken(u64, Arc<ConnectionState>),
    /// Connections are closing; so many of them were asked by this attempt.
    Leaving(u64),
    Full,
}

impl OpenConnections {
    fn step(&mut self, room: ConnectionLimits, from: IpAddr) -> SlotOffer {
        let of_address = room.of(from);
        let address = self.addresses.get(&from).copied().unwrap_or_default();
        if address.open >= of_address {
            return self.make_room(of_address, address, Some(from));
        }
        if self.all.open >= room.all {
            return self.make_room(room.all, self.all, None);
        }
        self.last += 1;
        let state = Arc::new(ConnectionState::new(self.epoch));
        self.connections.insert(self.last, Occupied { from, state: state.clone() });
        self.count(from, |count| count.open += 1);
        self.peak = self.peak.max(self.all.open);
        SlotOffer::Taken(self.last, state)
    }

    fn count(&mut self, from: IpAddr, change: impl Fn(&mut ConnectionCounts)) {
        change(&mut self.all);
        let address = self.addresses.entry(from).or_default();
        change(address);
        if address.open == 0 {
            self.addresses.remove(&from);
        }
    }

    /// Asks the connections that have been idle longest to close, of one address or of all.
    fn make_room(
        &mut self,
        room: usize,
        count: ConnectionCounts,
        from: Option<IpAddr>,
    ) -> SlotOffer {
        if count.leaving > 0 {
            return SlotOffer::Leaving(0);
        }
        let (mut known, mut strangers) = (Vec::new(), Vec::new());
        let mut known_count = 0;
        for (number, taken) in &self.connections {
            if from.is_some_and(|from| taken.from != from) {
                continue;
            }
            let ConnectionFlags { since_us, is_known, is_working, is_closing } =
                taken.state.flags();
            known_count += usize::from(is_known);
            match (is_working || is_closing, is_known) {
                (true, _) => {}
                (false, true) => known.push((since_us, *number)),
                (false, false) => strangers.push((since_us, *number)),
            }
        }
        let have_more = known_count > room - reserve(room);
        let batch = (room / BATCH).max(1);
        let mut asked = 0;
        if have_more {
            asked = self.request_close(known, batch);
        }
        if asked == 0 {
            asked = self.request_close(strangers, batch);
        }
        if asked == 0 { SlotOffer::Full } else { SlotOffer::Leaving(asked) }
    }

    /// Asks up to `count` connections that have been idle longest; returns how many will close,
    /// since some may have become busy.
    fn request_close(&mut self, mut connections: Vec<(u64, u64)>, count: usize) -> u64 {
        if connections.len() > count {
            connections.select_nth_unstable(count);
            connections.truncate(count);
        }
        let mut asked = 0;
        for (_, number) in connections {
            let Some(taken) = self.connections.get(&number) else { continue };
            let from = taken.from;
            if taken.state.request_close() {
                asked += 1;
                self.count(from, |count| count.leaving += 1);
            }
        }
        asked
    }

    /// Frees a slot. Returns whether half of many connections have closed.
    fn leave(&mut self, number: u64) -> bool {
        let Some(Occupied { from, state }) = self.connections.remove(&number) else {
            return false;
        };
        let leaving = usize::from(state.flags().is_closing);
        self.count(from, |count| {
            count.open -= 1;
            count.leaving -= leaving;
        });
        let has_shrunk = self.peak >= MANY && self.all.open <= self.peak / 2;
        if has_shrunk {
            self.peak = self.all.open;
        }
        has_shrunk
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let has_shrunk = self.slots.open().leave(self.number);
        self.slots.gone.notify_one();
        if has_shrunk {
            self.slots.shrunk.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::server::connections::slots::*;

    #[tokio::test]
    async fn who_is_at_work_makes_no_room_and_nothing_is_kept_of_who_has_left() {
        let slots = ConnectionSlots::new(ConnectionLimits { all: 1, address: None });
        let from = IpAddr::from([192, 0, 2, 1]);
        let slot = slots.take(from).await.expect("it is free");
        assert!(slot.state.try_begin());
        assert!(slots.take(from).await.is_none(), "all are at work");
        drop(slot);
        assert_eq!(slots.count(), 0);
        assert!(slots.open().addresses.is_empty());
    }
}
