//! The members as nodes, with notices to the monitor.

use std::fmt;

use turnstile_machine::Rules as _;
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf, Symbolic};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{
    self as view, Command, Handler, Intent, MemberId, MembershipRequest, Message, State, Timer,
    View,
};
use turnstile_view_handler_machines::view_handler::Resource;
use turnstile_world::{Breaches, CoreNode, NodeId, StepRule};

use crate::rule;
use crate::views::{member, node};
use crate::{Assumptions, HandlerRules, Views, words};

/// A notice of a member's node to the monitor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {
    /// A notice to its user.
    User(view::Notice),
    /// A coord has sent it this view.
    ViewReceived(View),
}

/// What a step has to do, by its input and the state before it.
enum Duty {
    /// To answer a MERGE-REQ.
    AnswerMergeReq,
    /// To process the events that a MERGE finds in the queue of a running handler.
    ProcessQueue,
    /// To continue to wait for the end of a merge, whose leader is in the view that arrives.
    WaitForLeader,
    /// To suspect these members of its view, and to remember that they have a view of this number
    /// without it, as long as its own one is not newer.
    Suspect(Vec<MemberId>, ViewId),
    /// To suspect this member, which is in its view or joins it.
    Remember(MemberId),
    /// To resume the handler, as the Resumer of its suspension runs.
    Resume,
    /// To install a view before it resumes the handler.
    InstallFirst,
    /// To do nothing about a view of another that is older than its own.
    IgnoreOlder,
    /// To install of others only views that are newer than the one that it made.
    InstallNewer(ViewId),
    /// To confirm no installation of another view than its own, nor of a merge view.
    ConfirmItsOwn,
    /// To ask this coord to leave; itself, unless its handler is suspended.
    AskToLeave(MemberId),
    /// To tell its user that the state has arrived.
    TellThatItHasTheState,
    /// To give up the installation of the view that it made, which has failed.
    GiveUp,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(notice) => notice.fmt(f),
            Self::ViewReceived(view) => write!(f, "hears of {view}"),
        }
    }
}

/// A member with a check of every step.
#[derive(Clone, Debug)]
pub(crate) struct ObservedMember {
    handler: Handler<HandlerRules>,
    /// Whether its Resumer is armed.
    resumes: bool,
    /// Whether the views that exclude their receivers are lost.
    loses_exclusions: bool,
}

impl Duty {
    /// The rule that asks for it.
    const fn rule(&self) -> StepRule {
        match self {
            Self::AnswerMergeReq => rule::ANSWER_MERGE_REQ,
            Self::ProcessQueue => rule::PROCESS_QUEUE,
            Self::GiveUp => rule::GIVE_UP,
            Self::WaitForLeader => rule::WAIT_FOR_LEADER,
            Self::Suspect(..) => rule::SUSPECT,
            Self::Resume => rule::RESUME,
            Self::InstallFirst => rule::INSTALL_FIRST,
            Self::IgnoreOlder | Self::InstallNewer(_) => rule::INSTALL_NEWER,
            Self::ConfirmItsOwn
            | Self::AskToLeave(_)
            | Self::Remember(_)
            | Self::TellThatItHasTheState => rule::SAY,
        }
    }
}

impl ObservedMember {
    fn is_suspended(&self, state: &State) -> bool {
        self.handler.rules.holds(state.at).contains(&Resource::Resumer)
    }

    /// The duty of a step, by its input.
    fn duty(&self, state: &State, input: &InputOf<Self>) -> Option<Duty> {
        let coordinates = || {
            let coord = state.view.as_ref().and_then(View::coordinator);
            coord == Some(self.handler.me)
        };
        match input {
            Input::Message { from, message } => match message {
                Message::MergeReq { .. } => Some(Duty::AnswerMergeReq),
                Message::Coord(view) if self.is_excluding(state, view) => {
                    self.exclusion(state, *from, view)
                }
                Message::Coord(_) => {
                    let is_asked = !self.is_suspended(state) && coordinates();
                    is_asked.then_some(Duty::ProcessQueue)
                }
                Message::View(view) => {
                    let leader = state.merge_leader.filter(|one| view.contains(one.merge.of));
                    let waits = leader.map(|_| Duty::WaitForLeader);
                    let is_older = state.view.as_ref().is_some_and(|own| view.id <= own.id);
                    let older = is_older && view.contains(self.handler.me);
                    let ignores = older.then_some(Duty::IgnoreOlder);
                    waits.or(ignores).or_else(|| self.exclusion(state, *from, view))
                }
                Message::Request(MembershipRequest::Suspect { member }) => {
                    knows(state, *member).then_some(Duty::Remember(*member))
                }
                Message::Request(_)
                | Message::Installed(_)
                | Message::MergeRsp { .. }
                | Message::MergeView { .. } => None,
                Message::State => Some(Duty::TellThatItHasTheState),
            },
            Input::Fired(Timer::Resumer(of)) => {
                let is_asked = self.is_suspended(state) && *of == state.suspension;
                is_asked.then_some(Duty::Resume)
            }
            Input::Command(Command::Suspect { member }) => {
                knows(state, *member).then_some(Duty::Remember(*member))
            }
            Input::Command(Command::Leave) => {
                let coord = state.coordinator();
                let is_asked = |coord: &_| *coord != self.handler.me || !self.is_suspended(state);
                coord.filter(is_asked).map(Duty::AskToLeave)
            }
            Input::Command(Command::InstallationFails) => {
                state.installation.as_ref().map(|_| Duty::GiveUp)
            }
            Input::Fired(Timer::Queue | Timer::Merge) | Input::Command(_) | Input::Restart(_) => {
                None
            }
        }
    }

    /// Whether the view of another coord is one by which members of its own view exclude it.
    fn is_excluding(&self, state: &State, view: &View) -> bool {
        let own = state.view.as_ref().filter(|own| own.id <= view.id);
        let is_one = |own: &View| view.members.iter().any(|by| own.contains(by));
        !view.contains(self.handler.me) && own.is_some_and(is_one)
    }

    /// The duty of a member that receives a view without it, which is not older than its own.
    fn exclusion(&self, state: &State, from: MemberId, view: &View) -> Option<Duty> {
        let own = state.view.as_ref().filter(|own| own.id <= view.id)?;
        let is_excluded = !view.contains(self.handler.me) && state.intent != Intent::Leave;
        let by = [from].into_iter().chain(view.members.iter()).filter(|by| own.contains(*by));
        is_excluded.then(|| Duty::Suspect(by.collect(), view.id))
    }

    /// Whether a step has done its duty, by the state after it and its effects.
    fn is_done(
        &self,
        duty: &Duty,
        state: &State,
        effects: &[EffectOf<Handler<HandlerRules>>],
    ) -> bool {
        let me = self.handler.me;
        match duty {
            Duty::AnswerMergeReq => effects.iter().any(|effect| {
                matches!(effect, Effect::Send { message: Message::MergeRsp { .. }, .. })
            }),
            Duty::ProcessQueue => state.queue.is_empty(),
            Duty::Suspect(by, id) => by.iter().all(|by| {
                let own = state.view.as_ref().filter(|own| own.contains(*by));
                let is_over = own.is_some_and(|own| own.id > *id);
                let is_known = state.exclusions.iter().any(|one| one.by == *by && one.id >= *id);
                own.is_none() || suspects(state, *by) && (is_known || is_over)
            }),
            Duty::Remember(member) => suspects(state, *member) || !knows(state, *member),
            Duty::WaitForLeader => state.merge_leader.is_some(),
            Duty::Resume => !self.is_suspended(state),
            Duty::InstallFirst => {
                let resumes =
                    |effect: &_| matches!(effect, Effect::Notify(view::Notice::Resumed { .. }));
                let installs =
                    |effect: &_| matches!(effect, Effect::Notify(view::Notice::Installed(_)));
                !effects.iter().skip_while(|effect| !resumes(*effect)).any(installs)
            }
            Duty::IgnoreOlder => !effects.iter().any(|effect| matches!(effect, Effect::Notify(_))),
            Duty::InstallNewer(made) => effects.iter().all(|effect| {
                let Effect::Notify(view::Notice::Installed(view)) = effect else { return true };
                view.id > *made
            }),
            Duty::ConfirmItsOwn => effects.iter().all(|effect| {
                let Effect::Send { message: Message::Installed(id), .. } = effect else {
                    return true;
                };
                state.view.as_ref().is_none_or(|own| own.id == *id && !own.is_merge())
            }),
            Duty::AskToLeave(coord) => {
                let leave = MembershipRequest::Leave { member: me };
                let message = Message::Request(leave);
                match *coord == me {
                    true => state.queue.contains(&leave),
                    false => effects.contains(&Effect::Send { to: *coord, message }),
                }
            }
            Duty::GiveUp => state.installation.is_none(),
            Duty::TellThatItHasTheState => {
                effects.contains(&Effect::Notify(view::Notice::GotState))
            }
        }
    }
}

/// Whether a member is in the view of another one, or joins it.
fn knows(state: &State, member: MemberId) -> bool {
    let made = state.installation.as_ref().map(|made| &made.view);
    let joins =
        |event: &_| matches!(event, MembershipRequest::Join { member: who, .. } if *who == member);
    let mut views = state.view.iter().chain(made);
    views.any(|view| view.contains(member)) || state.queue.iter().any(joins)
}

/// Whether a member suspects another one, or has the suspicion in its queue or in process.
fn suspects(state: &State, member: MemberId) -> bool {
    let suspect = MembershipRequest::Suspect { member };
    let made = state.installation.iter().flat_map(|work| &work.events);
    state.suspects.contains(member) || state.queue.iter().chain(made).any(|event| *event == suspect)
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
        self.checked_step(state, input, out, &mut Breaches::default());
    }
}

impl ObservedMember {
    /// Its step, and the rules that it breaks.
    fn checked_step(
        &self,
        state: &mut State,
        input: InputOf<Self>,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let duty = self.duty(state, &input);
        let is_view = matches!(&input, Input::Message { message: Message::View(_), .. });
        let newer = state.made.filter(|_| is_view).map(Duty::InstallNewer);
        let received = match &input {
            Input::Message { message: Message::View(view), .. } => Some(view),
            Input::Message { message: Message::Coord(view), .. } => {
                Some(view).filter(|view| self.is_excluding(state, view))
            }
            Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => None,
        };
        let received = received.cloned().map(Notice::ViewReceived);
        out.effects.extend(received.map(Effect::Notify));
        let mut inner = Out::default();
        self.handler.step(state, input, &mut inner);
        let duties = duty.into_iter().chain([Duty::InstallFirst, Duty::ConfirmItsOwn]).chain(newer);
        for duty in duties {
            breaches.require(duty.rule(), self.is_done(&duty, state, &inner.effects));
        }
        if !self.resumes {
            inner.effects.retain(|effect| !matches!(effect, Effect::Arm(Timer::Resumer(_))));
        }
        if self.loses_exclusions {
            inner.effects.retain(|effect| match effect {
                Effect::Send { to, message } => !is_exclusion(*to, message),
                Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) | Effect::Notify(_) => true,
            });
        }
        out.rows.append(&mut inner.rows);
        let effects = inner.effects.into_iter();
        out.effects.extend(
            effects.map(|effect| effect.map(|message| message, |timer| timer, Notice::User)),
        );
    }
}

/// Whether a message tells its receiver that it is excluded.
#[must_use]
pub fn is_exclusion(to: MemberId, message: &Message) -> bool {
    matches!(message, Message::View(view) if !view.contains(to))
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
        let Assumptions { resumes, loses_exclusions, .. } = self.views.assumptions;
        ObservedMember { handler, resumes, loses_exclusions }
    }

    fn step(
        &self,
        core: &ObservedMember,
        state: &mut State,
        input: InputOf<ObservedMember>,
        out: &mut OutOf<ObservedMember>,
        breaches: &mut Breaches,
    ) {
        core.checked_step(state, input, out, breaches);
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
            Notice::ViewReceived(_) => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        Some(state.at.name().to_owned())
    }
}
