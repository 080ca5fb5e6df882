//! The claim protocol as it lies on the wire: bodies, dates, headers, filters. No sockets, no
//! state.
//!
//! Server and client share it. What a status means is the core's; how it is spelled is here.

pub mod ask;
pub mod claim;
pub mod date;
pub mod filter;
pub mod seconds;
pub mod status;

/// The path of the collection of claims.
pub const CLAIMS: &str = "/v1/claims/";
/// Carries the fencing token of an active claim.
pub const FENCING_TOKEN: &str = "fencing-token";
/// Makes a repeated POST the same claim.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// `wait=30`: answer when the claim is granted, or after so many seconds; on a GET of a claim that
/// holds the lock: when it is over.
pub const PREFER: &str = "prefer";
/// `wait`: the answer to a GET that was to wait has waited, as long as the server lets it.
pub const PREFERENCE_APPLIED: &str = "preference-applied";
/// So many seconds is all that the client waits for the lock, from this request on.
pub const CLAIM_TIMEOUT: &str = "claim-timeout";
