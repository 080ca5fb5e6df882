//! Random requests of two managers of one file, whose lock is one of the operating system: when
//! nobody keeps a lock, every request is granted, and then nothing of the file is locked.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use proptest::prelude::*;
use turnstile_byte_range_lock::local::LocalFile;
use turnstile_byte_range_lock::{
    ByteRange, File, LockError, LockRequest, LockType, Manager, Options, Owner, PlainFile, Ticket,
};
use turnstile_random::cases;

/// How long anything may take that is to happen at once.
const SOON: Duration = Duration::from_secs(10);

/// An owner of locks, and its manager.
type Who = (usize, u64);

#[derive(Clone, Copy, Debug)]
enum Act {
    Lock { kind: LockType, byte: u64, waits: bool },
    Unlock,
    Withdraw,
    Leave,
}

fn step() -> impl Strategy<Value = (Who, Act)> {
    let kind = prop_oneof![Just(LockType::Shared), Just(LockType::Exclusive)];
    let lock = (kind, 0..3_u64, prop::bool::weighted(0.8))
        .prop_map(|(kind, byte, waits)| Act::Lock { kind, byte, waits });
    let act = prop_oneof![
        8 => lock, 3 => Just(Act::Unlock), 1 => Just(Act::Withdraw), 1 => Just(Act::Leave)
    ];
    ((0..2_usize, 0..3_u64), act)
}

/// Two managers of a file.
struct Pair {
    path: PathBuf,
    managers: [Manager; 2],
    files: [File; 2],
    told: Sender<(Who, Result<(), LockError>)>,
    outcomes: Receiver<(Who, Result<(), LockError>)>,
    /// The requests without an outcome.
    waiting: BTreeMap<Who, Option<Ticket>>,
}

impl Pair {
    fn new() -> Self {
        let name = format!("turnstile-{}-{:?}", std::process::id(), thread::current().id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, "").expect("a file");
        let managers = [(); 2].map(|()| Manager::start(Options::default()));
        let open = |n: usize| managers[n].open(LocalFile::new(PlainFile(path.clone())));
        let files = [0, 1].map(open);
        let (told, outcomes) = mpsc::channel();
        Self { path, managers, files, told, outcomes, waiting: BTreeMap::new() }
    }

    fn unlock(&self, (n, owner): Who) {
        let all = ByteRange::ALL;
        self.managers[n].unlock(&self.files[n], Owner(owner), all).expect("no lock is lost");
    }

    fn act(&mut self, who: Who, act: Act) {
        let (n, owner) = who;
        match act {
            // Who waits asks for nothing else.
            Act::Lock { .. } | Act::Unlock if self.waiting.contains_key(&who) => {}
            Act::Lock { kind, byte, waits } => {
                let (owner, range) = (Owner(owner), ByteRange::byte(byte));
                let request = LockRequest { owner, process: 0, range, kind, waits };
                let told = self.told.clone();
                let ticket = self.managers[n].request(&self.files[n], request, move |outcome| {
                    told.send((who, outcome)).expect("the test hears it");
                });
                self.waiting.insert(who, ticket);
            }
            Act::Unlock => self.unlock(who),
            Act::Withdraw => {
                let ticket = self.waiting.get(&who).copied().flatten();
                ticket.map(|ticket| self.managers[n].withdraw(ticket));
            }
            Act::Leave => self.managers[n].owner_gone(&self.files[n], Owner(owner)),
        }
        while let Ok((who, _)) = self.outcomes.try_recv() {
            self.waiting.remove(&who);
        }
    }

    /// Everybody releases what it has, until nobody waits.
    fn end(mut self) -> Result<(), TestCaseError> {
        for who in (0..2).flat_map(|n| (0..3).map(move |owner| (n, owner))) {
            self.unlock(who);
        }
        while !self.waiting.is_empty() {
            let Ok((who, _)) = self.outcomes.recv_timeout(SOON) else {
                let waiting = self.waiting.keys();
                return Err(TestCaseError::fail(format!("they wait for ever: {waiting:?}")));
            };
            self.waiting.remove(&who);
            self.unlock(who);
        }
        let late = Instant::now() + SOON;
        while !is_free(&self.path) {
            prop_assert!(Instant::now() < late, "the file stays locked");
            thread::yield_now();
        }
        fs::remove_file(&self.path).expect("it is there");
        Ok(())
    }
}

/// Whether nothing of a file is locked.
fn is_free(path: &PathBuf) -> bool {
    let file = fs::File::options().read(true).write(true).open(path).expect("it is there");
    let whole = libc::flock {
        l_type: i16::try_from(libc::F_WRLCK).expect("it is small"),
        l_whence: i16::try_from(libc::SEEK_SET).expect("it is small"),
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(&file, FcntlArg::F_OFD_SETLK(&whole)).is_ok()
}

fn run(steps: &[(Who, Act)]) -> Result<(), TestCaseError> {
    let mut pair = Pair::new();
    for (who, act) in steps {
        pair.act(*who, *act);
    }
    pair.end()
}

/// `TURNSTILE_SEED=N` repeats a run.
#[test]
fn whoever_waits_is_granted_when_nobody_keeps_a_lock() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _entered = runtime.enter();
    let steps = prop::collection::vec(step(), 1..20);
    cases(300, "-p turnstile-byte-range-lock --test service managers::", &steps, |steps| {
        run(&steps)
    });
}

const SHARED: Act = Act::Lock { kind: LockType::Shared, byte: 0, waits: true };
const EXCLUSIVE: Act = Act::Lock { kind: LockType::Exclusive, byte: 0, waits: true };
const OF_ANOTHER_BYTE: Act = Act::Lock { kind: LockType::Exclusive, byte: 1, waits: true };

fn assert_ends(steps: &[(Who, Act)]) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _entered = runtime.enter();
    run(steps).unwrap_or_else(|why| panic!("{why}, after {steps:?}"));
}

#[test]
fn managers_with_shared_locks_get_exclusive_ones_in_turn() {
    let both = |owner, act| [((0, owner), act), ((1, owner), act)];
    for waits in [EXCLUSIVE, OF_ANOTHER_BYTE] {
        assert_ends(&[both(0, SHARED), both(1, waits), both(0, Act::Unlock)].concat());
    }
}

#[test]
fn nothing_is_left_of_a_wait_that_was_abandoned() {
    for waits in [EXCLUSIVE, OF_ANOTHER_BYTE] {
        let begin = [((0, 0), SHARED), ((1, 0), SHARED), ((0, 1), waits)];
        let (unlocks, leaves) = (((0, 0), Act::Unlock), ((0, 1), Act::Leave));
        assert_ends(&[&begin[..], &[unlocks, leaves]].concat());
        assert_ends(&[&begin[..], &[leaves, unlocks]].concat());
    }
}
#[test]
fn an_owner_that_releases_a_lock_while_it_is_replaced_keeps_the_new_one() {
    let shared = Act::Lock { kind: LockType::Shared, byte: 1, waits: true };
    assert_ends(&[((0, 0), shared), ((1, 0), SHARED), ((0, 0), OF_ANOTHER_BYTE)]);
}
