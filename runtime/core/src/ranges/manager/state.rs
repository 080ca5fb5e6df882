//! What a cache manager keeps: for each file its locks, its server lock, and the call that is out.

use alloc::collections::BTreeMap;

use turnstile_machines::server_lock;

use crate::number::{CallId, Class, DataVersion, LockId, Numbers};
use crate::ranges::locks::Locks;
use crate::ranges::message::{Ask, FileId, Whole};

/// The state of a cache manager.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) files: BTreeMap<FileId, File>,
    pub(super) last: LockId,
}

/// A file of which there are locks, or a server lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct File {
    /// S->fileLocks.
    pub locks: Locks,
    /// S->serverLock.
    pub server: server_lock::State,
    /// The contents that it had when the file server last granted or extended the server lock.
    pub contents: Option<DataVersion>,
    /// The call about it that is not answered yet; there is one at most.
    pub open: Option<Open>,
    /// The most that the file server may keep for this host, for all that it was asked and has
    /// answered, unless it has let go of it.
    pub most: Option<Whole>,
}

/// A call to the file server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Open {
    /// Its number.
    pub call: CallId,
    /// What it asks for.
    pub ask: Ask,
}

impl State {
    /// A file, if the cache manager has anything to do with it.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<&File> {
        self.files.get(&file)
    }

    /// Every file, in order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter().map(|(id, file)| (*id, file))
    }

    /// What it would be if there were no other file.
    #[must_use]
    pub fn only(&self, file: FileId) -> Self {
        let files = self.files.get(&file).map(|kept| (file, kept.clone()));
        Self { files: files.into_iter().collect(), last: self.last }
    }

    /// The file about which a call is out.
    pub(super) fn asking(&self, call: CallId) -> Option<FileId> {
        let is_it = |file: &File| file.open.is_some_and(|open| open.call == call);
        self.files.iter().find(|(_, file)| is_it(file)).map(|(id, _)| *id)
    }
}

impl File {
    /// A file that nobody has asked for yet.
    pub(super) fn new() -> Self {
        Self {
            locks: Locks::default(),
            server: server_lock::State::NotExist,
            contents: None,
            open: None,
            most: None,
        }
    }
}

impl Numbers for State {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        for file in self.files.values_mut() {
            file.contents.visit(each);
            file.locks.visit(each);
        }
        self.last.visit(each);
    }
}
