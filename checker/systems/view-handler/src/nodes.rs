//! The members as nodes, with notices to the monitor.

use std::fmt;

use turnstile_core::view::{self, Command, Handler, MemberId, Message, State, Timer, View};
use turnstile_machine::Rules as _;
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::system::{member, node};
use crate::{HandlerRules, Views, words};

/// A notice of a member's node to the monitor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {
    /// A notice to its user.
    User(view::Notice),
    /// A coord has sent it this view.
    ViewReceived(View),
    /// It did not answer a MERGE-REQ.
    UnansweredMergeReq,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(notice) => notice.fmt(f),
            Self::ViewReceived(view) => write!(f, "hears of {view}"),
            Self::UnansweredMergeReq => f.write_str("owes an answer"),
        }
    }
}

/// A member with a check of every step.
#[derive(Clone, Debug)]
pub(crate) struct ObservedMember {
    handler: Handler<HandlerRules>,
    /// Whether its Resumer is armed.
    resumes: bool,
}

impl Core for ObservedMember {
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        self.handler.start()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut is_asked = false;
        if let Input::Message { message, .. } = &input {
            is_asked = matches!(message, Message::MergeReq { .. });
            if let Message::View(view) = message {
                out.effects.push(Effect::Notify(Notice::ViewReceived(view.clone())));
            }
        }
        let mut inner = Out::default();
        self.handler.step(state, input, &mut inner);
        let answers =
            |one: &_| matches!(one, Effect::Send { message: Message::MergeRsp { .. }, .. });
        if is_asked && !inner.effects.iter().any(answers) {
            out.effects.push(Effect::Notify(Notice::UnansweredMergeReq));
        }
        if !self.resumes {
            inner.effects.retain(|effect| !matches!(effect, Effect::Arm(Timer::Resumer(_))));
        }
        out.rows.append(&mut inner.rows);
        let effects = inner.effects.into_iter();
        out.effects.extend(
            effects.map(|effect| effect.map(|message| message, |timer| timer, Notice::User)),
        );
    }
}

/// A member of a world, and its user. The network below sends to it like another member.
#[derive(Clone, Debug)]
pub(crate) struct MemberNode {
    pub(crate) views: Views,
    pub(crate) me: NodeId,
}

impl CoreNode for MemberNode {
    type Core = ObservedMember;

    fn core(&self, choice: u8) -> ObservedMember {
        let handler = self.views.handler(self.me, choice);
        ObservedMember { handler, resumes: self.views.assumptions.resumes }
    }

    fn choices(&self) -> u8 {
        self.views.rules.choices()
    }

    fn begin(&self, _out: &mut OutOf<ObservedMember>) -> State {
        let view = self.views.first_view(self.me);
        State::new(member(self.me), self.views.rules.initial(), view)
    }

    fn node(&self, peer: MemberId) -> NodeId {
        node(peer)
    }

    fn peer(&self, node: NodeId) -> MemberId {
        member(node)
    }

    fn commands(&self, state: &State) -> Vec<Command> {
        self.views.commands_to(self.me, state)
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        words::timer(timer)
    }

    fn message_words(&self, message: &Message) -> String {
        words::message(message)
    }

    fn command_words(&self, command: &Command) -> String {
        words::command(command)
    }

    fn timer_words(&self, timer: &Timer) -> String {
        words::timer(timer).to_owned()
    }

    fn fired_words(&self, timer: &Timer) -> String {
        words::fired(timer).to_owned()
    }

    fn notice_words(&self, notice: &Notice) -> Option<String> {
        match notice {
            Notice::User(notice) => words::notice(notice),
            Notice::ViewReceived(_) | Notice::UnansweredMergeReq => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        Some(state.at.name().to_owned())
    }
}
