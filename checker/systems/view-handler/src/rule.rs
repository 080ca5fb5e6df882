//! The rules about single steps of a member, and about what its user sees of them.

use turnstile_world::StepRule;

pub(crate) const ANSWER_MERGE_REQ: StepRule = StepRule("a MERGE-REQ is answered");

pub(crate) const PROCESS_QUEUE: StepRule =
    StepRule("a MERGE starts the processing of queued events");

pub(crate) const GIVE_UP: StepRule =
    StepRule("a member gives up the installation of a view that failed");

pub(crate) const WAIT_FOR_LEADER: StepRule =
    StepRule("only a view without the merge leader ends the wait for the end of a merge");

pub(crate) const SUSPECT: StepRule = StepRule("a member suspects one that has a view without it");

pub(crate) const RESUME: StepRule = StepRule("a Resumer resumes the handler");

pub(crate) const INSTALL_FIRST: StepRule =
    StepRule("a view is installed before the handler is resumed");

pub(crate) const INSTALL_NEWER: StepRule = StepRule(
    "a member installs of others only views that are newer than the one that it made, and an \
     older one interrupts nothing",
);

pub(crate) const SAY: StepRule = StepRule(
    "a member asks to leave, tells that the state has arrived, and confirms only a view that it \
     has installed",
);

pub(crate) const OWN_RESUME: StepRule = StepRule("a suspension is ended by an event of it");

pub(crate) const OWN_MERGE: StepRule =
    StepRule("a coord installs only a merge view made from its present view");

pub(crate) const GREATER_NUMBER: StepRule =
    StepRule("the number of a view is greater than that of the previous one");

pub(crate) const EXCLUSION: StepRule =
    StepRule("a member installs a view without another one only if one of them has parted");

pub(crate) const ENTRY: StepRule =
    StepRule("a member of no group installs a view only if it has asked to join");
