//! The saved state of a node in its store, with the node's name.

use std::io;

use turnstile_step::Core;

use super::bounds::NodeCore;
use crate::io_context::unsupported_version;
use crate::store::{Batch, Key, Store};

/// The key of the core's saved state.
const SAVED: Key = Key::single(1);
/// The key of the node's name.
const NAME: Key = Key::single(2);
/// The first byte of the saved state: its format.
const VERSION: u8 = 1;

/// The saved state of a node.
pub(super) struct Kept<C: Core> {
    pub(super) saved: Option<C::Saved>,
    /// The node's name, if the store does not have it yet.
    unwritten: Option<String>,
}

impl<C: NodeCore> Kept<C> {
    /// Reads the store, which must belong to a node of this name or to none.
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
        // Check the name first: a wrong name explains why the saved state cannot be decoded.
        Ok(Self { saved: saved.transpose()?, unwritten: (!is_named).then(|| name.to_owned()) })
    }

    /// Whether the store does not have the node's name yet.
    pub(super) fn is_unnamed(&self) -> bool {
        self.unwritten.is_some()
    }

    /// Writes the saved state, and the node's name the first time.
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

fn read<S: serde::de::DeserializeOwned>(value: &[u8]) -> io::Result<S> {
    let (version, bytes) = value.split_first().ok_or_else(unreadable)?;
    if *version != VERSION {
        let remedy = "start the program that wrote it, or start with an empty store";
        return Err(unsupported_version("the store's saved state", *version, VERSION, remedy));
    }
    match postcard::take_from_bytes(bytes) {
        Ok((saved, [])) => Ok(saved),
        Ok(_) | Err(_) => Err(unreadable()),
    }
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
