//! What the properties of the replicated lock service remember: who has acted under each lock.

use turnstile_core::claim::message::{Caller, Message as Act};
use turnstile_core::fence::{self, Fence, Notice as Verdict};
use turnstile_core::number::Token;
use turnstile_core::replicated::message::{Notice as Core, Says};
use turnstile_core::replicated::types::{Address, LockName};
use turnstile_step::{Core as _, Effect, Input, Out, Symbolic};
use turnstile_world::{NodeId, Observation};

use crate::nodes::Notice;

/// What is remembered of one lock: who has acted, in order, each of them under a grant that is not
/// known to be over; and the store, which checks tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Acted {
    /// What the lock protects.
    store: fence::State,
    /// By node.
    pub(crate) order: Vec<NodeId>,
    /// One acted after another one had, and had acted before.
    pub(crate) is_torn: bool,
    /// Somebody acted.
    pub(crate) is_used: bool,
}

/// Remembers who acted under which lock.
pub(crate) fn observe(past: &mut [Acted], seen: &Observation) {
    let Observation::Told(node, notice) = seen else { return };
    let of = |lock: LockName| usize::try_from(lock.0).expect("there are few locks");
    match *notice.of() {
        Notice::Acts { lock, by, token } => past[of(lock)].act(*node, by, token),
        Notice::Member(Core::Mutex { lock, says: Says::Returns | Says::UnexpectedUnlocking }) => {
            past[of(lock)].order.retain(|other| other != node);
        }
        Notice::Member(_) => {}
    }
}

impl Acted {
    fn act(&mut self, node: NodeId, by: Address, token: Option<Token>) {
        let (from, message) = (Caller(by.0), Act::Act { token });
        let mut out = Out::default();
        Fence.step(&mut self.store, Input::Message { from, message }, &mut out);
        let is_accepted = |effect: &_| matches!(effect, Effect::Notify(Verdict::Accepted { .. }));
        if out.effects.iter().any(is_accepted) {
            self.is_used = true;
            match self.order.iter().position(|other| *other == node) {
                None => self.order.push(node),
                Some(place) => self.is_torn |= place + 1 < self.order.len(),
            }
        }
    }
}
