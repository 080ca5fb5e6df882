//! The lock service, for the users of its member's socket.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use turnstile_local::{LockGuard, MemberCertificates, Service, UnlockError, UserToken, Work};
use turnstile_raft::{MemberChange, MemberError};
use turnstile_replicated_lock::{Guard, LockError, LockService};

use super::wire::{Reply, Request};
use super::{snapshot, status};

/// The maximum time for a change of the members: the leader, which has a shorter one, may be gone.
const CHANGE_MAX: Duration = Duration::from_secs(15);
/// The pause before a failed command is repeated.
const REPEAT_PAUSE: Duration = Duration::from_millis(100);

/// The service of a member.
#[derive(Clone)]
pub(crate) struct Local {
    pub(crate) service: LockService,
    pub(crate) certificates: MemberCertificates,
}

/// A lock that the member holds for a user.
pub(crate) struct HeldLock(Guard);

impl Service for Local {
    type Request = Request;
    type Reply = Reply;
    type Guard = HeldLock;

    fn handle(&self, request: Request) -> Work<'_, Reply> {
        let Self { service, certificates } = self;
        match request {
            Request::Lock(request) => Work::Lock(request),
            Request::Status => Work::reply(async {
                let mut status = status::json(&service.status());
                status["certificates"] = certificates.json();
                Reply::Status(status)
            }),
            Request::AddMember { id, address } => {
                Work::reply(change(service, MemberChange::Add { id, address }))
            }
            Request::RemoveMember { id } => {
                Work::reply(change(service, MemberChange::Remove { id }))
            }
            Request::Save { file } => Work::reply(async {
                match snapshot::save(service, file).await {
                    Ok(()) => Reply::Done,
                    Err(error) => Reply::Error(error.to_string()),
                }
            }),
        }
    }

    /// Waits for a lock. A command that fails, for example since the leader has changed, is
    /// repeated: if it has locked nevertheless, the member unlocks first.
    async fn lock(&self, id: &str) -> Result<HeldLock, String> {
        let mutex = self.service.lock(id);
        loop {
            match mutex.lock().await {
                // A lock that is lost at once was not used.
                Err(LockError::Failed | LockError::NoMajority | LockError::Lost) => {
                    sleep(REPEAT_PAUSE).await;
                }
                locked @ (Ok(_) | Err(LockError::Stopped | LockError::Removed)) => {
                    return locked.map(HeldLock).map_err(|error| error.to_string());
                }
            }
        }
    }

    async fn try_lock(&self, id: &str) -> Result<Option<HeldLock>, String> {
        let locked = self.service.lock(id).try_lock().await;
        locked.map(|guard| guard.map(HeldLock)).map_err(|error| error.to_string())
    }
}

impl LockGuard for HeldLock {
    fn token(&self) -> Option<UserToken> {
        Some(UserToken::Number(self.0.token()))
    }

    async fn lost(&self) {
        self.0.lost().await;
    }

    async fn unlock(self) -> Result<(), UnlockError> {
        self.0.unlock().await.map_err(|error| match error {
            LockError::Lost => UnlockError::Lost,
            LockError::NoMajority | LockError::Removed | LockError::Failed | LockError::Stopped => {
                UnlockError::Failed(error.to_string())
            }
        })
    }
}

/// Changes the members, here or at the leader.
async fn change(service: &LockService, change: MemberChange) -> Reply {
    let changed = timeout(CHANGE_MAX, service.raft().change_members(&change)).await;
    let error = match changed.unwrap_or(Err(MemberError::TimedOut)) {
        Ok(()) => return Reply::Done,
        Err(MemberError::NotLeader { .. }) => {
            let text = "there is no leader: a majority of the members must run";
            return Reply::Unknown(text.into());
        }
        Err(error) => error,
    };
    let text = error.to_string();
    match change {
        _ if !error.is_not_executed() => Reply::Unknown(text),
        MemberChange::Remove { id } if error.is_no_member(id) => Reply::NoMember(text),
        MemberChange::Add { .. } | MemberChange::Remove { .. } => Reply::Error(text),
    }
}
