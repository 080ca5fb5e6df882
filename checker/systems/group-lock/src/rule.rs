//! The rules about single steps of a member and its callers.

use turnstile_world::StepRule;

pub(crate) const ORDER: StepRule =
    StepRule("a coordinator answers pending requests in FIFO order, each once");

pub(crate) const REFUSAL: StepRule = StepRule("a coordinator refuses only locks that are taken");

pub(crate) const EMPTY_ROUND: StepRule =
    StepRule("a coordinator begins a round without requests of an earlier one");

pub(crate) const PENDING_UNLOCK: StepRule = StepRule("an UNLOCK is pending until it is answered");

pub(crate) const EARLY: StepRule = StepRule("only a LOCK-INFO-REQ is kept for a later view");

pub(crate) const GROWTH: StepRule =
    StepRule("each grant of a coordinator has a greater token than the one before");

pub(crate) const LOSERS: StepRule =
    StepRule("a coordinator waits for a loser until that has acknowledged its loss");

pub(crate) const NOTIFIED_FIRST: StepRule =
    StepRule("a member acknowledges a loss after it has notified its caller");

pub(crate) const RETURN: StepRule = StepRule("a lock() call returns once");

pub(crate) const LOSS: StepRule = StepRule("a caller loses a lock only in a merge");
