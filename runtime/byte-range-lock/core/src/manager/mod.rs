//! The cache manager: it grants byte-range locks to the clients of its host, and asserts them with
//! a file server that knows locks of whole files only.
//!
//! Each lock is an instance of the machine `byte-range-lock`, each file's server lock one of
//! `server-lock`. No code here branches on a machine's state: rows and rules decide. [`guards`]
//! evaluates guards, [`facts`] the predicates of formulas.

mod actions;
mod cache_manager;
mod context;
mod facts;
mod guards;
mod state;

use turnstile_byte_range_lock_machines::{byte_range_lock, server_lock};
use turnstile_machine::Rules;
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::context::StepContext;
use super::message::{FileServerPeer, Message};

pub use cache_manager::{CacheManager, Command, Notice, Operation, Outcome, Timer};
pub use state::{File, PendingCall, State};

impl<L: Rules<byte_range_lock::Machine>, S: Rules<server_lock::Machine>> Core
    for CacheManager<L, S>
{
    type State = State;
    type Peer = FileServerPeer;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message {
                message: Message::Reply { call, reply, lease },
                from: FileServerPeer,
            } => {
                if let Some(file) = state.answered(call) {
                    StepContext::new(self, state, file, out).on_reply(reply, lease);
                }
            }
            // No node calls a cache manager.
            Input::Message { message: Message::Call { .. }, from: FileServerPeer } => {}
            Input::Fired(timer) => {
                let (Timer::Check(file) | Timer::Lease(file) | Timer::Wait(file, _)) = timer;
                StepContext::new(self, state, file, out).on_timer(timer);
            }
            Input::Command(Command { file, key, operation }) => {
                StepContext::new(self, state, file, out).on_command(key, operation);
            }
            Input::Restart(_) => *state = State::default(),
        }
    }
}
