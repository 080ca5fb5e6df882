//! Whole steps of a cache manager with many locks of one file: a client gives its lock back, asks
//! for it again, and asks for one that it has to wait for.

use std::time::Duration;

use super::Best;
use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{CacheManager, Command, Operation, Outcome, State};
use turnstile_byte_range_lock_core::message::{
    FileId, FileServerPeer, Lease, Message, ServerLock, ServerReply,
};
use turnstile_byte_range_lock_core::number::{DataVersion, LockId};
use turnstile_ids::number::CallId;
use turnstile_step::{Core, Effect, Input, Out, OutOf};

const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 5;
/// So many clients are measured in a round, spread over the file.
const ASKED: u64 = 500;
const FILE: FileId = FileId(1);

/// How the locks of a file lie: one begins at each byte.
#[derive(Clone, Copy)]
struct Laid {
    about: &'static str,
    kind: LockType,
    length: u64,
}

const LAID: [Laid; 3] = [
    Laid { about: "each by itself", kind: LockType::Exclusive, length: 1 },
    Laid { about: "each over 10 others", kind: LockType::Shared, length: 6 },
    Laid { about: "each over 100 others", kind: LockType::Shared, length: 51 },
];

/// A cache manager that has LockWrite, with the locks of one file.
struct BenchClient {
    core: CacheManager,
    state: State,
    out: OutOf<CacheManager>,
    laid: Laid,
}

impl BenchClient {
    fn new(laid: Laid, locks: u64) -> Self {
        let (core, state, out) = (CacheManager::new(), State::default(), Out::default());
        let mut host = Self { core, state, out, laid };
        let last = ByteRange::byte(u64::MAX);
        host.asks(ClientKey(0), Operation::Lock(LockType::Exclusive, last));
        let (call, lease) = (CallId::default(), Lease::Live);
        let reply = ServerReply::Set(ServerLock::LockWrite, DataVersion::default());
        let message = Message::Reply { call, reply, lease };
        host.core.step(
            &mut host.state,
            Input::Message { from: FileServerPeer, message },
            &mut host.out,
        );
        for client in 1..=locks {
            host.locks(client);
        }
        host
    }

    fn asks(&mut self, key: ClientKey, operation: Operation) -> Option<Outcome> {
        self.out.effects.clear();
        self.out.rows.clear();
        let input = Input::Command(Command { file: FILE, key, operation });
        self.core.step(&mut self.state, input, &mut self.out);
        self.out.effects.iter().find_map(|effect| match effect {
            Effect::Notify(notice) => Some(notice.outcome),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        })
    }

    fn key(client: u64) -> ClientKey {
        ClientKey(u32::try_from(client).expect("few clients"))
    }

    fn range(&self, client: u64) -> ByteRange {
        ByteRange::new(client, self.laid.length).expect("far below the last address")
    }

    fn locks(&mut self, client: u64) {
        let operation = Operation::Lock(self.laid.kind, self.range(client));
        let outcome = self.asks(Self::key(client), operation);
        assert!(matches!(outcome, Some(Outcome::Granted(_))), "nothing is in its way: {outcome:?}");
    }

    /// The one lock that a client has.
    fn lock_of(&self, client: u64) -> LockId {
        let locks = &self.state.file(FILE).expect("it has locks").locks;
        locks.of(Self::key(client)).map(|(id, _)| id).next().expect("each client has a lock")
    }

    fn unlocks(&mut self, client: u64, lock: LockId) {
        self.asks(Self::key(client), Operation::Unlock(lock));
    }

    /// Somebody else wants it all for itself, and gives up.
    fn waits_and_gives_up(&mut self, client: u64) {
        let operation = Operation::Lock(LockType::Exclusive, self.range(client));
        let outcome = self.asks(ClientKey(0), operation);
        let Some(Outcome::Waits(lock)) = outcome else {
            panic!("others are in its way: {outcome:?}")
        };
        self.asks(ClientKey(0), Operation::Abandon(lock));
    }
}

/// Nanoseconds of each operation with a number of locks.
#[derive(Clone, Copy)]
struct Row {
    unlock: Best,
    lock: Best,
    wait: Best,
}

impl Row {
    fn round(&mut self, host: &mut BenchClient, locks: u64) {
        let clients: Vec<u64> = (0..ASKED).map(|nth| 1 + nth * (locks / ASKED) + nth % 2).collect();
        let held: Vec<(u64, LockId)> =
            clients.iter().map(|client| (*client, host.lock_of(*client))).collect();
        self.wait.take(2 * clients.len(), || {
            clients.iter().for_each(|client| host.waits_and_gives_up(*client));
        });
        self.unlock.take(held.len(), || {
            held.iter().for_each(|(client, lock)| host.unlocks(*client, *lock));
        });
        self.lock.take(clients.len(), || {
            clients.iter().for_each(|client| host.locks(*client));
        });
    }
}

/// Prints what each operation takes, by how the locks lie and how many there are.
pub(super) fn measure() {
    println!("whole steps, us: unlock, lock, wait or give up");
    for laid in LAID {
        let mut sized = SIZES.map(|locks| {
            let best = Best(Duration::MAX);
            (locks, BenchClient::new(laid, locks), Row { unlock: best, lock: best, wait: best })
        });
        for _ in 0..ROUNDS {
            for (locks, host, row) in &mut sized {
                row.round(host, *locks);
            }
        }
        for (locks, _, row) in &sized {
            let us = |best: Best| best.0.as_secs_f64() * 1e6;
            println!(
                "{:<22} {locks:>8} locks {:>9.2} {:>9.2} {:>9.2}",
                laid.about,
                us(row.unlock),
                us(row.lock),
                us(row.wait)
            );
        }
    }
}
