//! The wire format of the claim protocol: bodies, dates, headers, filters. No IO, no state.
//!
//! Server and client share it.

pub mod claim;
pub mod date;
pub mod filter;
pub(crate) mod percent;
pub mod query;
pub mod request;
pub mod status;

pub use turnstile_host::seconds;

/// The path of the collection of claims.
pub const CLAIMS: &str = "/v1/claims/";
/// The path of the members of the cluster.
pub const MEMBERS: &str = "/v1/cluster/members/";
/// The path of the state of the cluster, as a file.
pub const SNAPSHOT: &str = "/v1/cluster/snapshot/";
/// The header with the fencing token of an active claim.
pub const FENCING_TOKEN: &str = "fencing-token";
/// The header by which a repeated POST returns the same claim.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header of every answer with the id of its server or cluster: random, kept with its claims,
/// and another one where claims are restored from a snapshot.
pub const SERVER_ID: &str = "claim-server-id";
/// The header `Prefer: wait=N`: respond when the claim is granted, or after N seconds; for a GET of
/// an active claim: when it has ended.
pub const PREFER: &str = "prefer";
/// The header of a response to a long poll of GET: `wait`.
pub const PREFERENCE_APPLIED: &str = "preference-applied";
/// The header with the seconds that the client waits for the lock in all, from this request on.
pub const CLAIM_TIMEOUT: &str = "claim-timeout";
