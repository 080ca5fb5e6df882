//! The bounds on a core that a node runs.

use serde::Serialize;
use serde::de::DeserializeOwned;
use turnstile_step::Core;

/// The bounds on a core that a [`Node`](super::Node) runs: its state and messages can be sent to
/// another thread, and its saved state can be serialized.
///
/// `Saved` is encoded by postcard, without field names. A later version of a core can read what an
/// earlier one has saved if it only appends variants to enums. For any other change, make `Saved`
/// an enum with a variant for each layout, and convert old ones at `Input::Restart`.
pub trait NodeCore:
    Core<
        State: Send,
        Peer: Send + Sync,
        Message: Send + Sync,
        Timer: Send,
        Command: Send,
        Notice: Send,
        Saved: Send + Serialize + DeserializeOwned,
    > + Send
    + 'static
{
}

impl<C> NodeCore for C where
    C: Core<
            State: Send,
            Peer: Send + Sync,
            Message: Send + Sync,
            Timer: Send,
            Command: Send,
            Notice: Send,
            Saved: Send + Serialize + DeserializeOwned,
        > + Send
        + 'static
{
}
