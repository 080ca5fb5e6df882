//! The store that keeps nothing: for tests and for those who want speed and can lose everything.
//!
//! It never fails, and it never gives anything back.

use std::io;

use super::{Batch, Image, Store};

/// Takes every batch and forgets it.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryStore;

impl Store for MemoryStore {
    fn load(&mut self) -> io::Result<Image> {
        Ok(Image::new())
    }

    fn write(&mut self, _batch: &Batch) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
