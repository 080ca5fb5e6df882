//! What happens in a simulation, counted: troubles, and what users are told.

use std::collections::BTreeMap;

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A user is told that it holds a lock.
    Granted,
    /// A user is granted a lock that one of another part holds.
    HeldInTwoParts,
    /// A user is told that a lock which it tries is not free.
    TriedInVain,
    /// A user no longer waits for the answer.
    GaveUp,
    /// A holder is told that it has lost the lock.
    Lost,
    /// What the lock protects rejects a holder whose token is too old.
    WriteRejected,
    /// The members are parted in two.
    Parted,
    /// A member is heard by another one that it does not hear.
    OneWay,
    /// Messages between two members are held.
    Held,
    /// The coordinator's process ends.
    CoordinatorKilled,
    /// Another member's process ends.
    MemberKilled,
    /// All processes end at once.
    AllKilled,
    /// A machine loses its power.
    PowerLost,
    /// A member's core receives a message.
    Received,
    /// What a member's core has sent is lost.
    MessageLost,
    /// A member that joins gets the application's state.
    StateArrived,
    /// It gets only a part of it.
    StateFailed,
}

impl Event {
    pub(crate) const ALL: [Self; 17] = [
        Self::Granted,
        Self::HeldInTwoParts,
        Self::TriedInVain,
        Self::GaveUp,
        Self::Lost,
        Self::WriteRejected,
        Self::Parted,
        Self::OneWay,
        Self::Held,
        Self::CoordinatorKilled,
        Self::MemberKilled,
        Self::AllKilled,
        Self::PowerLost,
        Self::Received,
        Self::MessageLost,
        Self::StateArrived,
        Self::StateFailed,
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
