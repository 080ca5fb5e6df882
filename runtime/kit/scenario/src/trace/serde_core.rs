//! The bounds on a core that can be traced.

use serde::Serialize;
use serde::de::DeserializeOwned;
use turnstile_step::Core;

/// A core whose types are serde types, so that its inputs and effects can be recorded.
pub trait SerdeCore:
    Core<
        Peer: Serialize + DeserializeOwned,
        Message: Serialize + DeserializeOwned,
        Timer: Serialize + DeserializeOwned,
        Command: Serialize + DeserializeOwned,
        Notice: Serialize,
        Saved: Serialize + DeserializeOwned,
    >
{
}

impl<C> SerdeCore for C where
    C: Core<
            Peer: Serialize + DeserializeOwned,
            Message: Serialize + DeserializeOwned,
            Timer: Serialize + DeserializeOwned,
            Command: Serialize + DeserializeOwned,
            Notice: Serialize,
            Saved: Serialize + DeserializeOwned,
        >
{
}
