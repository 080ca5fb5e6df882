//! The file server: the lock of one whole file, which a manager asserts for all its clients.

use std::fmt;
use std::sync::{Arc, Weak};

use tokio::sync::watch;
use tokio::time::Instant;
use turnstile_byte_range_lock_core::message::{FileId, ServerReply};
use turnstile_byte_range_lock_core::number::DataVersion;
use turnstile_ids::number::CallId;

pub use turnstile_byte_range_lock_core::message::ServerLock;

/// The file server's side of one file.
///
/// The manager makes one call at a time for each file, and no call for a file that nobody locks. A
/// call is answered through its [`Reply`], at once or later, on any thread. The methods are called
/// on the thread of a client, so they must not block for long.
pub trait FileServer: Send + Sync + 'static {
    /// Replaces the manager's lock of the file, if it has one, by this one, in one step. A server
    /// that cannot do so now calls [`Reply::busy`], and answers when it can or when
    /// [`Reply::given_up`] completes.
    fn lock(&self, lock: ServerLock, reply: Reply);

    /// Restarts the lease of the manager's lock.
    fn extend(&self, reply: Reply);

    /// Releases the manager's lock.
    fn release(&self, reply: Reply);
}

/// A manager, as its calls know it.
pub(crate) trait Caller: Send + Sync {
    /// The reply to a call arrives, with the end of the lease that it grants.
    fn answered(&self, file: FileId, call: CallId, reply: ServerReply, until: Option<Instant>);

    /// The reply to a call takes its time.
    fn busy(&self, file: FileId, call: CallId);

    /// The lease of a file's lock is over.
    fn lapsed(&self, file: FileId);
}

/// The reply to a call. A reply that is dropped counts as a call without an answer, which the
/// manager repeats at the next check.
pub struct Reply {
    pub(crate) caller: Weak<dyn Caller>,
    pub(crate) file: FileId,
    pub(crate) call: CallId,
    pub(crate) given_up: watch::Receiver<bool>,
    pub(crate) is_sent: bool,
}

impl Reply {
    /// The manager has the lock. `contents` is a number that is another one whenever the file may
    /// have been changed by others than this manager's clients; `until` is the end of the lease,
    /// counted from the send of the request, `None` if it has none.
    pub fn granted(self, lock: ServerLock, contents: u64, until: Option<Instant>) {
        self.send(ServerReply::Set(lock, DataVersion::new(contents)), until);
    }

    /// The lease is extended; see [`Reply::granted`].
    pub fn extended(self, contents: u64, until: Option<Instant>) {
        self.send(ServerReply::Extended(DataVersion::new(contents)), until);
    }

    /// The manager has no lock any more.
    pub fn released(self) {
        self.send(ServerReply::Released, None);
    }

    /// The lock cannot be had, or is lost. All locks of the clients that need it are lost.
    pub fn refused(self) {
        self.send(ServerReply::Refused, None);
    }

    /// Tells that the answer takes its time, because another manager's lock is in the way or the
    /// server is slow: those who do not wait are refused.
    pub fn busy(&self) {
        if let Some(caller) = self.caller.upgrade() {
            caller.busy(self.file, self.call);
        }
    }

    /// Whether nobody waits for the answer any more.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        *self.given_up.borrow() || self.caller.strong_count() == 0
    }

    /// Completes when nobody waits for the answer any more; the call is then best left unanswered.
    pub fn given_up(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut given_up = self.given_up.clone();
        async move {
            // An error means that the manager has been dropped.
            let _over = given_up.wait_for(|is_given_up| *is_given_up).await;
        }
    }

    /// A way to tell that the lease which this reply grants is over before its time.
    #[must_use]
    pub fn lapse(&self) -> Lapse {
        Lapse { caller: self.caller.clone(), file: self.file }
    }

    fn send(mut self, reply: ServerReply, until: Option<Instant>) {
        self.is_sent = true;
        if let Some(caller) = self.caller.upgrade() {
            caller.answered(self.file, self.call, reply, until);
        }
    }
}

/// Ends a lease before its time.
pub struct Lapse {
    caller: Weak<dyn Caller>,
    file: FileId,
}

impl Lapse {
    /// The manager has lost the lock of the file.
    pub fn lapsed(self) {
        if let Some(caller) = self.caller.upgrade() {
            caller.lapsed(self.file);
        }
    }
}

impl fmt::Debug for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lapse").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if !self.is_sent
            && let Some(caller) = self.caller.upgrade()
        {
            caller.answered(self.file, self.call, ServerReply::None, None);
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<S: FileServer + ?Sized> FileServer for Arc<S> {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        (**self).lock(lock, reply);
    }

    fn extend(&self, reply: Reply) {
        (**self).extend(reply);
    }

    fn release(&self, reply: Reply) {
        (**self).release(reply);
    }
}
