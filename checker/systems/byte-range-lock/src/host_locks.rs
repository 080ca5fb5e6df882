//! Facts for the invariants of a server lock: the lock of each file that the file server keeps for
//! the host.

use turnstile_byte_range_lock_core::manager::File;
use turnstile_byte_range_lock_core::message::{FileId, ServerLock};
use turnstile_byte_range_lock_core::server;
use turnstile_byte_range_lock_machines::server_lock::{
    State, Term, Whole as Asked, WholeCollection as Collection, WholePredicate as Predicate,
};
use turnstile_machine::Facts;

use super::HOST;

/// The files of a cache manager, and the file server that it calls.
pub(super) struct HostLocks<'a> {
    pub(super) files: Vec<(FileId, &'a File)>,
    pub(super) server: &'a server::State,
}

fn file(thing: Term) -> Option<FileId> {
    u32::try_from(thing.0).ok().map(FileId)
}

impl Facts<Asked> for HostLocks<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        let kept = |one| self.server.of(file(one)?, HOST);
        match predicate {
            Predicate::LockReadIsAsserted { one } => kept(one) == Some(ServerLock::LockRead),
            Predicate::LockWriteIsAsserted { one } => kept(one) == Some(ServerLock::LockWrite),
        }
    }

    fn every(&self, collection: Collection, _is: &mut dyn FnMut(Term) -> bool) -> bool {
        match collection {}
    }

    fn instances(&self, is: &mut dyn FnMut(Term, State) -> bool) -> bool {
        self.files.iter().all(|(id, file)| is(Term(id.0.into()), file.server))
    }

    fn state(&self, thing: Term) -> Option<State> {
        let mut files = self.files.iter();
        files.find(|(id, _)| file(thing) == Some(*id)).map(|(_, file)| file.server)
    }
}
