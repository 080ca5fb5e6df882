//! The store behind the lock as a node.

use turnstile_core::claim::message::Caller;
use turnstile_core::fence::{Fence, Never, Notice, State};
use turnstile_world::{CoreNode, NodeId};

use crate::letter::{self, InLetters};

/// The store of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreNode;

impl CoreNode for StoreNode {
    type Core = InLetters<Fence>;

    fn core(&self, _choice: u8) -> InLetters<Fence> {
        InLetters(Fence)
    }

    fn node(&self, peer: Caller) -> NodeId {
        letter::node(peer)
    }

    fn peer(&self, node: NodeId) -> Caller {
        letter::caller(node)
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
