//! A file or a name on a simulated disk: the synced content, the content that processes see, and
//! the changes between them.

use std::collections::BTreeMap;

use crate::Rng;

const SECTOR: usize = 512;

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) seen: Vec<u8>,
    pub(super) synced: Vec<u8>,
    pub(super) changes: Vec<NoteChange>,
}

#[derive(Clone, Debug)]
pub(super) enum NoteChange {
    Written { at: usize, bytes: Vec<u8> },
    Cut(usize),
}

/// A change of a directory entry: the entry that is removed and its replacement.
#[derive(Clone, Debug)]
pub(super) struct Renaming {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) file: usize,
}

/// How many of the unsynced changes are on the disk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    Nothing,
    Everything,
    Some,
}

impl Kept {
    pub(super) fn drawn(rng: &mut Rng) -> Self {
        [Self::Nothing, Self::Everything, Self::Some][(rng.number() % 3) as usize]
    }

    pub(super) fn holds(self, rng: &mut Rng) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Some => rng.number().is_multiple_of(2),
        }
    }
}

impl Content {
    pub(super) fn write(&mut self, bytes: &[u8], at: usize) {
        let change = NoteChange::Written { at, bytes: bytes.to_vec() };
        change.apply(&mut self.seen);
        self.changes.push(change);
    }

    pub(super) fn cut(&mut self, len: usize) {
        self.seen.truncate(len);
        self.changes.push(NoteChange::Cut(len));
    }

    /// A failed sync: some of the changes are on the disk, and the system will not write the
    /// others.
    pub(super) fn settle(&mut self, rng: &mut Rng) {
        if self.changes.is_empty() {
            return;
        }
        let kept = Kept::drawn(rng);
        let mut cache = self.synced.clone();
        for change in self.changes.drain(..) {
            change.apply(&mut cache);
            match change {
                NoteChange::Cut(len) if kept.holds(rng) => self.synced.truncate(len),
                NoteChange::Cut(_) => {}
                NoteChange::Written { at, bytes } => {
                    let end = at + bytes.len();
                    for sector in at / SECTOR..end.div_ceil(SECTOR) {
                        if kept.holds(rng) {
                            let until = torn((sector + 1) * SECTOR, kept, rng).min(end);
                            keep(&mut self.synced, &cache, sector * SECTOR, until);
                        }
                    }
                }
            }
        }
    }
}

/// The end of a sector's new bytes: before its own end if the sector is torn.
fn torn(end: usize, kept: Kept, rng: &mut Rng) -> usize {
    let is_torn = matches!(kept, Kept::Some) && rng.number().is_multiple_of(8);
    if is_torn { end - (rng.number() as usize % SECTOR) } else { end }
}

/// Copies a part of what is in the cache to the disk.
fn keep(synced: &mut Vec<u8>, cache: &[u8], from: usize, until: usize) {
    let until = until.min(cache.len());
    if from < until {
        synced.resize(synced.len().max(until), 0);
        synced[from..until].copy_from_slice(&cache[from..until]);
    }
}

impl NoteChange {
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Cut(len) => content.truncate(*len),
            Self::Written { at, bytes } => {
                let end = at + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*at..end].copy_from_slice(bytes);
            }
        }
    }
}

impl Renaming {
    pub(super) fn apply(&self, names: &mut BTreeMap<String, usize>) {
        if let Some(from) = &self.from
            && names.get(from) == Some(&self.file)
        {
            names.remove(from);
        }
        if let Some(to) = &self.to {
            names.insert(to.clone(), self.file);
        }
    }
}
