//! The rules about single steps of a member, and about commands of the log.

use turnstile_world::StepRule;

pub const LISTENER: StepRule =
    StepRule("the listener is notified of a status only if it can follow the one before");

pub const NOTIFICATION: StepRule = StepRule("a thread is notified of a change of its lock");

pub const REASON: StepRule = StepRule("a mutex takes a step only with a reason");

pub const COMMAND: StepRule =
    StepRule("a mutex executes the command that it was asked for, and no other");

pub const CALLED_RESET: StepRule =
    StepRule("a member executes exactly the RESETs that a view or an election calls for");

pub const MINORITY: StepRule =
    StepRule("a member that learns that it is in a minority gives up its locks");

pub const ACTS: StepRule = StepRule("no act under a lock comes between two acts of another node");

pub const ORDER: StepRule = StepRule("no waiter is overtaken in the queue");

pub const RESET: StepRule = StepRule("a RESET keeps only members in its list");

pub const MAJORITY: StepRule =
    StepRule("a RESET takes no lock or place from a member that was always in the majority");

pub const UNLOCK: StepRule =
    StepRule("an UNLOCK or an UNLOCK_ALL leaves its member without the lock and without a place");

pub const FREE_LOCK: StepRule =
    StepRule("a LOCK or a TRY_LOCK of a lock without a holder gives it to its member");
