//! What a world has: clients, files, what they ask for, and the tables.

use turnstile_core::ranges::ByteRange;
use turnstile_core::ranges::locks::{Key, LockType};
use turnstile_core::ranges::manager::{self, Wish};
use turnstile_core::ranges::message::{FileId, Host};
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machines::{byte_range_lock, server_lock};
use turnstile_world::NodeId;

/// The table that runs, chosen at run time.
pub type LockRules = Chosen<byte_range_lock::Machine>;
/// The table that runs, chosen at run time.
pub type ServerRules = Chosen<server_lock::Machine>;

/// The bytes of each file.
pub(crate) const BYTES: u64 = 3;
/// The client whom a property watches.
pub(crate) const FIRST: Key = Key(1);
/// The cache manager's node; the file server knows it by the same number.
pub(crate) const MANAGER: NodeId = 0;
pub(crate) const SERVER: NodeId = 1;
pub(crate) const HOST: Host = Host(0);

/// The cores of the byte-range lock system: the cache manager, then the file server.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// How many clients, each with a key that is the same number in every file.
    pub clients: u32,
    /// How many files.
    pub files: u32,
    /// The most locks that a client asks for of one file at once.
    pub each: usize,
    /// The ranges that clients ask for.
    pub spans: Vec<ByteRange>,
    /// The types of the locks.
    pub kinds: Vec<LockType>,
    /// Whether clients wait without end, and give back what they were granted.
    pub is_patient: bool,
    /// Whether clients read and write any range; else they only write the whole file.
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

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        (1..=self.clients).map(Key)
    }

    fn whole() -> ByteRange {
        ByteRange::new(0, BYTES).expect("a file has bytes")
    }

    /// Every range of bytes of a file.
    fn ranges() -> Vec<ByteRange> {
        let of = |first| (1..=BYTES - first).map(move |length| ByteRange::new(first, length));
        (0..BYTES).flat_map(of).filter_map(Result::ok).collect()
    }

    /// The clients that may ask for a lock. Those that have none are alike, but for the first one,
    /// whom a property watches: of the others one is enough.
    pub(crate) fn askers(&self, state: &manager::State) -> Vec<Key> {
        let has = |key| state.files().any(|(_, file)| file.locks.of(key).next().is_some());
        let (known, alike): (Vec<Key>, Vec<Key>) =
            self.keys().partition(|key| *key == FIRST || has(*key));
        known.into_iter().chain(alike.into_iter().take(1)).collect()
    }

    /// What a client may ask of a file: a lock while it has not too many, anything of its own locks
    /// and of those of the client before it, and to write.
    pub(crate) fn wishes(&self, file: Option<&manager::File>, key: Key, asks: bool) -> Vec<Wish> {
        let locks = file.map(|file| &file.locks);
        let of_it = || locks.into_iter().flat_map(|locks| locks.iter());
        let own = of_it().filter(|(_, lock)| lock.key == key).count();
        let mut wishes = Vec::new();
        if own < self.each && asks {
            for kind in &self.kinds {
                wishes.extend(self.spans.iter().map(|span| Wish::Lock(*kind, *span)));
            }
        }
        let before = Key(if key == FIRST { self.clients } else { key.0 - 1 });
        for (id, _) in of_it().filter(|(_, lock)| [key, before].contains(&lock.key)) {
            wishes.extend([Wish::Unlock(id), Wish::Abandon(id)]);
        }
        if self.exercises {
            let ranges = || Self::ranges().into_iter();
            wishes.extend(ranges().map(Wish::Read).chain(ranges().map(Wish::Write)));
        } else {
            wishes.push(Wish::Write(Self::whole()));
        }
        wishes
    }
}
