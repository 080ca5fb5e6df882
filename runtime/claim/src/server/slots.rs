//! Connection slots: how many connections are open, from where, and which of them makes room.
//!
//! A connection waits for its client (for a header, for a body, until an answer is read), or its
//! client waits for it. Where no slot is free, of those that wait for their clients one is closed
//! that has done so longest. Those that have been admitted are known; strangers cannot push them
//! out, and they leave strangers an eighth of the slots. So a new connection finds a slot, and who
//! sends its request at once keeps it, however many others send theirs a byte at a time.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::network::network;
use super::seat::{Seat, Standing};

/// So much of a room of slots is for strangers.
const RESERVE: usize = 8;
/// So much of a room of slots is made free at once, so that looking for them costs little.
const BATCH: usize = 64;

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) all: usize,
    /// From one address; none: a quarter of all, and all from this machine.
    pub(crate) address: Option<usize>,
}

impl Room {
    /// How many requests may wait for a lock: the connections of all the others come and go.
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

/// The slots that known connections leave to strangers.
fn reserve(room: usize) -> usize {
    if room < 2 { 0 } else { (room / RESERVE).max(1) }
}

/// Every open connection.
#[derive(Debug)]
pub(crate) struct Slots {
    room: Room,
    open: Mutex<Open>,
    /// Someone has left.
    gone: Notify,
    made_room: AtomicU64,
}

#[derive(Debug)]
struct Open {
    epoch: Instant,
    seats: BTreeMap<u64, RowOutcome>,
    all: Count,
    addresses: BTreeMap<IpAddr, Count>,
    last: u64,
}

/// How many connections are open, and how many of them have been asked to leave.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    open: usize,
    leaving: usize,
}

#[derive(Debug)]
struct RowOutcome {
    from: IpAddr,
    seat: Arc<Seat>,
}

/// A slot that is taken, until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    number: u64,
    pub(crate) seat: Arc<Seat>,
}

impl Slots {
    pub(crate) fn new(room: Room) -> Arc<Self> {
        let (seats, addresses) = (BTreeMap::new(), BTreeMap::new());
        let open = Open { epoch: Instant::now(), seats, all: Count::default(), addresses, last: 0 };
        let (open, gone) = (Mutex::new(open), Notify::new());
        Arc::new(Self { room, open, gone, made_room: AtomicU64::new(0) })
    }

    /// How many connections are open.
    pub(crate) fn count(&self) -> usize {
        self.open().all.open
    }

    /// How many were closed to make room.
    pub(crate) fn made_room(&self) -> u64 {
        self.made_room.load(Ordering::Relaxed)
    }

    /// A slot for a connection from there; none where all are at work. One task takes slots.
    pub(crate) async fn take(self: &Arc<Self>, from: IpAddr) -> Option<Slot> {
        let from = network(from);
        loop {
            let gone = self.gone.notified();
            let step = self.open().step(self.room, from);
            match step {
                Step::Taken(number, seat) => {
                    return Some(Slot { slots: self.clone(), number, seat });
                }
                Step::Full => return None,
                Step::Leaving(count) => {
                    self.made_room.fetch_add(count, Ordering::Relaxed);
                    gone.await;
                }
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of asking for a slot.
enum Step {
    Taken(u64, Arc<Seat>),
    /// Some are leaving, so many of them since this was asked.
    Leaving(u64),
    Full,
}

impl Open {
    fn step(&mut self, room: Room, from: IpAddr) -> Step {
        let of_address = room.of(from);
        let address = self.addresses.get(&from).copied().unwrap_or_default();
        if address.open >= of_address {
            return self.make_room(of_address, address, Some(from));
        }
        if self.all.open >= room.all {
            return self.make_room(room.all, self.all, None);
        }
        self.last += 1;
        let seat = Arc::new(Seat::new(self.epoch));
        self.seats.insert(self.last, RowOutcome { from, seat: seat.clone() });
        self.count(from, |count| count.open += 1);
        Step::Taken(self.last, seat)
    }

    fn count(&mut self, from: IpAddr, change: impl Fn(&mut Count)) {
        change(&mut self.all);
        let address = self.addresses.entry(from).or_default();
        change(address);
        if address.open == 0 {
            self.addresses.remove(&from);
        }
    }

    /// Asks those to leave that have waited longest for their clients, of one address or of all.
    fn make_room(&mut self, room: usize, count: Count, from: Option<IpAddr>) -> Step {
        if count.leaving > 0 {
            return Step::Leaving(0);
        }
        let (mut known, mut strangers) = (Vec::new(), Vec::new());
        let mut known_count = 0;
        for (number, taken) in &self.seats {
            if from.is_some_and(|from| taken.from != from) {
                continue;
            }
            let Standing { since_us, is_known, is_working, is_leaving } = taken.seat.standing();
            known_count += usize::from(is_known);
            match (is_working || is_leaving, is_known) {
                (true, _) => {}
                (false, true) => known.push((since_us, *number)),
                (false, false) => strangers.push((since_us, *number)),
            }
        }
        let have_more = known_count > room - reserve(room);
        let batch = (room / BATCH).max(1);
        let mut asked = 0;
        if have_more {
            asked = self.ask_to_leave(known, batch);
        }
        if asked == 0 {
            asked = self.ask_to_leave(strangers, batch);
        }
        if asked == 0 { Step::Full } else { Step::Leaving(asked) }
    }

    /// How many of so many that have waited longest leave: one may have begun to work just now.
    fn ask_to_leave(&mut self, mut seats: Vec<(u64, u64)>, count: usize) -> u64 {
        if seats.len() > count {
            seats.select_nth_unstable(count);
            seats.truncate(count);
        }
        let mut asked = 0;
        for (_, number) in seats {
            let Some(taken) = self.seats.get(&number) else { continue };
            let from = taken.from;
            if taken.seat.ask_to_leave() {
                asked += 1;
                self.count(from, |count| count.leaving += 1);
            }
        }
        asked
    }

    fn leave(&mut self, number: u64) {
        let Some(RowOutcome { from, seat }) = self.seats.remove(&number) else { return };
        let leaving = usize::from(seat.standing().is_leaving);
        self.count(from, |count| {
            count.open -= 1;
            count.leaving -= leaving;
        });
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.open().leave(self.number);
        self.slots.gone.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    fn slots(all: usize, address: Option<usize>) -> Arc<Slots> {
        Slots::new(Room { all, address })
    }

    /// Takes a slot for which nobody has to leave.
    async fn take(slots: &Arc<Slots>, from: IpAddr) -> Slot {
        slots.take(from).await.expect("a slot is free")
    }

    /// Takes a slot for which one of these has to leave; which, by its place.
    async fn push_out(slots: &Arc<Slots>, from: IpAddr, open: &mut Vec<Slot>) -> usize {
        let taking = slots.take(from);
        let mut taking = std::pin::pin!(taking);
        let pushed = tokio::select! {
            biased;
            _ = &mut taking => panic!("a slot was free, or none is ever"),
            () = std::future::ready(()) => {
                open.iter().position(|slot| slot.seat.standing().is_leaving)
            }
        };
        let pushed = pushed.expect("one is asked to leave");
        drop(open.remove(pushed));
        open.push(taking.await.expect("its slot is free"));
        pushed
    }

    #[tokio::test(start_paused = true)]
    async fn the_stranger_that_dawdles_longest_makes_room() {
        let slots = slots(8, None);
        let mut open = Vec::new();
        for _ in 0..8 {
            open.push(take(&slots, HOME).await);
            tokio::time::advance(std::time::Duration::from_millis(5)).await;
        }
        open[0].seat.know();
        open[1].seat.wait();
        assert_eq!(push_out(&slots, HOME, &mut open).await, 2);
        assert_eq!(push_out(&slots, HOME, &mut open).await, 2);
        assert!(open[0].seat.work() && open[1].seat.work());
        assert_eq!(push_out(&slots, HOME, &mut open).await, 2);
        assert_eq!((slots.count(), slots.made_room()), (8, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn the_known_keep_seven_eighths_and_leave_the_rest() {
        let slots = slots(8, None);
        let mut open = Vec::new();
        for _ in 0..8 {
            open.push(take(&slots, HOME).await);
            open.last().expect("just pushed").seat.know();
            tokio::time::advance(std::time::Duration::from_millis(5)).await;
        }
        assert_eq!(push_out(&slots, HOME, &mut open).await, 0, "they have one more than theirs");
        for _ in 0..20 {
            assert_eq!(push_out(&slots, HOME, &mut open).await, 7, "strangers take turns");
        }
        for slot in &open {
            assert!(slot.seat.work());
        }
        assert!(slots.take(HOME).await.is_none(), "all are at work");
        drop(open);
        assert_eq!(slots.count(), 0);
        assert!(slots.open().addresses.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_has_its_share_makes_room_itself() {
        let slots = slots(16, None);
        let mut open = vec![take(&slots, HOME).await];
        for _ in 0..4 {
            open.push(take(&slots, OTHER).await);
        }
        assert_eq!(push_out(&slots, OTHER, &mut open).await, 1, "a quarter is its share");
        for _ in 0..11 {
            open.push(take(&slots, HOME).await);
        }
        assert_eq!(push_out(&slots, HOME, &mut open).await, 0, "a workstation has them all");
        let one = self::slots(16, Some(1));
        let mut open = vec![take(&one, HOME).await];
        assert_eq!(push_out(&one, HOME, &mut open).await, 0, "unless it is said");
    }
}
