//! The group's locks, for the users of its member's socket.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnstile_group_lock::{Guard, Member};
use turnstile_local::{
    LockGuard, LockRequest, MemberCertificates, Service, UnlockError, UserToken, Work,
};

use super::status;

/// The first line of a connection.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Waits for a lock and holds it.
    Lock(LockRequest),
    /// The member's status.
    Status,
}

/// The answer to a request that asks for no lock.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The status, as its own object.
    Status(Value),
}

/// A member and the name of its group.
#[derive(Clone)]
pub(crate) struct Local {
    pub(crate) group: String,
    pub(crate) member: Member,
    pub(crate) certificates: MemberCertificates,
}

/// A lock that the member holds for a user.
pub(crate) struct HeldLock(Guard);

impl Service for Local {
    type Request = Request;
    type Reply = Reply;
    type Guard = HeldLock;

    fn handle(&self, request: Request) -> Work<'_, Reply> {
        match request {
            Request::Lock(request) => Work::Lock(request),
            Request::Status => Work::reply(async {
                let mut status = status::json(&self.group, &self.member.status());
                status["certificates"] = self.certificates.json();
                Reply::Status(status)
            }),
        }
    }

    async fn lock(&self, id: &str) -> Result<HeldLock, String> {
        Ok(HeldLock(self.member.lock(id).await))
    }

    async fn try_lock(&self, id: &str) -> Result<Option<HeldLock>, String> {
        let tried = self.member.try_lock(id).await.map(HeldLock);
        if tried.is_none() && self.member.views().borrow().members.is_empty() {
            return Err(
                "the member is in no group yet, so nobody can say whether it is free".into()
            );
        }
        Ok(tried)
    }
}

impl LockGuard for HeldLock {
    fn token(&self) -> Option<UserToken> {
        self.0.token().map(|token| UserToken::Text(token.to_string()))
    }

    async fn lost(&self) {
        self.0.lost().await;
    }

    async fn unlock(self) -> Result<(), UnlockError> {
        // Dropping the guard gives the lock back.
        if self.0.is_held() { Ok(()) } else { Err(UnlockError::Lost) }
    }
}
