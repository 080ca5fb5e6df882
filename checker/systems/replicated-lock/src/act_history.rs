//! The monitor (history variables) of the replicated lock service's properties: the acts under each
//! lock.

use turnstile_ids::fence::{self, Act, Caller, Fence, Notice as Verdict};
use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::message::{MutexEvent, Notice as Core};
use turnstile_replicated_lock_core::types::{Address, LockName};
use turnstile_step::{Core as _, Effect, Input, Out, Symbolic};
use turnstile_world::{Breaches, NodeId, Observation};

use crate::nodes::Notice;
use crate::rule;

/// The history variables of one lock: the nodes that have acted, in order, each under a grant that
/// it does not know to be lost; and the store, which checks fencing tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct ActHistory {
    /// The resource that the lock protects.
    store: fence::State,
    /// By node.
    pub(crate) order: Vec<NodeId>,
    /// Some node has acted.
    pub(crate) has_acted: bool,
}

/// Records acts under each lock; adds the rules that they break.
pub(crate) fn observe(histories: &mut [ActHistory], seen: &Observation, breaches: &mut Breaches) {
    let Observation::Told(node, notice) = seen else { return };
    let of = |lock: LockName| usize::try_from(lock.0).expect("there are few locks");
    match *notice.of() {
        Notice::Acts { lock, by, token } => histories[of(lock)].act(*node, by, token, breaches),
        Notice::Member(Core::Mutex {
            lock,
            event: MutexEvent::Returns | MutexEvent::UnexpectedUnlocking,
        }) => {
            histories[of(lock)].order.retain(|other| other != node);
        }
        Notice::Member(_) => {}
    }
}

impl ActHistory {
    fn act(&mut self, node: NodeId, by: Address, token: Option<Token>, breaches: &mut Breaches) {
        let (from, message) = (Caller(by.0), Act { token });
        let mut out = Out::default();
        Fence.step(&mut self.store, Input::Message { from, message }, &mut out);
        let is_accepted = |effect: &_| matches!(effect, Effect::Notify(Verdict::Accepted { .. }));
        if out.effects.iter().any(is_accepted) {
            self.has_acted = true;
            match self.order.iter().position(|other| *other == node) {
                None => self.order.push(node),
                Some(place) => {
                    breaches.require(rule::ACTS, place + 1 == self.order.len());
                }
            }
        }
    }
}
