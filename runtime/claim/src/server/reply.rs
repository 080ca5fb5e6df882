//! An answer as it goes out: status, body, headers. Which status it is, the core has decided.

use serde_json::json;

use super::call::Origin;
use super::entry::Entry;
use crate::wire::ask::Reasons;

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// JSON, or nothing.
    pub body: Vec<u8>,
    /// The claim's URL.
    pub location: Option<String>,
    /// The claim's token, while it is active.
    pub token: Option<u64>,
    /// Come again after so many seconds.
    pub retry_after: Option<u32>,
    /// It answers a GET that was to wait, and that a server which can wait has heard.
    pub is_watch: bool,
}

/// What a request was, as far as its answer's body depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// POST.
    Post,
    /// PATCH, and the field that it changes.
    Patch(&'static str),
    /// GET, until the claim is over.
    Watch,
}

/// Seconds after which a client that was turned away may come again.
const RETRY_AFTER: u32 = 1;

impl Reply {
    fn json(status: u16, body: &impl serde::Serialize) -> Self {
        // A claim with a short name takes about so many.
        let mut text = Vec::with_capacity(512);
        serde_json::to_writer(&mut text, body).expect("bodies are plain data");
        Self::text(status, text)
    }

    /// A message and nothing else.
    #[must_use]
    pub(crate) fn message(status: u16, text: &str) -> Self {
        let mut reply = Self::json(status, &json!({ "message": text }));
        reply.retry_after = matches!(status, 429 | 503).then_some(RETRY_AFTER);
        reply
    }

    /// 400, with the reasons by field.
    #[must_use]
    pub(crate) fn refused(reasons: Reasons) -> Self {
        Self::json(400, &reasons)
    }

    /// 503: nobody knows what is on disk.
    #[must_use]
    pub(crate) fn storage_in_trouble() -> Self {
        Self::message(503, "The storage is in trouble")
    }

    /// A JSON text that is made already.
    #[must_use]
    pub(crate) const fn text(status: u16, body: Vec<u8>) -> Self {
        Self { status, body, location: None, token: None, retry_after: None, is_watch: false }
    }

    /// 200 or, for a POST, 201 or 202: the claim.
    pub(crate) fn claim(status: u16, id: u64, entry: &Entry, origin: &Origin, now_us: u64) -> Self {
        let body = entry.body(id, origin, now_us);
        let mut reply = Self::json(status, &body);
        reply.token = entry.due_us.and(entry.token);
        reply.location = matches!(status, 201 | 202).then_some(body.url);
        reply
    }

    /// The answer to a GET that was to wait until the claim is over.
    pub(crate) fn watched(id: u64, entry: Option<&Entry>, origin: &Origin, now_us: u64) -> Self {
        let reply = match entry {
            Some(entry) => Self::claim(200, id, entry, origin, now_us),
            None => Self::message(404, "No claim found"),
        };
        Self { is_watch: true, ..reply }
    }

    /// 403: the claim is another's.
    pub(crate) fn forbidden(id: u64) -> Self {
        let mut body =
            exception("Forbidden", "The claim belongs to another: its owner may do this");
        body["claim_id"] = id.into();
        Self::json(403, &body)
    }

    /// What an answer says whose body is no claim.
    pub(crate) fn without_claim(
        status: u16,
        asked: Asked,
        entry: Option<(u64, &Entry)>,
        holder: Option<u64>,
    ) -> Self {
        match (status, asked, entry) {
            (204, _, _) => Self::text(204, Vec::new()),
            (400, Asked::Patch(field), Some((id, entry))) => {
                let now = entry.status().name();
                let text = format!("The claim is {now}: its {field} cannot be updated so");
                let mut body = exception("InvalidRequest", &text);
                body["claim_id"] = id.into();
                body["now"] = now.into();
                body[field] = text.into();
                Self::json(400, &body)
            }
            // One whose claim is over: it is neither made anew nor given back to life.
            (409, Asked::Post, Some((id, entry))) => {
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
            (status, _, _) => Self::message(status, "The server cannot do this"),
        }
    }
}

/// What every refusal of the old server had in it, by which its clients tell one from another.
fn exception(class: &str, text: &str) -> serde_json::Value {
    json!({ "exception_class": class, "message": text })
}
