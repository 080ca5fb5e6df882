//! The parameters of a world: clients, files, requests and tables.

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{self, Operation};
use turnstile_byte_range_lock_core::message::{FileClient, FileId};
use turnstile_byte_range_lock_machines::{byte_range_lock, server_lock};
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::tables::rules::AnyTable;
use turnstile_world::NodeId;

/// The table that runs, chosen at run time.
pub type LockRules = AnyTable<byte_range_lock::Machine>;
/// The table that runs, chosen at run time.
pub type ServerRules = AnyTable<server_lock::Machine>;

/// The bytes of each file.
pub(crate) const BYTES: u64 = 3;
/// The client that a liveness property is about.
pub(crate) const FIRST: ClientKey = ClientKey(1);
/// The cache manager's node; also its number at the file server.
pub(crate) const MANAGER: NodeId = 0;
pub(crate) const SERVER: NodeId = 1;
pub(crate) const HOST: FileClient = FileClient(0);

/// The cores of the byte-range lock system: the cache manager, then the file server.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// How many clients, each with a key that is the same number in every file.
    pub clients: u32,
    /// How many files.
    pub files: u32,
    /// The most locks of one file that a client has at once.
    pub each: usize,
    /// The ranges that clients request.
    pub spans: Vec<ByteRange>,
    /// The types of the locks.
    pub kinds: Vec<LockType>,
    /// Whether clients wait without a time-out, and release what they were granted.
    pub waits_forever: bool,
    /// Whether clients read and write any range; otherwise they only write the whole file.
    pub exercises: bool,
    /// The table of each lock.
    pub lock: LockRules,
    /// The table of each server lock.
    pub server: ServerRules,
}

impl Ranges {
    /// The tables of the cores, among those given.
    pub(crate) fn rules(tables: &[Replacement]) -> Result<(LockRules, ServerRules), Refusal> {
        Ok((LockRules::among(tables)?, ServerRules::among(tables)?))
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files).map(FileId)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = ClientKey> + use<> {
        (1..=self.clients).map(ClientKey)
    }

    fn whole() -> ByteRange {
        ByteRange::new(0, BYTES).expect("a file has bytes")
    }

    /// Every range of bytes of a file.
    fn ranges() -> Vec<ByteRange> {
        let of = |first| (1..=BYTES - first).map(move |length| ByteRange::new(first, length));
        (0..BYTES).flat_map(of).filter_map(Result::ok).collect()
    }

    /// The clients that may request a lock. Clients without locks are symmetric, except the first,
    /// which a property is about: one of the others is enough.
    pub(crate) fn askers(&self, state: &manager::State) -> Vec<ClientKey> {
        let has = |key| state.files().any(|(_, file)| file.locks.of(key).next().is_some());
        let (known, alike): (Vec<ClientKey>, Vec<ClientKey>) =
            self.keys().partition(|key| *key == FIRST || has(*key));
        known.into_iter().chain(alike.into_iter().take(1)).collect()
    }

    /// The requests of a client for a file: a lock within its limit, any operation on its own locks
    /// and on those of the client before it, and a write.
    pub(crate) fn wishes(
        &self,
        file: Option<&manager::File>,
        key: ClientKey,
        asks: bool,
    ) -> Vec<Operation> {
        let locks = file.map(|file| &file.locks);
        let of_it = || locks.into_iter().flat_map(|locks| locks.iter());
        let own = of_it().filter(|(_, lock)| lock.key == key).count();
        let mut wishes = Vec::new();
        if own < self.each && asks {
            for kind in &self.kinds {
                wishes.extend(self.spans.iter().map(|span| Operation::Lock(*kind, *span)));
            }
        }
        let before = ClientKey(if key == FIRST { self.clients } else { key.0 - 1 });
        for (id, _) in of_it().filter(|(_, lock)| [key, before].contains(&lock.key)) {
            wishes.extend([Operation::Unlock(id), Operation::Abandon(id)]);
        }
        if self.exercises {
            let ranges = || Self::ranges().into_iter();
            wishes.extend(ranges().map(Operation::Read).chain(ranges().map(Operation::Write)));
        } else {
            wishes.push(Operation::Write(Self::whole()));
        }
        wishes
    }
}
