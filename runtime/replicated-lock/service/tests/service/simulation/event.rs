//! What users and listeners are told in a simulation, counted.

use turnstile_members_simulation::counted;

counted! {
    /// Something that is counted.
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
        /// The process of a member ends, of which a user holds a lock.
        HolderKilled,
    }
}
