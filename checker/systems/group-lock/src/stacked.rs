//! Members that handle their views themselves: the view handling system's handlers and network,
//! beneath the locks of this one. What a view or a partition is stands there.

use std::collections::BTreeSet;

use turnstile_core::group::Command as Told;
use turnstile_core::stack::{self, Notice, Stack};
use turnstile_core::view::{self, MemberId};
use turnstile_step::{Core, Effect, Input, InputOf as CoreInput, Out, Symbolic};
use turnstile_system_view_handler::network::Network;
use turnstile_system_view_handler::{HandlerRules, ViewTypes, Views, types as handled};
use turnstile_world::system::{EffectOf, InputOf, OutOf, System};
use turnstile_world::{Cut, NodeId};

use super::types::{Command, GroupTypes, Letter, Runs, Seat, Timer};
use super::{ClientRules, CoordinatorRules, Group, member, node, queue};

/// What is beneath: the network, and who has crashed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Beneath {
    /// Who can talk to whom.
    pub network: Network,
    /// Who has crashed: the others are told of it again and again.
    #[symbolic(skip)]
    crashed: BTreeSet<MemberId>,
}

impl Beneath {
    /// All run and can talk.
    pub(super) fn whole() -> Self {
        Self { network: Network::Whole, crashed: BTreeSet::new() }
    }
}

type Of = Stack<HandlerRules, ClientRules, CoordinatorRules>;

impl Group {
    fn stack(&self, views: &Views, me: NodeId, choice: u8) -> Of {
        Stack { views: views.handler(me, choice), locks: self.core(me, choice) }
    }

    /// A member as it begins, and what it does then.
    pub(super) fn begin(&self, views: &Views, me: NodeId, out: &mut OutOf<GroupTypes>) -> Seat {
        let stack = self.stack(views, me, 0);
        let mut inner = Out::default();
        let state = match views.first_view(me) {
            None => stack.start(),
            Some(view) => stack.begin(view, &mut inner),
        };
        let mut seat = Seat::of(Runs::Stack(state));
        carry(member(me), &mut seat, inner, out);
        seat
    }

    pub(super) fn step_stack(
        &self,
        (me, choice): (NodeId, u8),
        seat: &mut Seat,
        input: InputOf<GroupTypes>,
        out: &mut OutOf<GroupTypes>,
    ) {
        let (Some(views), Runs::Stack(state)) = (&self.views, &mut seat.runs) else { return };
        let Some(input) = of_stack(views, input) else { return };
        let mut inner = Out::default();
        let before = state.locks.clone();
        self.stack(views, me, choice).step(state, input, &mut inner);
        let sent = inner.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message: stack::Message::Locks(message) } => Some((*to, message)),
            Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(())
            | Effect::Notify(_) => None,
        });
        let is_in_order = queue::is_in_order(member(me), (&before, &state.locks), sent);
        carry(member(me), seat, inner, out);
        seat.passed_over |= !is_in_order;
    }

    pub(super) fn step_beneath(
        &self,
        beneath: &mut Beneath,
        input: InputOf<GroupTypes>,
        out: &mut OutOf<GroupTypes>,
    ) {
        let Some(views) = &self.views else { return };
        match input {
            Input::Message { message: Letter::Ended(gone), .. } => {
                beneath.crashed.insert(gone);
            }
            Input::Command(Command::Noticed(gone)) => {
                let others = (0..self.members).filter(|other| *other != node(gone));
                let message = Letter::Crashed(gone);
                out.effects.extend(others.map(|to| Effect::Send { to, message: message.clone() }));
            }
            input @ (Input::Message { .. }
            | Input::Fired(_)
            | Input::Command(_)
            | Input::Restart(_)) => {
                let Some(input) = below(input) else { return };
                let mut effects = Vec::new();
                views.step_network(&mut beneath.network, &input, &mut effects);
                out.effects.extend(effects.into_iter().filter_map(above));
            }
        }
    }

    /// What a member's view handling may be told.
    pub(super) fn view_wishes(&self, me: NodeId, seat: &Seat) -> Vec<Command> {
        let (Some(views), Some(state)) = (&self.views, seat.handler()) else { return Vec::new() };
        views.commands_to(me, state).into_iter().map(Command::Handler).collect()
    }

    /// What may happen beneath: what may happen to the network, or that a crash is noticed.
    pub(super) fn wishes_beneath(&self, me: NodeId, beneath: &Beneath) -> Vec<Command> {
        let Some(views) = &self.views else { return Vec::new() };
        let network = turnstile_system_view_handler::State::Network(beneath.network);
        let network = views.commands(me, &network).into_iter().map(Command::Handler);
        network.chain(beneath.crashed.iter().copied().map(Command::Noticed)).collect()
    }

    /// What the view handling system says of an input that is one of its own.
    pub(super) fn cut_beneath(&self, me: NodeId, input: &InputOf<GroupTypes>) -> Option<Cut> {
        self.views.as_ref()?.cut(me, &below(input.clone())?)
    }
}

/// What is an input of the view handling system.
pub(super) fn below(input: InputOf<GroupTypes>) -> Option<InputOf<ViewTypes>> {
    Some(match input {
        Input::Message { from, message: Letter::Handler(message) } => {
            Input::Message { from, message }
        }
        Input::Fired(Timer::Handler(timer)) => Input::Fired(timer),
        Input::Command(Command::Handler(command)) => Input::Command(command),
        Input::Restart(saved) => Input::Restart(saved),
        Input::Message {
            message:
                Letter::Member(_)
                | Letter::Crashed(_)
                | Letter::Ended(_)
                | Letter::View(_)
                | Letter::Stop,
            ..
        }
        | Input::Fired(Timer::Locks(_))
        | Input::Command(
            Command::Member(_)
            | Command::Needless(_)
            | Command::Again(_)
            | Command::Crash
            | Command::Noticed(_)
            | Command::Membership(_),
        ) => {
            return None;
        }
    })
}

/// An effect of the view handling system, but for what it notices for its own properties.
fn above(effect: EffectOf<ViewTypes>) -> Option<EffectOf<GroupTypes>> {
    Some(match effect {
        Effect::Send { to, message } => Effect::Send { to, message: Letter::Handler(message) },
        Effect::Arm(timer) => Effect::Arm(Timer::Handler(timer)),
        Effect::Disarm(timer) => Effect::Disarm(Timer::Handler(timer)),
        Effect::Save(()) => Effect::Save(()),
        Effect::Notify(handled::Notice::Member(notice)) => Effect::Notify(Notice::Views(notice)),
        Effect::Notify(handled::Notice::Hears(_) | handled::Notice::OwesAnAnswer) => return None,
    })
}

/// An input of a member as its core has it.
fn of_stack(views: &Views, input: InputOf<GroupTypes>) -> Option<CoreInput<Of>> {
    Some(match input {
        Input::Message { from, message: Letter::Member(message) } => {
            Input::Message { from: member(from), message: stack::Message::Locks(message) }
        }
        Input::Message { message: Letter::Crashed(member), .. } => {
            Input::Command(stack::Command::Views(view::Command::Suspect { member }))
        }
        Input::Fired(Timer::Locks(timer)) => Input::Fired(stack::Timer::Locks(timer)),
        Input::Command(Command::Member(Told::Lock(lock)) | Command::Again(lock)) => {
            Input::Command(stack::Command::Lock(lock))
        }
        Input::Command(Command::Member(Told::Unlock(lock)) | Command::Needless(lock)) => {
            Input::Command(stack::Command::Unlock(lock))
        }
        input @ (Input::Message { .. }
        | Input::Fired(_)
        | Input::Command(_)
        | Input::Restart(_)) => match views.of_member(below(input)?)? {
            Input::Message { from, message } => {
                Input::Message { from, message: stack::Message::Views(message) }
            }
            Input::Fired(timer) => Input::Fired(stack::Timer::Views(timer)),
            Input::Command(command) => Input::Command(stack::Command::Views(command)),
            Input::Restart(saved) => Input::Restart(saved),
        },
    })
}

/// What a member did, and what its callers learn of it.
fn carry(
    me: MemberId,
    seat: &mut Seat,
    mut inner: turnstile_step::OutOf<Of>,
    out: &mut OutOf<GroupTypes>,
) {
    out.rows.append(&mut inner.rows);
    for effect in inner.effects {
        out.effects.push(match effect {
            Effect::Send { to, message } => {
                let message = match message {
                    stack::Message::Views(message) => Letter::Handler(message),
                    stack::Message::Locks(message) => Letter::Member(message),
                };
                Effect::Send { to: node(to), message }
            }
            Effect::Arm(timer) => Effect::Arm(timer.into()),
            Effect::Disarm(timer) => Effect::Disarm(timer.into()),
            Effect::Save(()) => continue,
            Effect::Notify(notice) => {
                match &notice {
                    Notice::Views(notice) => seat.is_told_of_views(me, notice),
                    Notice::Locks(notice) => seat.is_told(*notice),
                }
                Effect::Notify(notice)
            }
        });
    }
}

impl From<stack::Timer> for Timer {
    fn from(timer: stack::Timer) -> Self {
        match timer {
            stack::Timer::Views(timer) => {
                Self::Handler(turnstile_system_view_handler::Timer::Member(timer))
            }
            stack::Timer::Locks(timer) => Self::Locks(timer),
        }
    }
}

/// Those of a member's view handling that may be armed.
pub(super) fn timers(seat: &Seat) -> Vec<Timer> {
    let Some(state) = seat.handler() else { return Vec::new() };
    let resumer = view::Timer::Resumer(state.suspension);
    [view::Timer::Queue, view::Timer::Merge, resumer]
        .map(|timer| stack::Timer::Views(timer).into())
        .into()
}
