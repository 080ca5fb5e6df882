//! The store that the lock protects, as a node.

use turnstile_core::claim::message::Caller;
use turnstile_core::fence::{Fence, Notice, State};
use turnstile_core::never::Never;
use turnstile_world::{CoreNode, NodeId};

use crate::envelope::{self, Enveloped};

/// The store of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreNode;

impl CoreNode for StoreNode {
    type Core = Enveloped<Fence>;

    fn core(&self, _choice: u8) -> Enveloped<Fence> {
        Enveloped(Fence)
    }

    fn node(&self, peer: Caller) -> NodeId {
        envelope::node(peer)
    }

    fn peer(&self, node: NodeId) -> Caller {
        envelope::caller(node)
    }

    fn commands(&self, _state: &State) -> Vec<Never> {
        Vec::new()
    }

    fn notice_words(&self, notice: &Notice) -> Option<String> {
        Some(format!("{notice:?}"))
    }

    fn shows_saves(&self) -> bool {
        false
    }
}
