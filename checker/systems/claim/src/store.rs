//! The store that the lock protects, as a node, with a check of every step.

use turnstile_claim_core::message::{Caller, Message};
use turnstile_claim_core::store::Store;
use turnstile_ids::fence::{Notice, State};
use turnstile_ids::never::Never;
use turnstile_ids::number::Token;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, RowOutcome};
use turnstile_world::{CoreNode, NodeId};

use crate::envelope::{self, Envelope, Enveloped, received};

/// A store, and the check that it answers each act, and saves each newer token and nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedStore;

impl Core for CheckedStore {
    type State = State;
    type Peer = Caller;
    type Message = Envelope;
    type Timer = Never;
    type Command = Never;
    type Notice = Notice;
    type Saved = Option<Token>;

    fn start(&self) -> State {
        Store.start()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let newest = state.newest();
        let act = received(&input).and_then(|envelope| match envelope.message {
            Message::Act { token } => Some(token),
            Message::Request(_) | Message::Response(_) | Message::Over { .. } => None,
        });
        let is_restart = matches!(input, Input::Restart(_));
        Enveloped(Store).step(state, input, out);
        let notices = out.effects.iter().filter(|effect| matches!(effect, Effect::Notify(_)));
        let is_answered = notices.count() == usize::from(act.is_some());
        let saves = out.effects.iter().filter(|effect| matches!(effect, Effect::Save(_)));
        let is_newer = act.is_some_and(|token| token > newest);
        let is_saved = saves.count() == usize::from(is_newer);
        let is_kept = is_restart || state.newest() == newest.max(act.flatten());
        out.rows.extend((!(is_answered && is_saved && is_kept)).then_some(WRONG_ANSWER));
    }
}

/// The violation where a store does not answer an act, or does not save what it must.
const WRONG_ANSWER: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "act",
    reason: "the store answers each act once, and saves each newer token and nothing else",
};

/// The store of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreNode;

impl CoreNode for StoreNode {
    type Core = CheckedStore;

    fn core(&self, _choice: u8) -> CheckedStore {
        CheckedStore
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
