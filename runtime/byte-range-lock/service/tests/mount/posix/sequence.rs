//! A random sequence of calls, and the comparison of the answers.

use turnstile_host::Rng;

use crate::actor::{OK, PROCESS, SLOTS};
use crate::locks::Kind;
use crate::posix::call::{ActorCall, BETWEEN, Family, LockBytes, OpenAccess, Whence};
use crate::posix::generate::{Event, Theme, event};
use crate::posix::model::{ACTORS, ClaimedBytes, Model};
use crate::posix::sides::{KernelSide, LateAnswers, MountSide, Side};

/// How many events a sequence has.
const EVENTS: usize = 30;

/// What was compared, and what was not.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Calls whose answers were compared.
    pub(crate) compared: u64,
    /// Of them, those that had to wait.
    pub(crate) waited: u64,
    /// Requests that were refused for one that waits.
    pub(crate) delayed: u64,
    /// Calls that the kernel refused with `EDEADLK`.
    pub(crate) deadlocks: u64,
    /// Tests that name the same lock, and another process.
    pub(crate) processes: u64,
    /// Tests that name another lock.
    pub(crate) locks: u64,
}

/// Both files, with their actors.
pub(crate) struct Sides {
    kernel: KernelSide,
    mount: MountSide,
}

impl Sides {
    pub(crate) fn start() -> Self {
        Self { kernel: KernelSide::start(ACTORS), mount: MountSide::start(ACTORS) }
    }

    /// Runs the sequence of a seed. Returns what was wrong, after all calls and their answers.
    pub(crate) fn run(&mut self, seed: u64, counts: &mut Counts) -> Result<(), String> {
        let mut sequence = Sequence {
            sides: self,
            model: Model::default(),
            log: Vec::new(),
            has_child_locked: false,
            has_raced: false,
            counts,
        };
        let outcome = sequence.run(&mut Rng::seeded(seed));
        outcome.map_err(|wrong| format!("{}\n{wrong}", sequence.log.join("\n")))
    }
}

struct Sequence<'a> {
    sides: &'a mut Sides,
    model: Model,
    log: Vec<String>,
    /// Whether a child has requested a lock of an open file description.
    has_child_locked: bool,
    /// Whether requests have been granted at once, which the kernel does in any order.
    has_raced: bool,
    counts: &'a mut Counts,
}

impl Sequence<'_> {
    fn run(&mut self, rng: &mut Rng) -> Result<(), String> {
        let mut theme = Theme::random(rng);
        self.begin()?;
        for _ in 0..EVENTS {
            match event(rng, &mut theme, &self.model) {
                Event::Call(actor, call) => self.call(actor, &call)?,
                Event::Interrupt(actor) => self.interrupt(actor)?,
                Event::Kill(actor) => self.kill(actor)?,
            }
        }
        self.end()
    }

    /// Each actor opens the file, which is made empty.
    fn begin(&mut self) -> Result<(), String> {
        for actor in 0..ACTORS {
            self.call(actor, &ActorCall::Open { slot: 0, access: OpenAccess::Both })?;
        }
        self.call(0, &ActorCall::Truncate { slot: 0, size: 0 })
    }

    /// Each actor closes all that it has. Then nobody has a lock.
    fn end(&mut self) -> Result<(), String> {
        self.sides.mount.settle()?;
        self.nobody_else_is_answered()?;
        while let Some(actor) = self.model.actors(true).first().copied() {
            self.interrupt(actor)?;
        }
        for actor in 0..ACTORS {
            for slot in self.model.slots(actor, true) {
                self.call(actor, &ActorCall::Close { slot })?;
            }
        }
        let slot = SLOTS - 1;
        let bytes = LockBytes { kind: Kind::Write, whence: Whence::Set, start: 0, length: 0 };
        let all = ActorCall::Lock { slot, family: Family::Process, waits: false, bytes };
        self.call(0, &ActorCall::Open { slot, access: OpenAccess::Both })?;
        self.call(0, &all)?;
        self.call(0, &ActorCall::Flock { slot, waits: false, kind: Kind::Write })?;
        self.call(0, &ActorCall::Close { slot })
    }

    fn call(&mut self, actor: usize, call: &ActorCall) -> Result<(), String> {
        let claim = self.model.claim(actor, false, call);
        if let Some(claim) = claim.filter(|claim| self.model.is_delayed(claim)) {
            return self.delayed(actor, call, claim);
        }
        let waiting = self.model.actors(true);
        self.log.push(format!("actor {actor}: {call}"));
        let (answer, others) = self.answer_of_kernel(actor, call, waiting)?;
        if answer.as_deref() == Some("EDEADLK") {
            self.counts.deadlocks += 1;
            self.log_answer("EDEADLK, and the mount is not asked");
            return self.answered(others);
        }
        self.counts.compared += 1;
        self.has_child_locked |= matches!(call, ActorCall::Fork(calls) if has_shared_lock(calls));
        self.sides.mount.side.actors[actor].send(call);
        if let Some(answer) = answer {
            self.log_answer(&named(&self.sides.kernel.side, &answer));
            self.compare(actor, call, &answer)?;
            self.apply(actor, call, &answer);
        } else {
            self.counts.waited += 1;
            self.log_answer("waits");
            let wrong = self.sides.mount.expect_wait(actor);
            wrong.map_err(|wrong| format!("the mount answers actor {actor}: {wrong}"))?;
            let claim = claim.expect("a call that waits is for a lock");
            self.forget_flock(&claim);
            self.model.waiting[actor] = Some(claim);
        }
        if matches!(call, ActorCall::Close { .. }) {
            self.sides.mount.settle()?;
        }
        self.answered(others)
    }

    /// The answer to a call, unless it waits, and those to others that are no longer in the way.
    fn answer_of_kernel(
        &mut self,
        actor: usize,
        call: &ActorCall,
        mut waiting: Vec<usize>,
    ) -> Result<(Option<String>, LateAnswers), String> {
        let kernel = &mut self.sides.kernel;
        kernel.side.actors[actor].send(call);
        if !call.waits() {
            let answer = kernel.side.actors[actor].answer();
            let answer = answer.map_err(|wrong| format!("the kernel: {wrong}"))?;
            return Ok((Some(answer), kernel.settle(waiting)?));
        }
        waiting.push(actor);
        let mut answers = kernel.settle(waiting)?;
        let own = answers.iter().position(|(other, _)| *other == actor);
        Ok((own.map(|own| answers.remove(own).1), answers))
    }

    /// A request for which one that waits is in the way, by the document and not for the kernel.
    fn delayed(
        &mut self,
        actor: usize,
        call: &ActorCall,
        claim: ClaimedBytes,
    ) -> Result<(), String> {
        self.counts.delayed += 1;
        self.log.push(format!("actor {actor}: {call} -> to be refused for one that waits"));
        let mut others = Vec::new();
        if let ActorCall::Flock { slot, .. } = call {
            let unlock = ActorCall::Flock { slot: *slot, waits: false, kind: Kind::Unlock };
            let waiting = self.model.actors(true);
            let (answer, answers) = self.answer_of_kernel(actor, &unlock, waiting)?;
            assert_eq!(answer.as_deref(), Some(OK), "the kernel releases a lock");
            others = answers;
            self.forget_flock(&claim);
        }
        self.sides.mount.side.actors[actor].send(call);
        self.compare(actor, call, REFUSED)?;
        self.answered(others)
    }

    /// Compares the answer to a call with that of the mount.
    fn compare(&mut self, actor: usize, call: &ActorCall, kernel: &str) -> Result<(), String> {
        let answer = self.sides.mount.side.actors[actor].answer();
        let answer = answer.map_err(|wrong| format!("the mount, actor {actor}: {wrong}"))?;
        let is_same = match call {
            ActorCall::Fork(calls) => {
                let answers = kernel.split(BETWEEN).zip(answer.split(BETWEEN));
                answers.clone().count() == calls.len()
                    && calls
                        .iter()
                        .zip(answers)
                        .all(|(call, (kernel, mount))| self.is_same(call, kernel, mount))
            }
            ActorCall::Open { .. }
            | ActorCall::Dup { .. }
            | ActorCall::Close { .. }
            | ActorCall::Seek { .. }
            | ActorCall::Truncate { .. }
            | ActorCall::Lock { .. }
            | ActorCall::Test { .. }
            | ActorCall::Flock { .. } => self.is_same(call, kernel, &answer),
        };
        let named = |side: &Side, answer| named(side, answer);
        if is_same {
            return Ok(());
        }
        Err(format!(
            "actor {actor}, {call}:\n  kernel: {}\n  mount:  {}",
            named(&self.sides.kernel.side, kernel),
            named(&self.sides.mount.side, &answer),
        ))
    }

    fn is_same(&mut self, call: &ActorCall, kernel: &str, mount: &str) -> bool {
        let Some(((lock, by), (mount_lock, mount_by))) =
            kernel.split_once(PROCESS).zip(mount.split_once(PROCESS))
        else {
            return kernel == mount;
        };
        let ActorCall::Test { family, .. } = call else { return false };
        if lock != mount_lock && self.has_raced {
            self.counts.locks += 1;
            return true;
        }
        let by_actor = self.sides.kernel.side.actor_of(by);
        let is_same_process = match family {
            // What the kernel makes of a file system's answer to `F_OFD_GETLK`.
            Family::Description => mount_by == NO_PROCESS,
            // Of a description's lock, the file system knows who has requested it: an actor, or a
            // child. That is the one that tests, or the kernel has 0 for it, since it has ended.
            Family::Process if by == NO_PROCESS => {
                self.sides.mount.side.actor_of(mount_by).is_some()
                    || (self.has_child_locked && mount_by.parse::<u32>().is_ok())
            }
            Family::Process => {
                by_actor.is_some() && by_actor == self.sides.mount.side.actor_of(mount_by)
            }
        };
        let is_explained = *family == Family::Description || by == NO_PROCESS;
        self.counts.processes += u64::from(is_explained && by != mount_by);
        lock == mount_lock && is_same_process
    }

    /// Keeps what a call has changed.
    fn apply(&mut self, actor: usize, call: &ActorCall, answer: &str) {
        if let ActorCall::Fork(calls) = call {
            for (call, answer) in calls.iter().zip(answer.split(BETWEEN)) {
                self.apply_one(actor, true, call, answer);
            }
        } else {
            self.apply_one(actor, false, call, answer);
        }
    }

    fn apply_one(&mut self, actor: usize, is_child: bool, call: &ActorCall, answer: &str) {
        if answer == OK {
            self.model.succeeded(actor, is_child, call);
        } else if answer == REFUSED
            && let Some(claim) = self.model.claim(actor, is_child, call)
        {
            self.forget_flock(&claim);
        }
    }

    /// The lock of `flock` is released before one of another type is requested.
    fn forget_flock(&mut self, claim: &ClaimedBytes) {
        if claim.is_flock() {
            self.model.set(ClaimedBytes { kind: Kind::Unlock, ..*claim });
        }
    }

    /// Calls that have waited are answered, and so they are by the mount. No others are.
    fn answered(&mut self, answers: LateAnswers) -> Result<(), String> {
        self.has_raced |= answers.len() > 1;
        for (actor, answer) in answers {
            let claim = self.model.waiting[actor].take();
            let claim = claim.expect("only calls that waited are answered later");
            self.log.push(format!("    and actor {actor}, which has waited: {answer}"));
            let mount = &self.sides.mount.side.actors[actor];
            let mut expected = answer.as_str();
            if answer == "EDEADLK" {
                self.counts.deadlocks += 1;
                mount.interrupt();
                expected = "EINTR";
            }
            let found = mount.answer();
            let wrong = |wrong| format!("the mount, actor {actor}, which has waited: {wrong}");
            let found = found.map_err(wrong)?;
            if found != expected {
                return Err(wrong(found));
            }
            if answer == OK {
                self.model.set(claim);
            }
        }
        self.nobody_else_is_answered()
    }

    fn nobody_else_is_answered(&self) -> Result<(), String> {
        let waiting = self.model.actors(true).into_iter();
        let mut early = waiting.filter_map(|actor| {
            let answer = self.sides.mount.side.actors[actor].answer_now()?;
            Some(format!("the mount answers actor {actor}, which should wait: {answer}"))
        });
        early.next().map_or(Ok(()), Err)
    }

    fn interrupt(&mut self, actor: usize) -> Result<(), String> {
        self.log.push(format!("actor {actor} is interrupted"));
        self.counts.compared += 1;
        self.sides.kernel.side.actors[actor].interrupt();
        let answer = self.sides.kernel.side.actors[actor].answer()?;
        self.log_answer(&answer);
        self.nobody_else_is_answered()?;
        self.sides.mount.side.actors[actor].interrupt();
        let found = self.sides.mount.side.actors[actor].answer();
        let found = found.map_err(|wrong| format!("the mount, actor {actor}: {wrong}"))?;
        self.model.waiting[actor] = None;
        if found != answer {
            return Err(format!("the mount, actor {actor}, when it is interrupted: {found}"));
        }
        let others = self.sides.kernel.settle(self.model.actors(true))?;
        self.answered(others)
    }

    fn kill(&mut self, actor: usize) -> Result<(), String> {
        self.log.push(format!("actor {actor} is killed"));
        self.counts.compared += 1;
        self.model.killed(actor);
        self.sides.kernel.side.replace(actor)?;
        let others = self.sides.kernel.settle(self.model.actors(true))?;
        self.sides.mount.side.replace(actor).map_err(|wrong| format!("the mount: {wrong}"))?;
        self.sides.mount.settle()?;
        self.answered(others)
    }

    fn log_answer(&mut self, answer: &str) {
        let call = self.log.last_mut().expect("each answer is to a call");
        call.push_str(" -> ");
        call.push_str(answer);
    }
}

/// The answer to a request that does not wait.
const REFUSED: &str = "EAGAIN";

/// Whether a child requests locks of a description that it shares with its parent.
fn has_shared_lock(calls: &[ActorCall]) -> bool {
    let is_shared =
        |call: &ActorCall| matches!(call, ActorCall::Lock { family: Family::Description, .. });
    calls.iter().any(is_shared)
}

/// What `F_GETLK` has in the place of a process where there is none to name.
const NO_PROCESS: &str = "-1";

/// An answer, with the actor in the place of its process.
fn named(side: &Side, answer: &str) -> String {
    let Some((lock, process)) = answer.split_once(PROCESS) else { return answer.into() };
    let actor = side.actor_of(process).map_or_else(|| process.into(), |it| format!("actor {it}"));
    format!("{lock}{PROCESS}{actor}")
}
