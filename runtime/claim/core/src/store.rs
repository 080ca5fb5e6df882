//! The store that a claim protects, as the peer of clients: a [`Fence`] that hears their messages.

use turnstile_ids::fence::{Act, Caller, Fence, Notice, State};
use turnstile_ids::never::Never;
use turnstile_ids::number::Token;
use turnstile_step::{Core, Input, InputOf, OutOf};

use crate::message::Message;

/// The core of a store that checks fencing tokens. It hears [`Message::Act`]; other messages change
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Store;

impl Core for Store {
    type State = State;
    type Peer = Caller;
    type Message = Message;
    type Timer = Never;
    type Command = Never;
    type Notice = Notice;
    type Saved = Option<Token>;

    fn start(&self) -> State {
        Fence.start()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let input = match input {
            Input::Message { from, message: Message::Act { token } } => {
                Input::Message { from, message: Act { token } }
            }
            Input::Message {
                from: _,
                message: Message::Request(_) | Message::Response(_) | Message::Over { .. },
            } => return,
            Input::Fired(never) | Input::Command(never) => match never {},
            Input::Restart(saved) => Input::Restart(saved),
        };
        let effects = out.of_part(|out| Fence.step(state, input, out)).into_iter();
        let act = |Act { token }| Message::Act { token };
        out.effects.extend(effects.map(|effect| effect.map(act, |timer| timer, |notice| notice)));
    }
}
