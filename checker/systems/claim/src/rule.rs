//! The rules about single steps of clients, keychains and the server, and about what their users
//! see of them.

use turnstile_world::StepRule;

pub(crate) const FAILURE: StepRule =
    StepRule("a failure ends the claim, and its user is told the status");

pub(crate) const ENDING: StepRule = StepRule("a final state says how the claim ended");

pub(crate) const TIME_TO_GIVE_UP: StepRule =
    StepRule("a claim that is given up has its own time for that");

pub(crate) const OBEDIENCE: StepRule = StepRule("a signal or a release gives the claim up");

pub(crate) const GRANT: StepRule =
    StepRule("a grant in time is taken, and one that is late is not");

pub(crate) const RECALL: StepRule = StepRule("only a claim that the server may have is recalled");

pub(crate) const REGISTRATION: StepRule =
    StepRule("a client knows whether the server may have its claim");

pub(crate) const KEY: StepRule = StepRule("a POST carries the key of its claim");

pub(crate) const OTHER_CLAIM: StepRule =
    StepRule("the end of another claim changes nothing about this one");

pub(crate) const ABANDONED: StepRule =
    StepRule("the answer to an abandoned request changes nothing");

pub(crate) const KNOWN_END: StepRule =
    StepRule("a client that is notified of the end of its claim holds no lock");

pub(crate) const FIFO: StepRule = StepRule("no claim becomes active before an older one");

pub(crate) const FREE_LOCK: StepRule = StepRule("no request waits unless a claim is active");

pub(crate) const OLDEST_DELETED: StepRule =
    StepRule("a finished claim is deleted, with its key, after all older ones");

pub(crate) const ANSWER: StepRule =
    StepRule("a request gets the answer that the protocol promises, now or later");

pub(crate) const STATUS: StepRule =
    StepRule("the status of a claim is what the protocol makes of the step");

pub(crate) const TIMER: StepRule =
    StepRule("a timer of a claim counts from the moment that the protocol says");

pub(crate) const ANNOUNCEMENT: StepRule =
    StepRule("the end of a lease is announced, and nothing else is");

pub(crate) const SAVE: StepRule = StepRule("a restart finds each claim as it was");

pub(crate) const NEW_ID: StepRule = StepRule("the id of a claim is greater than all before it");

pub(crate) const TOKEN: StepRule =
    StepRule("each grant has a fencing token that is greater than all before it");

pub(crate) const NEWEST_TOKEN: StepRule =
    StepRule("the store accepts an act with the newest fencing token");

pub(crate) const ACTS: StepRule =
    StepRule("the store accepts no act of a client after one of another, under one grant");

pub(crate) const ONE_RETURN: StepRule = StepRule("a claim() call returns once");

pub(crate) const LOSS: StepRule = StepRule("a loss is not reported as a release");
