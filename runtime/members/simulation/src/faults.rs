//! What may go wrong among the members of a replicated log: broken links, and disks that refuse.

use turnstile_host::Rng;
use turnstile_host::store::{Faults, Medium};

use crate::counted;
use crate::net::Net;

counted! {
    /// What has gone wrong, or came of it.
    pub enum Fault {
        /// A member's process ends.
        MemberKilled,
        /// It is the leader's.
        LeaderKilled,
        /// It ends between two operations on its files, or in the middle of a write.
        KilledInWrite,
        /// Its machine loses its power.
        PowerLost,
        /// All members but one end, and begin again at once: no other knows what that one holds.
        OneStayed,
        /// A leader loses its power with a tail of its log that one other member has, which the
        /// others then do not hear.
        TailLost,
        /// The leader is cut off from all others.
        LeaderCutOff,
        /// A leader does not hear the others, but they hear it.
        LeaderDeafened,
        /// A member is cut off from all others.
        MemberCutOff,
        /// Two sides hear only the member between them.
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
}

/// Breaks links, of this member or of the leader; `None` if it was to be a leader and none leads.
pub(crate) fn cut(
    net: &Net,
    rng: &mut Rng,
    id: u64,
    all: &[u64],
    leader: Option<u64>,
) -> Option<Fault> {
    match rng.number() % 7 {
        0 | 1 => {
            net.isolate(leader?, all.iter().copied());
            Some(Fault::LeaderCutOff)
        }
        2 => {
            net.isolate(id, all.iter().copied());
            Some(Fault::MemberCutOff)
        }
        3 => {
            let sides = all.iter().filter(|other| **other != id);
            let (left, right): (Vec<u64>, Vec<u64>) = sides.partition(|other| *other % 2 == 0);
            for (one, other) in left.iter().flat_map(|one| right.iter().map(move |r| (one, r))) {
                net.cut(*one, *other);
                net.cut(*other, *one);
            }
            Some(Fault::Bridged)
        }
        4 => {
            let is_deaf = rng.number().is_multiple_of(2);
            for other in all.iter().copied().filter(|other| *other != id) {
                let (from, to) = if is_deaf { (other, id) } else { (id, other) };
                net.cut(from, to);
            }
            Some(Fault::OneWay)
        }
        5 => {
            net.hold(id);
            Some(Fault::Held)
        }
        _ => {
            net.slow(id);
            Some(Fault::Slowed)
        }
    }
}

/// The disk of a member refuses writes until it is mended.
pub(crate) fn spoil(medium: &Medium, rng: &mut Rng) -> Fault {
    let (fault, is_full, syncs, writes) = match rng.number() % 3 {
        0 => (Fault::DiskFull, true, 0, 0),
        1 => (Fault::SyncsFail, false, 2, 0),
        _ => (Fault::WritesFail, false, 0, 2),
    };
    medium.set_faults(Faults { is_full, syncs, writes, ..Faults::default() });
    fault
}
