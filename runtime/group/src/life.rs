//! The core of one life of a member: it begins a group of its own, or joins one.

use turnstile_core::number::ViewId;
use turnstile_core::stack::{Command, Message, Notice, Stack, State, Timer};
use turnstile_core::view::{MemberId, View};
use turnstile_step::{Core, Input, InputOf, OutOf};

/// A stack that begins with a view of itself alone, if it is to.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) stack: Stack,
    pub(crate) begins_a_group: bool,
}

impl Core for Life {
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        self.stack.start()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Restart(_) if self.begins_a_group => {
                let alone = View::new(ViewId::new(1), [self.stack.views.me]);
                *state = self.stack.begin(alone, out);
            }
            Input::Restart(_) | Input::Command(_) | Input::Message { .. } | Input::Fired(_) => {
                self.stack.step(state, input, out);
            }
        }
    }
}
