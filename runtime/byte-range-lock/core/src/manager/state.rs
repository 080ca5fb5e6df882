//! The state of a cache manager: for each file its locks, its server lock, and the pending call.

use alloc::collections::BTreeMap;

use turnstile_byte_range_lock_machines::server_lock;
use turnstile_step::Symbolic;

use crate::locks::FileLocks;
use crate::message::{FileId, ServerLock, ServerRequest};
use crate::number::{DataVersion, LockId};
use turnstile_ids::number::CallId;

/// The state of a cache manager.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    pub(super) files: BTreeMap<FileId, File>,
    /// The file of each pending call.
    #[symbolic(skip)]
    pub(super) calls: BTreeMap<CallId, FileId>,
    pub(super) last: LockId,
}

/// A file with locks or a server lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct File {
    /// S->fileLocks.
    pub locks: FileLocks,
    /// S->serverLock.
    #[symbolic(skip)]
    pub server: server_lock::State,
    /// The version of its contents when the file server last granted or extended the server lock.
    pub contents: Option<DataVersion>,
    /// The pending call about it; at most one.
    pub pending_call: Option<PendingCall>,
    /// The strongest lock that the file server may hold for this host, by all requests and replies.
    pub most: Option<ServerLock>,
}

/// A call to the file server without a reply yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct PendingCall {
    /// Its number.
    pub call: CallId,
    /// The request.
    pub request: ServerRequest,
}

impl State {
    /// A file, if it has locks or a server lock.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<&File> {
        self.files.get(&file)
    }

    /// Every file, in order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter().map(|(id, file)| (*id, file))
    }

    /// The state without all other files.
    #[must_use]
    pub fn only(&self, file: FileId) -> Self {
        let kept = self.files.get(&file);
        let calls = kept.and_then(|kept| kept.pending_call).map(|pending| (pending.call, file));
        let files = kept.map(|kept| (file, kept.clone()));
        Self {
            files: files.into_iter().collect(),
            calls: calls.into_iter().collect(),
            last: self.last,
        }
    }

    /// Removes a pending call. Returns its file.
    pub(super) fn answered(&mut self, call: CallId) -> Option<FileId> {
        self.calls.remove(&call)
    }

    /// Removes a file.
    pub(super) fn forget(&mut self, file: FileId) {
        let pending = self.files.remove(&file).and_then(|file| file.pending_call);
        if let Some(pending) = pending {
            self.calls.remove(&pending.call);
        }
    }
}

impl File {
    /// A file without locks.
    pub(super) fn new() -> Self {
        Self {
            locks: FileLocks::default(),
            server: server_lock::State::NotExist,
            contents: None,
            pending_call: None,
            most: None,
        }
    }
}
