//! What an input is to a member.

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Core, Input, InputOf, OutOf};

use super::context::StepContext;
use super::member::Member;
use super::message::{Cluster, Command, Message, Notice};
use super::state::State;
use super::types::Timer;

impl<S: Rules<lock_status::Machine>, M: Rules<lock_member::Machine>, X: Rules<lock_mutex::Machine>>
    Core for Member<S, M, X>
{
    type State = State;
    type Peer = Cluster;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::at(self.member.initial())
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut context = StepContext::new(self, state, out);
        match input {
            Input::Message { from: Cluster, message } => context.on_message(message),
            Input::Fired(Timer::Timeout(lock)) => context.time_out(lock),
            Input::Fired(Timer::Retry(lock)) => context.retry(lock),
            Input::Command(command) => context.on_command(command),
            Input::Restart(_) => *context.state = self.start(),
        }
    }
}
