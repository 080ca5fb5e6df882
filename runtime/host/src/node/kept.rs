//! What a node keeps in its store: what the core has saved, and whose it is.

use std::io;

use turnstile_step::Core;

use super::NodeCore;
use crate::store::{Batch, Key, Store};

/// All that a core has saved.
const SAVED: Key = Key::single(1);
/// The name of the node.
const NAME: Key = Key::single(2);
/// The first byte of what is saved.
const VERSION: u8 = 1;

/// What a node keeps.
pub(super) struct Kept<C: Core> {
    pub(super) saved: Option<C::Saved>,
    /// The node's name, as long as the store does not hold it.
    unwritten: Option<String>,
}

impl<C: NodeCore> Kept<C> {
    /// What a store holds, which must be of a node of this name or of none.
    pub(super) fn read(store: &mut dyn Store, name: &str) -> io::Result<Self> {
        let mut saved = None;
        let mut is_named = name.is_empty();
        store.read(&mut |key, value| {
            match *key {
                SAVED => saved = Some(read(value)),
                NAME if is_named || value == name.as_bytes() => is_named = true,
                NAME => return Err(of_another(value, name)),
                _ => return Err(unreadable()),
            }
            Ok(())
        })?;
        // Whose it is comes first: it may be another core's because it is another node's.
        let saved = saved.map(|read| read.ok_or_else(unreadable)).transpose()?;
        Ok(Self { saved, unwritten: (!is_named).then(|| name.to_owned()) })
    }

    /// The store does not say yet that it is this node's.
    pub(super) fn is_unnamed(&self) -> bool {
        self.unwritten.is_some()
    }

    /// Writes what has been saved, and the node's name the first time.
    pub(super) fn write(&mut self, batch: &mut Batch) {
        if let Some(saved) = &self.saved {
            let bytes = postcard::to_extend(saved, vec![VERSION]);
            batch.put(&SAVED, &bytes.expect("what a core saves is data"));
        }
        if let Some(name) = self.unwritten.take() {
            batch.put(&NAME, name.as_bytes());
        }
    }
}

fn read<S: serde::de::DeserializeOwned>(value: &[u8]) -> Option<S> {
    let (_, bytes) = value.split_first().filter(|(version, _)| **version == VERSION)?;
    let (saved, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(saved)
}

fn unreadable() -> io::Error {
    let text = "the store holds what this core cannot read: it is another core's, or the type that \
        the core saves has changed; start with that core, or with an empty store";
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn of_another(theirs: &[u8], own: &str) -> io::Error {
    let theirs = String::from_utf8_lossy(theirs);
    let text = format!(
        "the store is that of {theirs:?}, and this node is {own:?}: give each node a directory of \
         its own, and each directory the same node again"
    );
    io::Error::new(io::ErrorKind::InvalidData, text)
}
