//! What a disk in memory has of a file or a name, what processes see, and the changes between.

use std::collections::BTreeMap;

use crate::Dice;

const SECTOR: usize = 512;

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) seen: Vec<u8>,
    pub(super) synced: Vec<u8>,
    pub(super) changes: Vec<Change>,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    Written { at: usize, bytes: Vec<u8> },
    Emptied,
}

/// A change of names: what is removed, what is there instead.
#[derive(Clone, Debug)]
pub(super) struct Renaming {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) file: usize,
}

/// How much of what was not synced is on the disk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    Nothing,
    Everything,
    Some,
}

impl Kept {
    pub(super) fn drawn(dice: &mut Dice) -> Self {
        [Self::Nothing, Self::Everything, Self::Some][(dice.number() % 3) as usize]
    }

    pub(super) fn holds(self, dice: &mut Dice) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Some => dice.number().is_multiple_of(2),
        }
    }
}

impl Content {
    pub(super) fn write(&mut self, bytes: &[u8], at: usize) {
        let change = Change::Written { at, bytes: bytes.to_vec() };
        change.apply(&mut self.seen);
        self.changes.push(change);
    }

    /// The system gives up: some of the changes are on the disk, and nobody writes the others.
    pub(super) fn settle(&mut self, dice: &mut Dice) {
        if self.changes.is_empty() {
            return;
        }
        let kept = Kept::drawn(dice);
        let mut cache = self.synced.clone();
        for change in self.changes.drain(..) {
            change.apply(&mut cache);
            match change {
                Change::Emptied if kept.holds(dice) => self.synced.clear(),
                Change::Emptied => {}
                Change::Written { at, bytes } => {
                    let end = at + bytes.len();
                    for sector in at / SECTOR..end.div_ceil(SECTOR) {
                        if kept.holds(dice) {
                            let until = torn((sector + 1) * SECTOR, kept, dice).min(end);
                            keep(&mut self.synced, &cache, sector * SECTOR, until);
                        }
                    }
                }
            }
        }
    }
}

/// Where a sector's new bytes end: before its own end if it is torn.
fn torn(end: usize, kept: Kept, dice: &mut Dice) -> usize {
    let is_torn = matches!(kept, Kept::Some) && dice.number().is_multiple_of(8);
    if is_torn { end - (dice.number() as usize % SECTOR) } else { end }
}

/// Copies a part of what is in the cache to the disk.
fn keep(synced: &mut Vec<u8>, cache: &[u8], from: usize, until: usize) {
    let until = until.min(cache.len());
    if from < until {
        synced.resize(synced.len().max(until), 0);
        synced[from..until].copy_from_slice(&cache[from..until]);
    }
}

impl Change {
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Emptied => content.clear(),
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
