//! What happens in a simulation, counted: troubles, and what users are told.

use turnstile_members_simulation::counted;

counted! {
    /// Something that is counted.
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
}
