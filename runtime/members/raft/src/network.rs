//! Requests and answers between members: bytes, whatever carries them.

pub(crate) mod calls;
pub mod hub;
pub mod tcp;

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
pub use turnstile_host::transport::tcp::Trouble;

/// The maximum size of a request that a network must carry.
pub const REQUEST_BYTES_MAX: usize = 8 << 20;

/// A future behind a pointer.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers the requests of other members.
pub trait Handler: Send + Sync + 'static {
    /// Answers a request; `None` if the member has stopped or cannot read the request.
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>>;
}

/// Carries the requests of one member to others, and those of others to it.
///
/// A request may be lost, or its answer; it may arrive late, but at most once. The caller cancels a
/// call that takes too long.
pub trait Network: Send + Sync + 'static {
    /// Starts to hand requests to this member.
    fn serve(&self, handler: Arc<dyn Handler>);

    /// Says which members there are, and their addresses: after each change of the membership.
    fn set_members(&self, members: &BTreeMap<u64, String>);

    /// Sends a request to a member and waits for its answer.
    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>>;

    /// Why a member is not connected, if that is known.
    fn trouble(&self, _to: u64) -> Option<Trouble> {
        None
    }

    /// How often another process with this member's id has taken over a connection of this one.
    fn replaced(&self) -> u64 {
        0
    }

    /// Closes all connections.
    fn close(&self) -> Boxed<'_, ()>;
}

/// A request that has no answer; whether it arrived is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// Why there is none.
    pub why: String,
}

impl CallError {
    /// An error with its reason.
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for CallError {}
