//! What happens in a simulation, counted: faults, and what clients make of them.

use turnstile_members_simulation::counts::{self, Counts};

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A client is told that it holds the lock.
    Acquired,
    /// A client learns that it does not hold it any more.
    Lost,
    /// One whose claim was revoked learns it.
    LostToRevocation,
    /// A client's patience ends while it waits.
    TimedOut,
    /// A claim is turned away with 429.
    TurnedAway,
    /// A client's process ends.
    ClientKilled,
    /// It ends while it waits for the lock.
    ClientKilledWaiting,
    /// A client's machine sleeps: its clock jumps.
    ClientSlept,
    /// A client stands still while it holds the lock, and does not look at it again.
    ClientStalled,
    /// A client and the server do not hear each other.
    Partitioned,
    /// A client and all members do not hear each other.
    ClientCutOff,
    /// The server's process ends.
    ServerKilled,
    /// It ends between two operations on its files, or in the middle of a write.
    ServerKilledInWrite,
    /// The power fails together with the process.
    PowerLost,
    /// The power fails once the next process has started.
    PowerLostAfterRestart,
    /// A commit had not been synced when its process ended.
    CommitLost,
    /// The server does not start: its disk refuses.
    StartRefused,
    /// The wall clock is set, which the server's next start reads.
    WallClockSet,
    /// The disk is full.
    DiskFull,
    /// Syncs fail.
    SyncsFail,
    /// Writes fail.
    WritesFail,
    /// No file can be opened, and no connection taken in.
    DescriptorsSpent,
    /// A connection is not taken in for want of a descriptor.
    AcceptRefused,
    /// A store takes everything again that has refused.
    Recovered,
    /// An operator takes the lock from who holds it.
    Revoked,
    /// The fence refuses a late write.
    Refused,
    /// A write is lost although there is a fence, which never happens.
    OverwrittenFenced,
    /// A write is lost where there is none.
    OverwrittenUnfenced,
    /// Steps of the cores that were played again.
    StepsReplayed,
    /// A write is answered with success.
    Written,
    /// A write has no answer, or one that says that it is unknown.
    OutcomeUnknown,
    /// A read shows what was written before.
    Read,
    /// A lease is renewed that nothing but the members keeps from that.
    Renewed,
}

impl Event {
    /// What every run of enough seeds of a single server must have seen.
    pub(crate) const EXPECTED: [Self; 27] = [
        Self::Acquired,
        Self::Lost,
        Self::LostToRevocation,
        Self::TimedOut,
        Self::TurnedAway,
        Self::ClientKilled,
        Self::ClientKilledWaiting,
        Self::ClientSlept,
        Self::ClientStalled,
        Self::Partitioned,
        Self::ServerKilled,
        Self::ServerKilledInWrite,
        Self::PowerLost,
        Self::PowerLostAfterRestart,
        Self::CommitLost,
        Self::StartRefused,
        Self::WallClockSet,
        Self::DiskFull,
        Self::SyncsFail,
        Self::WritesFail,
        Self::DescriptorsSpent,
        Self::AcceptRefused,
        Self::Recovered,
        Self::Revoked,
        Self::Refused,
        Self::OverwrittenUnfenced,
        Self::StepsReplayed,
    ];

    /// Likewise of a cluster.
    #[cfg(feature = "cluster")]
    pub(crate) const EXPECTED_OF_CLUSTER: [Self; 14] = [
        Self::Acquired,
        Self::Lost,
        Self::TimedOut,
        Self::ClientKilled,
        Self::ClientSlept,
        Self::Partitioned,
        Self::ClientCutOff,
        Self::WallClockSet,
        Self::Recovered,
        Self::CommitLost,
        Self::Written,
        Self::OutcomeUnknown,
        Self::Read,
        Self::Renewed,
    ];
}

/// How often each of them has happened.
pub(crate) type Outcome = Counts<Event>;

/// The outcome of a simulation that runs.
pub(crate) type Tally = counts::Tally<Event>;
