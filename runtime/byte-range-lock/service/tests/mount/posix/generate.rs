//! Random calls, of few bytes, so that they collide.

use std::collections::VecDeque;

use turnstile_host::Rng;

use crate::locks::Kind;
use crate::posix::call::{ActorCall, Family, LockBytes, OpenAccess, Whence};
use crate::posix::model::{ClaimedBytes, LAST, Model};

/// What happens next.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Call(usize, ActorCall),
    /// A signal ends the wait of an actor.
    Interrupt(usize),
    Kill(usize),
}

/// What most calls of a sequence are about.
#[derive(Clone, Debug)]
pub(crate) struct Theme {
    /// How many of a hundred calls are `flock`.
    flock: u64,
    /// How many of a hundred locks are of open file descriptions.
    description: u64,
    /// Of how many bytes.
    bytes: u64,
    /// The last ranges, which are used again: with another type, they are up- and downgrades.
    recent: VecDeque<LockBytes>,
}

/// How many ranges are used again.
const RECENT: usize = 6;

impl Theme {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        Self {
            flock: pick(rng, &[6, 6, 6, 50]),
            description: pick(rng, &[20, 20, 60]),
            bytes: pick(rng, &[16, 16, 5]),
            recent: VecDeque::new(),
        }
    }
}

/// How many calls a child makes at most.
const CHILD_CALLS: u64 = 4;

/// A random number below another one.
pub(crate) fn below(rng: &mut Rng, end: u64) -> u64 {
    rng.number() % end
}

/// One of several.
pub(crate) fn pick<T: Clone>(rng: &mut Rng, all: &[T]) -> T {
    let count = u64::try_from(all.len()).expect("there are few");
    let at = usize::try_from(below(rng, count)).expect("there are few");
    all[at].clone()
}

fn slot_of(rng: &mut Rng, slots: &[usize]) -> usize {
    // The first slot is used more often, so that locks of one owner meet.
    if rng.chance(0.4) { slots[0] } else { pick(rng, slots) }
}

/// What happens next to actors like these.
pub(crate) fn event(rng: &mut Rng, theme: &mut Theme, model: &Model) -> Event {
    let (waiting, free) = (model.actors(true), model.actors(false));
    if free.is_empty() || (!waiting.is_empty() && rng.chance(0.08)) {
        let actor = pick(rng, &waiting);
        return if rng.chance(0.3) { Event::Kill(actor) } else { Event::Interrupt(actor) };
    }
    let actor = pick(rng, &free);
    if rng.chance(0.01) {
        return Event::Kill(actor);
    }
    let call = call(rng, theme, model, actor);
    // Which of two that cannot both be granted is the first is for the other test, also where the
    // kernel grants one at once.
    let meets = |waiting: &ClaimedBytes| {
        model.claim(actor, false, &call).is_some_and(|it| it.conflicts(waiting))
    };
    let meets_one = model.waiting.iter().flatten().any(meets);
    Event::Call(actor, if meets_one { call.without_waiting() } else { call })
}

fn call(rng: &mut Rng, theme: &mut Theme, model: &Model, actor: usize) -> ActorCall {
    let (open, closed) = (model.slots(actor, true), model.slots(actor, false));
    if open.is_empty() {
        return ActorCall::Open { slot: closed[0], access: OpenAccess::Both };
    }
    let slot = slot_of(rng, &open);
    match below(rng, 100) {
        0..3 if !closed.is_empty() => {
            let both = OpenAccess::Both;
            let accesses = [both, both, OpenAccess::ReadOnly, OpenAccess::WriteOnly];
            ActorCall::Open { slot: pick(rng, &closed), access: pick(rng, &accesses) }
        }
        3..5 if !closed.is_empty() => ActorCall::Dup { slot, to: pick(rng, &closed) },
        5..8 => ActorCall::Close { slot: pick(rng, &open) },
        8..12 => ActorCall::Fork(child_calls(rng, theme, model, actor)),
        roll if roll < 12 + theme.flock => flock(rng, slot, true),
        _ => with_bytes(rng, theme, slot),
    }
}

fn flock(rng: &mut Rng, slot: usize, may_wait: bool) -> ActorCall {
    let waits = may_wait && rng.chance(0.4);
    ActorCall::Flock { slot, waits, kind: kind(rng) }
}

/// A call about bytes, or of what they are counted from.
fn with_bytes(rng: &mut Rng, theme: &mut Theme, slot: usize) -> ActorCall {
    let is_shared = below(rng, 100) < theme.description;
    let family = if is_shared { Family::Description } else { Family::Process };
    match below(rng, 100) {
        0..4 => ActorCall::Seek { slot, to: below(rng, theme.bytes) },
        4..7 => ActorCall::Truncate { slot, size: below(rng, theme.bytes) },
        7..25 => ActorCall::Test { slot, family, bytes: bytes(rng, theme) },
        _ => ActorCall::Lock { slot, family, waits: rng.chance(0.45), bytes: bytes(rng, theme) },
    }
}

fn kind(rng: &mut Rng) -> Kind {
    pick(rng, &[Kind::Read, Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Unlock])
}

fn signed(rng: &mut Rng, count: u64) -> i64 {
    i64::try_from(below(rng, count)).expect("it is small")
}

fn bytes(rng: &mut Rng, theme: &mut Theme) -> LockBytes {
    let kind = kind(rng);
    if !theme.recent.is_empty() && rng.chance(0.3) {
        return LockBytes { kind, ..pick(rng, theme.recent.make_contiguous()) };
    }
    let count = theme.bytes;
    let whence = match below(rng, 10) {
        0 => Whence::Cur,
        1 => Whence::End,
        _ => Whence::Set,
    };
    let is_far = rng.chance(0.06);
    let start = match whence {
        _ if is_far => i64::try_from(LAST).expect("it is the greatest") - signed(rng, count),
        Whence::Set => signed(rng, count + 1),
        Whence::Cur | Whence::End => signed(rng, count + 1) - signed(rng, count / 2 + 1),
    };
    let length = match below(rng, 12) {
        0 => 0,
        1 | 2 => -1 - signed(rng, count / 2),
        _ => 1 + signed(rng, count / 2),
    };
    let bytes = LockBytes { kind, whence, start, length };
    theme.recent.truncate(RECENT - 1);
    theme.recent.push_front(bytes);
    bytes
}

/// Calls that wait for nobody, and that no request that waits is in the way of. They release
/// nothing that a request waits for, since a child does not wait to see who gets it.
fn child_calls(rng: &mut Rng, theme: &mut Theme, model: &Model, actor: usize) -> Vec<ActorCall> {
    let open = model.slots(actor, true);
    let is_awaited = !model.actors(true).is_empty();
    let mut calls = Vec::new();
    for _ in 0..=below(rng, CHILD_CALLS) {
        let slot = slot_of(rng, &open);
        let call = match below(rng, 10) {
            0 | 1 => ActorCall::Close { slot },
            2 => flock(rng, slot, false),
            _ => with_bytes(rng, theme, slot).without_waiting(),
        };
        let is_shared = match &call {
            ActorCall::Flock { .. } => true,
            ActorCall::Lock { family, .. } => *family == Family::Description,
            ActorCall::Open { .. }
            | ActorCall::Dup { .. }
            | ActorCall::Close { .. }
            | ActorCall::Seek { .. }
            | ActorCall::Truncate { .. }
            | ActorCall::Test { .. }
            | ActorCall::Fork(_) => false,
        };
        let is_delayed = model.claim(actor, true, &call).is_some_and(|it| model.is_delayed(&it));
        // Where bytes are changes with these, and then so does what is in the way.
        let is_movable = matches!(call, ActorCall::Seek { .. } | ActorCall::Truncate { .. });
        if !(is_awaited && (is_shared || is_delayed || is_movable)) {
            calls.push(call);
        }
    }
    if calls.is_empty() {
        calls.push(ActorCall::Close { slot: open[0] });
    }
    calls
}
