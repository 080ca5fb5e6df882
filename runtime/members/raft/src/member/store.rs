//! The store of a member, which is refused if another program has written it.

use std::io;

use turnstile_host::store::{Batch, Key, Note, NoteValue, Store, Visitor};

use crate::log::record::{OWNER, OWNER_BYTES};

/// How an error ends that says that a store is none of a member.
pub const NOT_OF_A_MEMBER: &str = "it is not that of a member: another program has written it";

/// The key of the first value of a log, and its size.
const FIRST: (Key, usize) = (OWNER, OWNER_BYTES);

/// A store whose first value is checked.
pub(crate) struct MemberStore(pub(crate) Box<dyn Store>);

impl Store for MemberStore {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        let mut is_first = true;
        self.0.read(&mut |key, value| {
            if std::mem::take(&mut is_first) && (*key, value.len()) != FIRST {
                return Err(io::Error::new(io::ErrorKind::InvalidData, NOT_OF_A_MEMBER));
            }
            each(key, value)
        })
    }

    fn write(&mut self, batch: &Batch) {
        self.0.write(batch);
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.0.note()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}
