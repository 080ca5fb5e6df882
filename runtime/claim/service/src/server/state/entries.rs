//! Claims by id, in chunks that a copy shares until one of the two changes.
//!
//! A copy of all claims is one of a small map: what was captured stays as it was while others
//! change, and only the chunks and the records that change are copied.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::server::state::record::ClaimRecord;

/// The number of ids of a chunk, as a power of two.
const CHUNK_BITS: u32 = 6;

/// The claims of a range of ids, in ascending order.
type Chunk = Vec<(u64, Arc<ClaimRecord>)>;

/// All claims by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    /// By the first bits of the ids; none is empty.
    chunks: BTreeMap<u64, Arc<Chunk>>,
    len: usize,
}

impl Entries {
    /// The number of claims.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, id: u64) -> Option<&ClaimRecord> {
        let chunk = self.chunks.get(&number(id))?;
        find(chunk, id).ok().map(|at| &*chunk[at].1)
    }

    /// A claim that may be changed: it is no longer shared with a copy.
    pub(crate) fn record_mut(&mut self, id: u64) -> Option<&mut ClaimRecord> {
        let chunk = self.chunks.get_mut(&number(id))?;
        let at = find(chunk, id).ok()?;
        Some(Arc::make_mut(&mut Arc::make_mut(chunk)[at].1))
    }

    /// Adds a claim, or replaces it.
    pub(crate) fn insert(&mut self, id: u64, record: Arc<ClaimRecord>) {
        let chunk = Arc::make_mut(self.chunks.entry(number(id)).or_default());
        match find(chunk, id) {
            Ok(at) => chunk[at].1 = record,
            Err(at) => {
                chunk.insert(at, (id, record));
                self.len += 1;
            }
        }
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Arc<ClaimRecord>> {
        let chunk = self.chunks.get_mut(&number(id))?;
        let at = find(chunk, id).ok()?;
        let chunk = Arc::make_mut(chunk);
        let (_, record) = chunk.remove(at);
        if chunk.is_empty() {
            self.chunks.remove(&number(id));
        }
        self.len -= 1;
        Some(record)
    }

    /// The last id.
    pub(crate) fn last(&self) -> Option<u64> {
        self.chunks.last_key_value().and_then(|(_, chunk)| chunk.last()).map(|(id, _)| *id)
    }

    /// All claims, oldest first.
    #[cfg(feature = "cluster")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &ClaimRecord)> {
        self.chunks.values().flat_map(|chunk| chunk.iter()).map(|(id, record)| (*id, &**record))
    }

    /// The claims in a range of ids, oldest first.
    pub(crate) fn range(
        &self,
        ids: RangeInclusive<u64>,
    ) -> impl Iterator<Item = (u64, &ClaimRecord)> {
        let numbers = number(*ids.start())..=number(*ids.end());
        let all = self.chunks.range(numbers).flat_map(|(_, chunk)| chunk.iter());
        all.filter(move |(id, _)| ids.contains(id)).map(|(id, record)| (*id, &**record))
    }

    /// Changes all claims for which a function says so.
    pub(crate) fn change(
        &mut self,
        is_changed: impl Fn(&ClaimRecord) -> bool,
        mut change: impl FnMut(&mut ClaimRecord),
    ) {
        for chunk in self.chunks.values_mut() {
            if chunk.iter().any(|(_, record)| is_changed(record)) {
                let records = Arc::make_mut(chunk).iter_mut().map(|(_, record)| record);
                records.filter(|record| is_changed(record)).for_each(|record| {
                    change(Arc::make_mut(record));
                });
            }
        }
    }
}

impl Extend<(u64, Arc<ClaimRecord>)> for Entries {
    /// The claims are in ascending order. Chunks of them alone are built at once.
    fn extend<I: IntoIterator<Item = (u64, Arc<ClaimRecord>)>>(&mut self, claims: I) {
        let mut claims = claims.into_iter().peekable();
        let mut full = Vec::new();
        while let Some((first, record)) = claims.next() {
            let number = number(first);
            if self.chunks.contains_key(&number) {
                self.insert(first, record);
                continue;
            }
            let mut chunk = vec![(first, record)];
            let is_next = |(id, _): &(u64, Arc<ClaimRecord>)| self::number(*id) == number;
            chunk.extend(std::iter::from_fn(|| claims.next_if(is_next)));
            chunk.shrink_to_fit();
            self.len += chunk.len();
            full.push((number, Arc::new(chunk)));
        }
        self.chunks.append(&mut full.into_iter().collect());
    }
}

const fn number(id: u64) -> u64 {
    id >> CHUNK_BITS
}

fn find(chunk: &Chunk, id: u64) -> Result<usize, usize> {
    chunk.binary_search_by_key(&id, |(id, _)| *id)
}
