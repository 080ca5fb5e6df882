//! The operations of the log, and their encoding.
//!
//! An operation is encoded where its request is received; the leader puts its stamp before it. The
//! order of variants and fields is the format, and each entry of the log has its version,
//! [`ClusterOptions::VERSION`](super::options::ClusterOptions::VERSION): a change of the format is
//! another one, which is written once all members can apply it.

use std::net::SocketAddr;

use bytes::{BufMut as _, Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use turnstile_claim_core::message::TargetStatus;
use turnstile_claim_core::number::IdempotencyKey;

use super::limits::LimitsInForce;
use crate::server::access::auth::Identity;
use crate::server::access::origin::{MemberRun, RequestOrigin};
use crate::server::web::call::ClaimRequest;
use crate::wire::request::{Patch, Post};

const STAMP_BYTES: usize = 8 + 8;

/// What the leader adds to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The term of the leader. An operation has an effect in that term only.
    pub(super) term: u64,
    /// The leader's time, in microseconds.
    pub(super) at_us: u64,
}

/// An operation of the log.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Operation {
    /// A leader begins its term: all requests that wait end, and all leases start again.
    Lead(NewTerm),
    /// A request that may change claims.
    Request(RequestOperation),
    /// These callers have gone.
    HangUp(Vec<u64>),
    /// The requests of a member do not wait any longer, since it stops.
    EndWaits(MemberRun),
    /// The callers of a member have gone with it.
    MemberGone(MemberRun),
    /// Timers are due: an operation fires those of its time.
    Tick,
    /// The leader hears from a majority again: all requests that wait end, and all leases start
    /// again.
    Renew,
}

/// The beginning of a term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NewTerm {
    /// The name of the cluster.
    pub(super) cluster: String,
    /// The leader's date, in microseconds since the Unix epoch.
    pub(super) date_us: u64,
    pub(super) limits: LimitsInForce,
}

/// A request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RequestOperation {
    /// The number of the request in the run that has received it.
    pub(super) number: u64,
    /// The least number of that run whose request is still being carried.
    pub(super) oldest: u64,
    pub(super) origin: EncodedOrigin,
    change: EncodedChange,
}

/// A [`ClaimRequest`].
#[derive(Debug, Serialize, Deserialize)]
enum EncodedChange {
    Post { resource: String, ttl_us: u64, user_data: Option<String>, key: Option<u64> },
    Ttl { id: u64, ttl_us: u64 },
    Status { id: u64, to: TargetStatus },
}

/// A [`RequestOrigin`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EncodedOrigin {
    pub(super) received_by: MemberRun,
    base: String,
    wait_us: Option<u64>,
    timeout_us: Option<u64>,
    name: Option<String>,
    has_all_rights: bool,
    from: SocketAddr,
}

impl EncodedOrigin {
    pub(super) fn new(origin: &RequestOrigin, received_by: MemberRun) -> Self {
        let RequestOrigin { base, wait_us, timeout_us, identity, received_by: _ } = origin;
        let Identity { name, has_all_rights, from } = identity;
        Self {
            received_by,
            base: base.to_string(),
            wait_us: *wait_us,
            timeout_us: *timeout_us,
            name: name.as_deref().map(str::to_owned),
            has_all_rights: *has_all_rights,
            from: *from,
        }
    }

    pub(super) fn decode(self) -> RequestOrigin {
        let Self { received_by, base, wait_us, timeout_us, name, has_all_rights, from } = self;
        let identity = Identity { name: name.map(Into::into), has_all_rights, from };
        let received_by = Some(received_by);
        RequestOrigin { base: base.into(), wait_us, timeout_us, identity, received_by }
    }
}

impl RequestOperation {
    pub(super) fn new(
        (number, oldest): (u64, u64),
        origin: EncodedOrigin,
        request: &ClaimRequest,
    ) -> Self {
        let change = match request {
            ClaimRequest::Post { post: Post { resource, ttl_us, user_data }, key } => {
                let (resource, ttl_us) = (resource.clone(), *ttl_us);
                let user_data = user_data.as_deref().map(|data| data.get().to_owned());
                let key = key.map(IdempotencyKey::number);
                EncodedChange::Post { resource, ttl_us, user_data, key }
            }
            ClaimRequest::Patch { id, patch: Patch::Ttl(ttl_us) } => {
                EncodedChange::Ttl { id: *id, ttl_us: *ttl_us }
            }
            ClaimRequest::Patch { id, patch: Patch::Status(to) } => {
                EncodedChange::Status { id: *id, to: *to }
            }
        };
        Self { number, oldest, origin, change }
    }

    /// `None` if its user data is not JSON.
    pub(super) fn decode(self) -> Option<(ClaimRequest, RequestOrigin)> {
        let request = match self.change {
            EncodedChange::Post { resource, ttl_us, user_data, key } => {
                let user_data = user_data.map(RawValue::from_string).transpose().ok()?;
                let post = Post { resource, ttl_us, user_data };
                ClaimRequest::Post { post, key: key.map(IdempotencyKey::new) }
            }
            EncodedChange::Ttl { id, ttl_us } => {
                ClaimRequest::Patch { id, patch: Patch::Ttl(ttl_us) }
            }
            EncodedChange::Status { id, to } => {
                ClaimRequest::Patch { id, patch: Patch::Status(to) }
            }
        };
        Some((request, self.origin.decode()))
    }
}

/// The operation as it is proposed.
pub(super) fn stamped(stamp: Stamp, operation: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(STAMP_BYTES + operation.len());
    out.put_u64_le(stamp.term);
    out.put_u64_le(stamp.at_us);
    out.extend_from_slice(operation);
    out.freeze()
}

/// Reads an operation that was proposed.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Result<(Stamp, Operation), String> {
    let damaged = || "an operation of the log is damaged".to_owned();
    let (term, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
    let (at_us, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (term, at_us) = (u64::from_le_bytes(*term), u64::from_le_bytes(*at_us));
    let operation = decode(rest).ok_or_else(damaged)?;
    Ok((Stamp { term, at_us }, operation))
}

pub(super) fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("it has no map of unknown length")
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
