//! What a cache manager keeps: for each file its locks, its server lock, and the call that is out.

use alloc::collections::BTreeMap;

use turnstile_machines::server_lock;
use turnstile_step::Symbolic;

use crate::number::{CallId, DataVersion, LockId};
use crate::ranges::locks::Locks;
use crate::ranges::message::{Ask, FileId, Whole};

/// The state of a cache manager.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    pub(super) files: BTreeMap<FileId, File>,
    /// The file about which each call that is out is.
    #[symbolic(skip)]
    pub(super) calls: BTreeMap<CallId, FileId>,
    pub(super) last: LockId,
}

/// A file of which there are locks, or a server lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct File {
    /// S->fileLocks.
    pub locks: Locks,
    /// S->serverLock.
    #[symbolic(skip)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
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
        let kept = self.files.get(&file);
        let calls = kept.and_then(|kept| kept.open).map(|open| (open.call, file));
        let files = kept.map(|kept| (file, kept.clone()));
        Self {
            files: files.into_iter().collect(),
            calls: calls.into_iter().collect(),
            last: self.last,
        }
    }

    /// The file that a call is about, which is out no longer.
    pub(super) fn answered(&mut self, call: CallId) -> Option<FileId> {
        self.calls.remove(&call)
    }

    /// Forgets a file.
    pub(super) fn forget(&mut self, file: FileId) {
        let open = self.files.remove(&file).and_then(|file| file.open);
        if let Some(open) = open {
            self.calls.remove(&open.call);
        }
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
