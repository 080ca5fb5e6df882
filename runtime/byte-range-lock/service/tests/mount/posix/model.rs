//! What is needed to know whose waiting request a call conflicts with. The kernel decides all else.

use crate::actor::SLOTS;
use crate::locks::Kind;
use crate::posix::call::{ActorCall, Family, LockBytes, OpenAccess, Whence};

/// How many actors there are.
pub(crate) const ACTORS: usize = 4;

/// An owner of locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A process, which is the actor's, or a child of it that holds nothing before it begins.
    Process(usize),
    Child,
    /// An open file description.
    Description(usize),
}

/// A lock that is held or wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimedBytes {
    pub(crate) holder: Holder,
    pub(crate) kind: Kind,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// The byte that stands for the lock of `flock`: no other lock has it.
const FLOCK: u64 = LAST + 1;

/// The last byte that `fcntl` knows.
pub(crate) const LAST: u64 = i64::MAX as u64;

impl ClaimedBytes {
    /// Whether both cannot be held.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        self.holder != other.holder
            && self.overlaps(other.first, other.last)
            && [self.kind, other.kind].contains(&Kind::Write)
    }

    const fn overlaps(&self, first: u64, last: u64) -> bool {
        self.first <= last && first <= self.last
    }

    /// Whether it is the lock of `flock`.
    pub(crate) const fn is_flock(&self) -> bool {
        self.first == FLOCK
    }
}

/// An open file description.
#[derive(Clone, Copy, Debug)]
struct Opened {
    access: OpenAccess,
    at: u64,
}

/// The descriptors of all actors, and their locks.
#[derive(Debug, Default)]
pub(crate) struct Model {
    slots: [[Option<usize>; SLOTS]; ACTORS],
    opened: Vec<Opened>,
    size: u64,
    held: Vec<ClaimedBytes>,
    /// The requests that wait.
    pub(crate) waiting: [Option<ClaimedBytes>; ACTORS],
}

impl Model {
    /// The slots of an actor that are open, or those that are not.
    pub(crate) fn slots(&self, actor: usize, is_open: bool) -> Vec<usize> {
        (0..SLOTS).filter(|slot| self.slots[actor][*slot].is_some() == is_open).collect()
    }

    /// The actors that wait, or those that do not.
    pub(crate) fn actors(&self, is_waiting: bool) -> Vec<usize> {
        (0..ACTORS).filter(|actor| self.waiting[*actor].is_some() == is_waiting).collect()
    }

    /// The lock that a call would set, if it can. That of an actor's child has no own locks.
    pub(crate) fn claim(
        &self,
        actor: usize,
        is_child: bool,
        call: &ActorCall,
    ) -> Option<ClaimedBytes> {
        match call {
            ActorCall::Flock { slot, kind, .. } => {
                let holder = Holder::Description(self.slots[actor][*slot]?);
                Some(ClaimedBytes { holder, kind: *kind, first: FLOCK, last: FLOCK })
            }
            ActorCall::Lock { slot, family, bytes, .. } => {
                let description = self.slots[actor][*slot]?;
                let opened = self.opened[description];
                let is_permitted = match bytes.kind {
                    Kind::Read => opened.access != OpenAccess::WriteOnly,
                    Kind::Write => opened.access != OpenAccess::ReadOnly,
                    Kind::Unlock => true,
                };
                let (first, last) = self.range(opened, *bytes).filter(|_| is_permitted)?;
                let holder = match (family, is_child) {
                    (Family::Process, false) => Holder::Process(actor),
                    (Family::Process, true) => Holder::Child,
                    (Family::Description, _) => Holder::Description(description),
                };
                Some(ClaimedBytes { holder, kind: bytes.kind, first, last })
            }
            ActorCall::Open { .. }
            | ActorCall::Dup { .. }
            | ActorCall::Close { .. }
            | ActorCall::Seek { .. }
            | ActorCall::Truncate { .. }
            | ActorCall::Test { .. }
            | ActorCall::Fork(_) => None,
        }
    }

    /// The first and the last byte, if there are such bytes.
    fn range(&self, opened: Opened, bytes: LockBytes) -> Option<(u64, u64)> {
        let from = match bytes.whence {
            Whence::Set => 0,
            Whence::Cur => opened.at,
            Whence::End => self.size,
        };
        let start = i128::from(from) + i128::from(bytes.start);
        let after = start + i128::from(bytes.length);
        let (first, last) = match bytes.length {
            0 => (start, i128::from(LAST)),
            1.. => (start, after - 1),
            _ => (after, start - 1),
        };
        let is_within = |byte: &u64| *byte <= LAST;
        let byte = |byte: i128| u64::try_from(byte).ok().filter(is_within);
        // The start must be a byte also of a range that ends before it.
        byte(start).and(byte(first).zip(byte(last)))
    }

    /// Whether a request conflicts with a waiting one of another owner, in bytes that its own owner
    /// does not have: those are not delayed. The lock of `flock` is dropped to change its type.
    pub(crate) fn is_delayed(&self, claim: &ClaimedBytes) -> bool {
        let own = self.held.iter().filter(|held| {
            held.holder == claim.holder && (!claim.is_flock() || held.kind == claim.kind)
        });
        let own: Vec<&ClaimedBytes> = own.collect();
        claim.kind != Kind::Unlock
            && self.waiting.iter().flatten().any(|waiting| {
                let (first, last) = (claim.first.max(waiting.first), claim.last.min(waiting.last));
                claim.conflicts(waiting) && !is_covered(first, last, &own)
            })
    }

    /// A call is answered with success.
    pub(crate) fn succeeded(&mut self, actor: usize, is_child: bool, call: &ActorCall) {
        match call {
            ActorCall::Open { slot, access } => {
                self.slots[actor][*slot] = Some(self.opened.len());
                self.opened.push(Opened { access: *access, at: 0 });
            }
            ActorCall::Dup { slot, to } => self.slots[actor][*to] = self.slots[actor][*slot],
            // A child closes its own descriptor only.
            ActorCall::Close { .. } if is_child => {}
            ActorCall::Close { slot } => self.close(actor, *slot),
            ActorCall::Seek { slot, to } => {
                if let Some(description) = self.slots[actor][*slot] {
                    self.opened[description].at = *to;
                }
            }
            ActorCall::Truncate { size, .. } => self.size = *size,
            ActorCall::Lock { .. } | ActorCall::Flock { .. } => {
                let claim = self.claim(actor, is_child, call);
                self.set(
                    claim.unwrap_or_else(|| panic!("the kernel grants {call}, with no bytes")),
                );
            }
            ActorCall::Test { .. } | ActorCall::Fork(_) => {}
        }
    }

    /// A lock is granted or released.
    pub(crate) fn set(&mut self, claim: ClaimedBytes) {
        if claim.holder == Holder::Child {
            return;
        }
        let mut held = Vec::new();
        for old in self.held.drain(..) {
            if old.holder != claim.holder || !old.overlaps(claim.first, claim.last) {
                held.push(old);
                continue;
            }
            if old.first < claim.first {
                held.push(ClaimedBytes { last: claim.first - 1, ..old });
            }
            if old.last > claim.last {
                held.push(ClaimedBytes { first: claim.last + 1, ..old });
            }
        }
        if claim.kind != Kind::Unlock {
            held.push(claim);
        }
        self.held = held;
    }

    fn close(&mut self, actor: usize, slot: usize) {
        let closed = self.slots[actor][slot].take();
        let is_open = self.slots[actor].contains(&closed);
        self.held.retain(|held| match held.holder {
            Holder::Process(process) => process != actor,
            Holder::Description(description) => is_open || Some(description) != closed,
            Holder::Child => false,
        });
    }

    /// An actor is killed.
    pub(crate) fn killed(&mut self, actor: usize) {
        self.waiting[actor] = None;
        (0..SLOTS).for_each(|slot| self.close(actor, slot));
    }
}

/// Whether each of the bytes is in one of the locks.
fn is_covered(first: u64, last: u64, locks: &[&ClaimedBytes]) -> bool {
    let mut next = first;
    while next <= last {
        let over = locks.iter().find(|lock| lock.overlaps(next, next));
        let Some(over) = over else { return false };
        next = over.last + 1;
    }
    true
}
