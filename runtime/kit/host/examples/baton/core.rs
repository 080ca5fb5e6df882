//! A runner: what the rows of its table do.

use serde::{Deserialize, Serialize};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, step_machine};

turnstile_machine::machine!("examples/baton/baton.yaml");

pub(crate) use runner::State as At;
use runner::{Action, BatonNumber, Event, Machine, RestartsAs, ThanksFor};

/// A runner, and the other one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runner {
    pub(crate) other: u8,
}

/// Where a runner is, and the number of the baton that it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) at: At,
    pub(crate) number: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Message {
    Baton(u64),
    Thanks(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Timer {
    Hold,
    Retry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Begin;

/// The baton of this number is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct HasBaton(pub(crate) u64);

/// Whether the baton is held or being handed over, if it is, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Saved(Option<Timer>, u64);

turnstile_step::not_symbolic!(State, Message, Timer, Begin, HasBaton, Saved);

impl Core for Runner {
    type State = State;
    type Peer = u8;
    type Message = Message;
    type Timer = Timer;
    type Command = Begin;
    type Notice = HasBaton;
    type Saved = Saved;

    fn start(&self) -> State {
        State { at: At::Idle, number: 0 }
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut number = state.number;
        let event = match input {
            Input::Command(Begin) => Event::Begin,
            Input::Fired(Timer::Hold) => Event::HoldTimerTriggers,
            Input::Fired(Timer::Retry) => Event::RetryTimerTriggers,
            Input::Message { message: Message::Baton(said), .. } if said <= number => {
                number = said;
                Event::Baton { number: BatonNumber::Known }
            }
            Input::Message { message: Message::Baton(said), .. } => {
                (state.number, number) = (said, said);
                Event::Baton { number: BatonNumber::New }
            }
            Input::Message { message: Message::Thanks(said), .. } => {
                let is_this = said == number + 1;
                Event::Thanks { for_: if is_this { ThanksFor::This } else { ThanksFor::Another } }
            }
            Input::Restart(saved) => {
                *state = self.start();
                let Some(Saved(timer, known)) = saved else { return };
                (state.number, number) = (known, known);
                match timer {
                    None => return,
                    Some(Timer::Hold) => Event::Restarts { as_: RestartsAs::Holding },
                    Some(Timer::Retry) => Event::Restarts { as_: RestartsAs::Handing },
                }
            }
        };
        let Some(step) =
            step_machine(&Machine, state.at, event, &|guard: runner::Guard| match guard {})
                .report(&mut out.rows)
        else {
            return;
        };
        state.at = step.to;
        let send = |message| Effect::Send { to: self.other, message };
        out.effects.extend(step.actions.into_iter().map(|entry| match entry.action {
            Action::HandItOver => send(Message::Baton(state.number + 1)),
            Action::SayThanks => send(Message::Thanks(number)),
            Action::SayThatItIsHeld => Effect::Notify(HasBaton(state.number)),
            Action::StartHoldTimer => Effect::Arm(Timer::Hold),
            Action::StartRetryTimer => Effect::Arm(Timer::Retry),
            Action::DeleteRetryTimer => Effect::Disarm(Timer::Retry),
            Action::WriteItDown => {
                let timer = match step.to {
                    At::Idle => None,
                    At::Holding => Some(Timer::Hold),
                    At::Handing => Some(Timer::Retry),
                };
                Effect::Save(Saved(timer, state.number))
            }
        }));
    }
}
