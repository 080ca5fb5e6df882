//! Requests that wait for each other: granted in the order of their arrival, on the mount alone.
//!
//! The expectation is the document's rule: a request is granted when no earlier one of another
//! owner, granted or not, conflicts with it. Owners request only bytes that they do not have.

use turnstile_host::Rng;

use crate::actor::OK;
use crate::locks::Kind;
use crate::posix::call::{ActorCall, Family, LockBytes, OpenAccess, Whence};
use crate::posix::generate::{below, pick};
use crate::posix::model::{ClaimedBytes, Holder};
use crate::posix::sides::MountSide;

const ACTORS: usize = 6;

/// How many events a sequence has.
const EVENTS: usize = 30;

/// How many bytes there are.
const BYTES: u64 = 8;

/// A file of a mount, and its actors.
pub(crate) struct Queue {
    mount: MountSide,
}

/// A request, which is granted or waits.
#[derive(Clone, Copy, Debug)]
struct Queued {
    claim: ClaimedBytes,
    is_granted: bool,
}

impl Queued {
    fn is_of(&self, actor: usize) -> bool {
        self.claim.holder == Holder::Process(actor)
    }
}

/// A sequence of calls.
struct Run<'a> {
    mount: &'a mut MountSide,
    /// By which locks all bytes are locked.
    lock_family: LockFamily,
    queued: Vec<Queued>,
    log: Vec<String>,
    calls: &'a mut u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockFamily {
    Fcntl(Family),
    Flock,
}

impl Queue {
    pub(crate) fn start() -> Self {
        Self { mount: MountSide::start(ACTORS) }
    }

    /// Runs the sequence of a seed. Returns what was wrong, after all calls.
    pub(crate) fn run(&mut self, seed: u64, calls: &mut u64) -> Result<(), String> {
        let mut rng = Rng::seeded(seed);
        let (process, description) =
            (LockFamily::Fcntl(Family::Process), LockFamily::Fcntl(Family::Description));
        let lock_family = pick(&mut rng, &[process, process, description, LockFamily::Flock]);
        let (queued, log) = (Vec::new(), vec![format!("{lock_family:?}")]);
        let mut run = Run { mount: &mut self.mount, lock_family, queued, log, calls };
        let outcome = run.run(&mut rng);
        outcome.map_err(|wrong| format!("{}\n{wrong}", run.log.join("\n")))
    }
}

impl Run<'_> {
    fn run(&mut self, rng: &mut Rng) -> Result<(), String> {
        for actor in 0..ACTORS {
            self.open(actor)?;
        }
        for _ in 0..EVENTS {
            let actor = pick(rng, &std::array::from_fn::<_, ACTORS, _>(|actor| actor));
            let waits = self.queued.iter().any(|it| it.is_of(actor) && !it.is_granted);
            let holds = self.queued.iter().any(|it| it.is_of(actor));
            match below(rng, 10) {
                0 if waits => self.interrupt(actor)?,
                0 => self.kill(actor)?,
                1 if waits => self.kill(actor)?,
                _ if waits => {}
                1..4 if holds => self.unlock(rng, actor)?,
                4 if holds => {
                    self.close(actor)?;
                    self.open(actor)?;
                }
                _ => self.request(rng, actor)?,
            }
        }
        self.end()
    }

    fn end(&mut self) -> Result<(), String> {
        while let Some(waiting) = self.queued.iter().find(|it| !it.is_granted).copied() {
            let actor = (0..ACTORS).find(|actor| waiting.is_of(*actor));
            self.interrupt(actor.expect("each request is of an actor"))?;
        }
        (0..ACTORS).try_for_each(|actor| self.close(actor))
    }

    /// A call for a lock of these bytes.
    fn lock_call(&self, kind: Kind, first: u64, last: u64, waits: bool) -> ActorCall {
        let signed = |byte: u64| i64::try_from(byte).expect("it is small");
        match self.lock_family {
            LockFamily::Flock => ActorCall::Flock { slot: 0, waits, kind },
            LockFamily::Fcntl(family) => {
                let (start, length) = (signed(first), signed(last - first + 1));
                let bytes = LockBytes { kind, whence: Whence::Set, start, length };
                ActorCall::Lock { slot: 0, family, waits, bytes }
            }
        }
    }

    fn range(&self, rng: &mut Rng) -> (u64, u64) {
        if self.lock_family == LockFamily::Flock {
            return (0, 0);
        }
        let first = below(rng, BYTES);
        (first, (first + below(rng, 4)).min(BYTES - 1))
    }

    fn request(&mut self, rng: &mut Rng, actor: usize) -> Result<(), String> {
        let ((first, last), kind) = (self.range(rng), pick(rng, &[Kind::Read, Kind::Write]));
        let claim = ClaimedBytes { holder: Holder::Process(actor), kind, first, last };
        let is_own =
            |it: &Queued| it.is_of(actor) && it.claim.first <= last && first <= it.claim.last;
        if self.queued.iter().any(is_own) {
            return Ok(());
        }
        let waits = rng.chance(0.8);
        let call = self.lock_call(kind, first, last, waits);
        let is_free = !self.queued.iter().any(|it| it.claim.conflicts(&claim));
        if is_free || !waits {
            self.call(actor, &call, if is_free { OK } else { "EAGAIN" })?;
        } else {
            self.log.push(format!("actor {actor}: {call} -> waits"));
            *self.calls += 1;
            self.mount.side.actors[actor].send(&call);
            let wrong = self.mount.expect_wait(actor);
            wrong.map_err(|wrong| format!("the mount answers actor {actor}: {wrong}"))?;
        }
        if is_free || waits {
            self.queued.push(Queued { claim, is_granted: is_free });
        }
        Ok(())
    }

    fn unlock(&mut self, rng: &mut Rng, actor: usize) -> Result<(), String> {
        let (first, last) = self.range(rng);
        let call = self.lock_call(Kind::Unlock, first, last, false);
        self.call(actor, &call, OK)?;
        let mut queued = Vec::new();
        for old in self.queued.drain(..) {
            let claim = old.claim;
            if !old.is_of(actor) || claim.last < first || last < claim.first {
                queued.push(old);
                continue;
            }
            if claim.first < first {
                queued.push(Queued { claim: ClaimedBytes { last: first - 1, ..claim }, ..old });
            }
            if claim.last > last {
                queued.push(Queued { claim: ClaimedBytes { first: last + 1, ..claim }, ..old });
            }
        }
        self.queued = queued;
        self.granted()
    }

    fn open(&mut self, actor: usize) -> Result<(), String> {
        self.call(actor, &ActorCall::Open { slot: 0, access: OpenAccess::Both }, OK)
    }

    fn close(&mut self, actor: usize) -> Result<(), String> {
        self.call(actor, &ActorCall::Close { slot: 0 }, OK)?;
        self.gone(actor)
    }

    fn kill(&mut self, actor: usize) -> Result<(), String> {
        self.log.push(format!("actor {actor} is killed"));
        self.mount.side.replace(actor)?;
        self.gone(actor)?;
        self.open(actor)
    }

    fn interrupt(&mut self, actor: usize) -> Result<(), String> {
        self.log.push(format!("actor {actor} is interrupted"));
        self.mount.side.actors[actor].interrupt();
        self.expect(actor, "EINTR")?;
        self.queued.retain(|it| it.is_granted || !it.is_of(actor));
        self.granted()
    }

    fn gone(&mut self, actor: usize) -> Result<(), String> {
        self.queued.retain(|it| !it.is_of(actor));
        self.granted()
    }

    /// Requests are granted for which nothing is in the way any more, and no others are.
    fn granted(&mut self) -> Result<(), String> {
        for at in 0..self.queued.len() {
            let (earlier, later) = self.queued.split_at_mut(at);
            let it = &mut later[0];
            if it.is_granted || earlier.iter().any(|other| other.claim.conflicts(&it.claim)) {
                continue;
            }
            it.is_granted = true;
            let granted = *it;
            let actor = (0..ACTORS).find(|actor| granted.is_of(*actor));
            let actor = actor.expect("each request is of an actor");
            self.log.push(format!("    and actor {actor}, which has waited, is granted it"));
            self.expect(actor, OK)?;
        }
        self.mount.settle()?;
        for actor in 0..ACTORS {
            if let Some(answer) = self.mount.side.actors[actor].answer_now() {
                return Err(format!("the mount answers actor {actor}, out of turn: {answer}"));
            }
        }
        Ok(())
    }

    fn call(&mut self, actor: usize, call: &ActorCall, answer: &str) -> Result<(), String> {
        self.log.push(format!("actor {actor}: {call} -> {answer}"));
        self.mount.side.actors[actor].send(call);
        self.expect(actor, answer)
    }

    fn expect(&mut self, actor: usize, answer: &str) -> Result<(), String> {
        *self.calls += 1;
        let found = self.mount.side.actors[actor].answer();
        let wrong = |wrong| format!("the mount, actor {actor}: {wrong}");
        let found = found.map_err(wrong)?;
        if found == answer { Ok(()) } else { Err(wrong(found)) }
    }
}
