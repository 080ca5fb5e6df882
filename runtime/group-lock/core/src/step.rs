//! What an input is to a member.

use turnstile_group_lock_machines::group_lock_client as client_machine;
use turnstile_group_lock_machines::group_lock_coordinator as coordinator_machine;
use turnstile_machine::Rules;
use turnstile_step::{Core, Input, InputOf, OutOf};
use turnstile_view_handler_core::MemberId;

use super::context::StepContext;
use super::member::Member;
use super::message::Message;
use super::state::{Command, Notice, State, Timer};

impl<C: Rules<client_machine::Machine>, K: Rules<coordinator_machine::Machine>> Core
    for Member<C, K>
{
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::at(self.coordinator.initial())
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut context = StepContext::new(self, state, out);
        match input {
            Input::Message { from, message } => context.on_message(from, message),
            Input::Fired(Timer::Lock(lock)) => context.give_up(lock),
            Input::Fired(Timer::Reconciliation) => context.stop_waiting(),
            Input::Command(Command::Lock(lock)) => context.lock(lock),
            Input::Command(Command::Unlock(lock)) => context.unlock(lock),
            Input::Command(Command::View(view)) => context.view(view),
            Input::Restart(_) => *context.state = self.start(),
        }
        context.finish();
    }
}
