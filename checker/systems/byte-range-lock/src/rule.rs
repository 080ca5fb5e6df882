//! The rules about single steps of a cache manager, and about what its clients see of them.

use turnstile_world::StepRule;

pub(crate) const ISOLATION: StepRule =
    StepRule("a step on one file depends on no other file, and changes none");

pub(crate) const NOTIFICATION: StepRule =
    StepRule("each client is notified of a change of its lock, and answered");

pub(crate) const REFUSAL: StepRule = StepRule("only a client with a LOST lock is refused a lock");

pub(crate) const CALL: StepRule =
    StepRule("a lock that begins to wait for a server lock has a pending call");

pub(crate) const ACCESS: StepRule =
    StepRule("a client is permitted exactly the accesses that the rules permit");

pub(crate) const ANSWER: StepRule =
    StepRule("an answer of the file server has the effect that it grants");

pub(crate) const NEEDED_CALL: StepRule =
    StepRule("the locks need each call to the file server, and none is missing");

pub(crate) const REASSERTION: StepRule =
    StepRule("a client has its LOST locks again once the file server grants their lock");

pub(crate) const SERVER_LOCK: StepRule = StepRule("what the file server may hold is known");

pub(crate) const INDEX: StepRule = StepRule("the counts and the indices of a file have its locks");

pub(crate) const UNMODIFIED: StepRule =
    StepRule("a lock is reinstated only if its file has not been modified");

pub(crate) const GRANTED: StepRule =
    StepRule("a lock that was granted before its loss is not reinstated to wait");
