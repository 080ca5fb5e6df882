//! A member and its callers as a node: what they and what is beneath it say is handed to its core,
//! and what that does is held against what they have been told.

use turnstile_core::group::message::LockName;
use turnstile_core::group::{self, Command};
use turnstile_core::stack;
use turnstile_core::view::{self, MemberId};
use turnstile_step::not_symbolic;
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{NodeId, NodePart, Ordered, Value};

use crate::beneath::Letter;
use crate::seat::{Call, Gone, Seat, about_locks, locks_of};
use crate::{member, queue};

/// A member stops; nobody has noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Crash;

not_symbolic!(Crash);

/// A member of a world, and its callers.
#[derive(Debug)]
pub(crate) struct SeatNode {
    pub(crate) me: MemberId,
    /// How many locks its callers want.
    pub(crate) locks: u16,
    /// The node beneath it.
    pub(crate) beneath: NodeId,
    /// Its core.
    pub(crate) runs: Box<dyn NodeCore>,
    /// Whether that is a stack.
    pub(crate) is_stack: bool,
    /// As it begins, where the group has formed before.
    pub(crate) rest: Option<NodePart>,
}

impl SeatNode {
    /// An input as its core has it; `None` for one that ends it.
    fn to_core(&self, input: &Input) -> Option<Input> {
        match input {
            Input::Message { from, message } => {
                if let Some(letter) = message.get() {
                    return told(letter).map(Input::Command);
                }
                let Some(message) = message.get::<view::Message>() else {
                    return Some(input.clone());
                };
                let message = Ordered::new(stack::Message::Views(message.clone()));
                Some(Input::Message { from: *from, message })
            }
            Input::Command(command) if command.get() == Some(&Crash) => None,
            Input::Command(command) => match command.get() {
                Some(call) => Some(Input::Command(self.asks(*call))),
                None => Some(input.clone()),
            },
            Input::Fired(_) | Input::Restart(_) => Some(input.clone()),
        }
    }

    /// What a caller asks, as its core has it.
    fn asks(&self, call: Call) -> Ordered {
        match (call, self.is_stack) {
            (Call::Lock(lock) | Call::Again(lock), false) => Ordered::new(Command::Lock(lock)),
            (Call::Lock(lock) | Call::Again(lock), true) => {
                Ordered::new(stack::Command::Lock(lock))
            }
            (Call::Unlock(lock) | Call::Needless(lock), false) => {
                Ordered::new(Command::Unlock(lock))
            }
            (Call::Unlock(lock) | Call::Needless(lock), true) => {
                Ordered::new(stack::Command::Unlock(lock))
            }
        }
    }

    /// All that may be armed at it.
    fn timers(&self, seat: &Seat) -> Vec<Ordered> {
        let locks = (0..self.locks).map(|lock| group::Timer::Lock(LockName(lock)));
        let locks = locks.chain([group::Timer::Reconciliation]);
        let Some(views) = seat.handler() else { return locks.map(Ordered::new).collect() };
        let resumer = view::Timer::Resumer(views.suspension);
        let views = [view::Timer::Queue, view::Timer::Merge, resumer];
        let views = views.into_iter().map(stack::Timer::Views);
        locks.map(stack::Timer::Locks).chain(views).map(Ordered::new).collect()
    }
}

/// What its core is told by what is beneath it; `None` where that ends it.
fn told(letter: &Letter) -> Option<Ordered> {
    match letter {
        Letter::View(view) => Some(Ordered::new(Command::View(view.clone()))),
        Letter::Crashed(member) => {
            let command = view::Command::Suspect { member: *member };
            Some(Ordered::new(stack::Command::Views(command)))
        }
        Letter::Stop | Letter::Ended(_) => None,
    }
}

impl NodeCore for SeatNode {
    fn start(&self) -> Value {
        match &self.rest {
            Some(rest) => rest.state.clone(),
            None => Value::new(Seat::new(self.runs.start())),
        }
    }

    fn armed(&self) -> Vec<Ordered> {
        self.rest.as_ref().map(|rest| rest.timers.clone()).unwrap_or_default()
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        if state.get::<Seat>().is_none() {
            return;
        }
        let Some(inner) = self.to_core(&input) else {
            out.effects.extend(self.timers(state.of()).into_iter().map(Effect::Disarm));
            if let Input::Command(_) = input {
                let message = Ordered::new(Letter::Ended(self.me));
                out.effects.push(Effect::Send { to: self.beneath, message });
            }
            *state = Value::new(Gone);
            return;
        };
        let seat: &mut Seat = state.of_mut();
        if let Input::Command(command) = &input
            && let Some(call) = command.get()
        {
            seat.is_asked(*call);
        }
        let before = seat.runs.clone();
        if let Input::Restart(_) = inner {
            seat.runs = self.runs.begin(out);
        } else {
            self.runs.step(choice, &mut seat.runs, inner, out);
        }
        let sent = out.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => Some((member(*to), about_locks(message)?)),
            Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) | Effect::Notify(_) => None,
        });
        seat.passed_over |= !queue::is_in_order(self.me, (locks_of(&before), seat.core()), sent);
        seat.did(self.me, &out.effects);
    }

    fn choices(&self) -> u8 {
        self.runs.choices()
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        let Some(seat) = state.get::<Seat>() else { return Vec::new() };
        let calls = seat.calls(self.locks).map(Ordered::new).chain([Ordered::new(Crash)]);
        calls.chain(self.runs.commands(&seat.runs)).collect()
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.runs.timer_name(timer)
    }

    fn input_words(&self, input: &Input) -> String {
        match (self.to_core(input), input) {
            (Some(input), _) => self.runs.input_words(&input),
            (None, Input::Message { message, .. }) => self.message_words(message),
            (None, _) => format!("{} crashes", self.me),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        match message.get::<Letter>() {
            Some(letter) => letter.to_string(),
            None => self.runs.message_words(message),
        }
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        self.runs.effect_words(effect)
    }

    fn state_words(&self, state: &Value) -> Option<String> {
        match state.get() {
            Some(Seat { runs, .. }) => self.runs.state_words(runs),
            None => Some("gone".to_owned()),
        }
    }
}
