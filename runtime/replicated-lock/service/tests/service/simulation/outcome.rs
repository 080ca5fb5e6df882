//! What happens in a simulation, counted: troubles, and what users are told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A user is told that it holds a lock.
    Granted,
    /// A listener is told that its member waits for another holder.
    Waited,
    /// A user is told that a lock which it tries is not free.
    TriedInVain,
    /// A user no longer waits for the answer.
    GaveUp,
    /// The answer is that the member is in no majority.
    NoMajority,
    /// The answer is that the command failed.
    Failed,
    /// A holder is told that it has lost the lock.
    Lost,
    /// A holder does not look whether it has lost the lock.
    Stalled,
    /// The fence refuses what such a holder writes.
    WriteRefused,
    /// An unlock is answered.
    Unlocked,
    /// Its answer is that the lock was lost before.
    UnlockedLost,
    /// Its answer is that it failed.
    UnlockFailed,
    /// A guard is dropped.
    Dropped,
    /// A member's process ends.
    MemberKilled,
    /// It is the leader's.
    LeaderKilled,
    /// It is one with a user that holds a lock.
    HolderKilled,
    /// It ends between two operations on its files, or in the middle of a write.
    KilledInWrite,
    /// All members but one end, and begin again at once: nobody else knows what it holds.
    OneStayed,
    /// Its machine loses its power.
    PowerLost,
    /// The leader is cut off from all other members.
    LeaderCutOff,
    /// A member, whoever it is, is cut off from the others.
    MemberCutOff,
    /// Two sides hear only a member between them.
    Bridged,
    /// A member is heard by others that it does not hear, or the other way round.
    OneWay,
    /// All that a member sends and receives is held.
    Held,
    /// Some of what a member sends and receives is late.
    Slowed,
    /// A message between members is lost.
    MessageLost,
    /// A disk is full.
    DiskFull,
    /// Syncs fail.
    SyncsFail,
    /// Writes fail.
    WritesFail,
    /// A member lacks entries that the others have only in a snapshot.
    SnapshotNeeded,
    /// A member is added.
    MemberAdded,
    /// A member is removed.
    MemberRemoved,
    /// A new term, beyond the first.
    TermBegun,
    /// A member begins again with an empty disk.
    DiskWiped,
    /// A member begins again with an older content of its disk.
    DiskRolledBack,
    /// A leader begins again with its disk as it was before it was elected.
    LeaderRolledBack,
    /// A member has stopped since what it has answered for is lost.
    LossNoticed,
}

impl Event {
    pub(crate) const ALL: [Self; 37] = [
        Self::Granted,
        Self::Waited,
        Self::TriedInVain,
        Self::GaveUp,
        Self::NoMajority,
        Self::Failed,
        Self::Lost,
        Self::Stalled,
        Self::WriteRefused,
        Self::Unlocked,
        Self::UnlockedLost,
        Self::UnlockFailed,
        Self::Dropped,
        Self::MemberKilled,
        Self::LeaderKilled,
        Self::HolderKilled,
        Self::KilledInWrite,
        Self::OneStayed,
        Self::PowerLost,
        Self::LeaderCutOff,
        Self::MemberCutOff,
        Self::Bridged,
        Self::OneWay,
        Self::Held,
        Self::Slowed,
        Self::MessageLost,
        Self::DiskFull,
        Self::SyncsFail,
        Self::WritesFail,
        Self::SnapshotNeeded,
        Self::MemberAdded,
        Self::MemberRemoved,
        Self::TermBegun,
        Self::DiskWiped,
        Self::DiskRolledBack,
        Self::LeaderRolledBack,
        Self::LossNoticed,
    ];
}

/// How often each of them has happened.
pub(crate) type Outcome = BTreeMap<Event, u64>;

/// Adds what has happened in one simulation to the sum.
pub(crate) fn add(sum: &mut Outcome, one: &Outcome) {
    for (event, times) in one {
        *sum.entry(*event).or_default() += times;
    }
}

/// The outcome of a simulation that runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Rc<RefCell<Outcome>>);

impl Tally {
    pub(crate) fn note(&self, event: Event) {
        self.add(event, 1);
    }

    pub(crate) fn add(&self, event: Event, times: u64) {
        if times > 0 {
            *self.0.borrow_mut().entry(event).or_default() += times;
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.0.borrow().clone()
    }
}
