//! The faults, by name.

/// What strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Fault {
    /// The leader is killed, and starts again later.
    KillLeader,
    /// All members are killed at once, and start again.
    KillAll,
    /// The leader is cut off from all others for longer than a lease.
    CutLeader,
    /// What one member sends reaches no other one, but it hears them.
    Mute,
    /// One member hears no other one, but they hear it.
    Deaf,
    /// Two halves that only one member connects.
    Bridge,
    /// Two halves that do not reach each other.
    Halves,
    /// What the leader sends does not reach one member, or what that one sends not the leader.
    OneWay,
    /// A fifth of all packets is lost.
    Loss,
    /// The leader stops for longer than a lease, and goes on where it was.
    PauseLeader,
    /// The disk of the leader is full.
    FullDisk,
    /// A member is killed in the middle of a write.
    TornLog,
    /// A member starts again with its clock an hour ahead, and then an hour behind.
    Clock,
    /// A bit of a member's log is flipped: it must refuse to start, and is replaced by another one.
    FlippedLog,
    /// A member that has replaced another loses its disk, with what only it and the leader have
    /// acknowledged, and starts again: the others must not go on with it. It is replaced, too.
    LostDisk,
    /// A majority goes back to former directories, as a snapshot of a virtual machine has them, and
    /// acknowledges other changes than before: a member must say that changes are lost.
    RolledBack,
    /// All members end, one after the other, and each starts again.
    RollingRestart,
    /// Several of these by chance, at the same time.
    Schedule,
}

impl Fault {
    /// Whether no group is left after it that is to go on.
    pub(crate) const fn ends_group(self) -> bool {
        matches!(self, Self::RolledBack)
    }
}
