//! Replies: status, body, headers. The core has decided the status.

use serde_json::json;

use crate::server::access::origin::RequestOrigin;
use crate::server::state::record::ClaimRecord;
use crate::wire::request::FieldErrors;

/// The reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// JSON, or empty.
    pub body: Vec<u8>,
    /// The claim's URL.
    pub location: Option<String>,
    /// The claim's token, while it is active.
    pub token: Option<u64>,
    /// The value of Retry-After, in seconds.
    pub retry_after: Option<u32>,
    /// Whether it is the reply to a long poll of GET, which gets `Preference-Applied`.
    pub is_watch: bool,
}

/// The kind of a request, as far as its reply depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// POST.
    Post,
    /// PATCH, with the field that it changes.
    Patch(&'static str),
    /// GET as a long poll for the end of the claim.
    Watch,
}

impl CallKind {
    /// PATCH of the status.
    pub(crate) const PATCH_STATUS: Self = Self::Patch("status");
}

/// The Retry-After of rejected requests, in seconds.
const RETRY_AFTER: u32 = 1;

impl Reply {
    pub(crate) fn json(status: u16, body: &impl serde::Serialize) -> Self {
        // The typical size of a claim's JSON.
        let mut text = Vec::with_capacity(512);
        serde_json::to_writer(&mut text, body).expect("bodies are plain data");
        Self::text(status, text)
    }

    /// A reply with only a message.
    #[must_use]
    pub(crate) fn message(status: u16, text: &str) -> Self {
        let mut reply = Self::json(status, &json!({ "message": text }));
        reply.retry_after = matches!(status, 429 | 503).then_some(RETRY_AFTER);
        reply
    }

    /// 400 with the errors by field.
    #[must_use]
    pub(crate) fn refused(reasons: FieldErrors) -> Self {
        Self::json(400, &reasons)
    }

    /// 503: the storage may or may not have the changes.
    #[must_use]
    pub(crate) fn storage_in_trouble() -> Self {
        Self::message(503, "The storage is unavailable")
    }

    /// 503: no change was made.
    #[cfg(feature = "cluster")]
    #[must_use]
    pub(crate) fn no_majority() -> Self {
        Self::message(503, "No majority of the cluster answers: nothing was changed")
    }

    /// 503: no change was made.
    #[cfg(feature = "cluster")]
    #[must_use]
    pub(crate) fn storage_rejects_writes() -> Self {
        Self::message(503, "The storage of this member rejects writes: nothing was changed")
    }

    /// 503: the cluster may or may not have made the change, or may still make it.
    #[cfg(feature = "cluster")]
    #[must_use]
    pub(crate) fn outcome_unknown() -> Self {
        Self::message(503, "The cluster does not answer: whether it made the change is unknown")
    }

    /// 204.
    #[cfg(feature = "cluster")]
    #[must_use]
    pub(crate) const fn done() -> Self {
        Self::text(204, Vec::new())
    }

    /// A reply with JSON text.
    #[must_use]
    pub(crate) const fn text(status: u16, body: Vec<u8>) -> Self {
        Self { status, body, location: None, token: None, retry_after: None, is_watch: false }
    }

    /// The claim, with 200 or, for a POST, 201 or 202.
    pub(crate) fn claim(
        status: u16,
        id: u64,
        entry: &ClaimRecord,
        origin: &RequestOrigin,
        now_us: u64,
    ) -> Self {
        let body = entry.body(id, origin, now_us);
        let mut reply = Self::json(status, &body);
        reply.token = entry.due_us.and(entry.token);
        reply.location = matches!(status, 201 | 202).then_some(body.url);
        reply
    }

    /// The reply to a long poll for the end of a claim.
    pub(crate) fn watched(
        id: u64,
        entry: Option<&ClaimRecord>,
        origin: &RequestOrigin,
        now_us: u64,
    ) -> Self {
        let reply = match entry {
            Some(entry) => Self::claim(200, id, entry, origin, now_us),
            None => Self::message(404, "No claim found"),
        };
        Self { is_watch: true, ..reply }
    }

    /// 403: the claim has another owner.
    pub(crate) fn forbidden(id: u64) -> Self {
        let mut body = exception("Forbidden", "Only the claim's owner may do this");
        body["claim_id"] = id.into();
        Self::json(403, &body)
    }

    /// The reply without a claim in its body.
    pub(crate) fn without_claim(
        status: u16,
        kind: CallKind,
        entry: Option<(u64, &ClaimRecord)>,
        holder: Option<u64>,
    ) -> Self {
        match (status, kind, entry) {
            (204, _, _) => Self::text(204, Vec::new()),
            (400, CallKind::Patch(field), Some((id, entry))) => {
                let now = entry.status().name();
                let text =
                    format!("The claim is {now}: its {field} cannot be updated to this value");
                let mut body = exception("InvalidRequest", &text);
                body["claim_id"] = id.into();
                body["now"] = now.into();
                body[field] = text.into();
                Self::json(400, &body)
            }
            // The key's claim has ended; it is neither created again nor revived.
            (409, CallKind::Post, Some((id, entry))) => {
                let now = entry.status().name();
                let text = format!("The claim of this idempotency key is {now}: use a new key");
                let mut body = exception("ConflictException", &text);
                body["claim_id"] = id.into();
                body["now"] = now.into();
                Self::json(409, &body)
            }
            (404, _, _) => Self::json(404, &exception("ClaimNotFound", "No claim found")),
            (409, _, _) => {
                let text = "Resource is locked by another claim";
                let mut body = exception("ConflictException", text);
                body["active_claim_id"] = holder.into();
                Self::json(409, &body)
            }
            (429, _, _) => Self::message(429, "Too many claims wait for this resource"),
            (status, _, _) => Self::message(status, "The server cannot process the request"),
        }
    }
}

/// The error format of the original server, by which its clients distinguish errors.
fn exception(class: &str, text: &str) -> serde_json::Value {
    json!({ "exception_class": class, "message": text })
}
