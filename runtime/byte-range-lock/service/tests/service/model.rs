//! Random requests of a manager beside a model: what each byte has, and who waits, in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::thread;

use proptest::prelude::*;
use turnstile_byte_range_lock::{
    ByteRange, File, FileServer, LockError, LockRequest, LockType, Manager, Options, Owner, Reply,
    ServerLock, Ticket,
};
use turnstile_byte_range_lock_core::scenario::PROTOCOL;
use turnstile_host::Trace;
use turnstile_random::cases;
use turnstile_scenario::trace::replay;

/// A file server that grants everything at once.
#[derive(Clone, Debug, Default)]
struct Generous(Arc<Mutex<Granted>>);

/// What a server has granted, and how often it was released.
#[derive(Clone, Copy, Debug, Default)]
struct Granted {
    lock: Option<ServerLock>,
    releases: usize,
}

impl Generous {
    fn granted(&self) -> Granted {
        *self.0.lock().expect("nobody panics")
    }
}

impl FileServer for Generous {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        self.0.lock().expect("nobody panics").lock = Some(lock);
        reply.granted(lock, 0, None);
    }

    fn extend(&self, reply: Reply) {
        reply.extended(0, None);
    }

    fn release(&self, reply: Reply) {
        let mut granted = self.0.lock().expect("nobody panics");
        *granted = Granted { lock: None, releases: granted.releases + 1 };
        drop(granted);
        reply.released();
    }
}

const BYTES: usize = 12;
const OWNERS: u64 = 4;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Lock { owner: u64, kind: LockType, first: usize, last: usize, waits: bool },
    Unlock { owner: u64, first: usize, last: usize },
    Withdraw { owner: u64 },
    Leave { owner: u64 },
}

fn step() -> impl Strategy<Value = Operation> {
    let bytes = (0..BYTES).prop_flat_map(|first| (Just(first), first..BYTES));
    let kind = prop_oneof![Just(LockType::Shared), Just(LockType::Exclusive)];
    let lock = (0..OWNERS, kind, bytes.clone(), any::<bool>()).prop_map(
        |(owner, kind, (first, last), waits)| Operation::Lock { owner, kind, first, last, waits },
    );
    let unlock = (0..OWNERS, bytes).prop_map(|(owner, (first, last))| Operation::Unlock {
        owner,
        first,
        last,
    });
    let withdraw = (0..OWNERS).prop_map(|owner| Operation::Withdraw { owner });
    let leave = (0..OWNERS).prop_map(|owner| Operation::Leave { owner });
    prop_oneof![8 => lock, 5 => unlock, 1 => withdraw, 1 => leave]
}

/// A request that waits.
#[derive(Clone, Copy, Debug)]
struct Wait {
    owner: u64,
    kind: LockType,
    first: usize,
    last: usize,
}

/// What each byte has, and who waits.
#[derive(Debug, Default)]
struct Model {
    bytes: [BTreeMap<u64, LockType>; BYTES],
    queue: Vec<Wait>,
}

fn excludes(one: LockType, other: LockType) -> bool {
    one == LockType::Exclusive || other == LockType::Exclusive
}

impl Model {
    /// Whether a request is granted behind so many of those that wait.
    fn is_free(&self, wait: Wait, ahead: usize) -> bool {
        (wait.first..=wait.last).all(|byte| {
            let mut others = self.bytes[byte].iter().filter(|(owner, _)| **owner != wait.owner);
            let is_held = others.any(|(_, kind)| excludes(*kind, wait.kind));
            // What an owner has already is not asked for anew.
            let is_new = !self.bytes[byte].contains_key(&wait.owner);
            let mut earlier = self.queue[..ahead].iter().filter(|other| {
                (other.first..=other.last).contains(&byte) && excludes(other.kind, wait.kind)
            });
            let is_asked_for = is_new && earlier.any(|other| other.owner != wait.owner);
            !is_held && !is_asked_for
        })
    }

    fn put(&mut self, wait: Wait) {
        for byte in wait.first..=wait.last {
            self.bytes[byte].insert(wait.owner, wait.kind);
        }
    }

    fn release(&mut self, owner: u64, first: usize, last: usize) {
        for byte in &mut self.bytes[first..=last] {
            byte.remove(&owner);
        }
    }

    /// Grants those whose turn it is.
    fn grant(&mut self) {
        while let Some(next) = (0..self.queue.len()).find(|n| self.is_free(self.queue[*n], *n)) {
            let wait = self.queue.remove(next);
            self.put(wait);
        }
    }

    /// The owners that have a byte.
    fn held(&self) -> BTreeSet<u64> {
        self.bytes.iter().flat_map(|byte| byte.keys().copied()).collect()
    }

    /// The lock of the whole file that the bytes need.
    fn needs(&self) -> Option<ServerLock> {
        let mut kinds = self.bytes.iter().flat_map(BTreeMap::values).peekable();
        kinds.peek()?;
        let is_exclusive = kinds.any(|kind| *kind == LockType::Exclusive);
        Some(if is_exclusive { ServerLock::LockWrite } else { ServerLock::LockRead })
    }

    fn waits(&self, owner: u64) -> bool {
        self.queue.iter().any(|wait| wait.owner == owner)
    }
}

/// The manager, and the outcomes of its requests.
struct Real {
    manager: Manager,
    file: File,
    outcomes: Arc<Mutex<BTreeMap<u64, Result<(), LockError>>>>,
    tickets: BTreeMap<u64, Ticket>,
    server: Generous,
}

fn range(first: usize, last: usize) -> ByteRange {
    let [first, last] = [first, last].map(|byte| u64::try_from(byte).expect("it is small"));
    ByteRange::new(first, last - first + 1).expect("it has bytes")
}

impl Real {
    fn new(trace: Trace) -> Self {
        let manager = Manager::start(Options::default().trace(trace));
        let server = Generous::default();
        let file = manager.open(server.clone());
        Self { manager, file, outcomes: Arc::default(), tickets: BTreeMap::new(), server }
    }

    fn lock(&mut self, Wait { owner, kind, first, last }: Wait, waits: bool) {
        let outcomes = self.outcomes.clone();
        let range = range(first, last);
        let request = LockRequest { owner: Owner(owner), process: 0, range, kind, waits };
        let ticket = self.manager.request(&self.file, request, move |outcome| {
            outcomes.lock().expect("nobody panics").insert(owner, outcome);
        });
        self.tickets.extend(ticket.map(|ticket| (owner, ticket)));
    }

    /// The outcome of the last request of an owner, if it has one.
    fn outcome(&self, owner: u64) -> Option<Result<(), LockError>> {
        self.outcomes.lock().expect("nobody panics").remove(&owner)
    }

    /// The types that owners have of a byte.
    fn byte(&self, byte: usize) -> BTreeMap<u64, LockType> {
        let of = |owner: u64| {
            // Another owner would be refused exclusive bytes always, and shared ones if it writes.
            let asks = |kind| {
                let asks = Owner(OWNERS + 1);
                let found = self.manager.test(&self.file, asks, kind, range(byte, byte))?;
                (found.owner == Owner(owner)).then_some(found.kind)
            };
            asks(LockType::Exclusive).map(|kind| (owner, kind))
        };
        (0..OWNERS).filter_map(of).collect()
    }
}

/// Makes a step in both, and compares its outcome.
fn take(model: &mut Model, real: &mut Real, step: Operation) -> Result<(), TestCaseError> {
    match step {
        Operation::Lock { owner, kind, first, last, waits } => {
            let wait = Wait { owner, kind, first, last };
            real.lock(wait, waits);
            let is_free = model.is_free(wait, model.queue.len());
            let expected = match (is_free, waits) {
                (true, _) => Some(Ok(())),
                (false, false) => Some(Err(LockError::WouldBlock)),
                (false, true) => None,
            };
            prop_assert_eq!(real.outcome(owner), expected, "{:?}", step);
            if is_free {
                model.put(wait);
            } else if waits {
                model.queue.push(wait);
            }
        }
        Operation::Unlock { owner, first, last } => {
            let released = real.manager.unlock(&real.file, Owner(owner), range(first, last));
            prop_assert_eq!(released, Ok(()));
            model.release(owner, first, last);
        }
        Operation::Withdraw { owner } => {
            let is_waiting = model.waits(owner);
            let withdrawn = real.tickets.get(&owner).copied();
            let withdrawn = withdrawn.is_some_and(|ticket| real.manager.withdraw(ticket));
            prop_assert_eq!(withdrawn, is_waiting);
            let expected = is_waiting.then_some(Err(LockError::Withdrawn));
            prop_assert_eq!(real.outcome(owner), expected);
            model.queue.retain(|wait| wait.owner != owner);
        }
        Operation::Leave { owner } => {
            real.manager.owner_gone(&real.file, Owner(owner));
            let expected = model.waits(owner).then_some(Err(LockError::Withdrawn));
            prop_assert_eq!(real.outcome(owner), expected);
            model.queue.retain(|wait| wait.owner != owner);
            model.release(owner, 0, BYTES - 1);
        }
    }
    Ok(())
}

fn run(steps: &[Operation]) -> Result<(), TestCaseError> {
    let lines: Arc<Mutex<String>> = Arc::default();
    let noted = lines.clone();
    let trace = Trace::new("host 1", move |line| {
        noted.lock().expect("nobody panics").push_str(line);
    });
    let (mut model, mut real) = (Model::default(), Real::new(trace));
    for step in steps {
        let (held, before) = (model.held(), real.server.granted());
        let waiting: Vec<u64> = (0..OWNERS).filter(|owner| model.waits(*owner)).collect();
        // Who waits asks for nothing else.
        if let Operation::Lock { owner, .. } | Operation::Unlock { owner, .. } = *step
            && model.waits(owner)
        {
            continue;
        }
        take(&mut model, &mut real, *step)?;
        model.grant();
        for owner in waiting.into_iter().filter(|owner| !model.waits(*owner)) {
            let outcome = real.outcome(owner);
            prop_assert!(outcome.is_none_or(|outcome| outcome.is_ok()), "{outcome:?}");
        }
        compare(&model, &real, step)?;
        // The file server has what the locks need, and has it all the time.
        let after = real.server.granted();
        let (has, needs) = (after.lock, model.needs());
        // A request that waits to replace a lock keeps what it will need.
        let is_right = if model.queue.is_empty() { has == needs } else { has >= needs };
        prop_assert!(is_right, "{has:?}, not {needs:?}, after {step:?}");
        let is_held_on = held.iter().any(|owner| model.held().contains(owner));
        prop_assert!(!is_held_on || after.releases == before.releases, "released at {step:?}");
    }
    let replayed = replay(lines.lock().expect("nobody panics").as_bytes(), &[PROTOCOL]);
    let replayed = replayed.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(replayed.matches() && replayed.steps > 0, "{replayed:?}");
    Ok(())
}

/// Each byte has the same, as far as one owner's lock of it shows.
fn compare(model: &Model, real: &Real, step: &Operation) -> Result<(), TestCaseError> {
    for (byte, expected) in model.bytes.iter().enumerate() {
        let found = real.byte(byte);
        let is_same = found.iter().all(|(owner, kind)| expected.get(owner) == Some(kind));
        prop_assert!(
            is_same && found.is_empty() == expected.is_empty(),
            "byte {byte}: {found:?}, not {expected:?}, after {step:?}"
        );
    }
    for owner in 0..OWNERS {
        if model.waits(owner) {
            prop_assert_eq!(real.outcome(owner), None, "owner {} waits, after {:?}", owner, step);
        }
    }
    Ok(())
}

/// Each thread draws runs of its own: `TURNSTILE_SEED=N` repeats those of one.
#[test]
fn a_manager_does_what_the_model_does() {
    let runs = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        let _entered = runtime.enter();
        let steps = prop::collection::vec(step(), 1..40);
        cases(1_000, "-p turnstile-byte-range-lock --test service model::", &steps, |steps| {
            run(&steps)
        });
    };
    thread::scope(|scope| {
        scope.spawn(runs);
        scope.spawn(runs);
    });
}
