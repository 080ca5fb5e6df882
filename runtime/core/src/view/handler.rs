//! The core of a member of a group: the document's view-handler machine, with the views, the queue
//! and the merges that its rows speak of.
//!
//! Never asks which state the machine is in: the table's rows decide. Who may ask a member what
//! depends on who coordinates its view, and on nothing else.

use turnstile_machine::Rules;
use turnstile_machines::view_handler::{Event, Machine};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};

use super::message::{Message, Request};
use super::state::{State, Wants, Work};
use super::turn::{Cause, Turn};
use super::types::{MemberId, Suspension, View};

/// The machine's name.
pub const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The core of a member.
///
/// A member begins alone, without a view, and joins; [`State::new`] is one that has a view already.
/// [`Timer::Queue`] is how long a coord waits for more events before it processes them,
/// [`Timer::Resumer`] the longest that a handler is suspended; both durations are the driver's.
#[derive(Clone, Debug)]
pub struct Handler<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// Whose it is.
    pub me: MemberId,
}

impl Handler {
    /// A member by the table that is baked in.
    #[must_use]
    pub const fn new(me: MemberId) -> Self {
        Self { rules: Machine, me }
    }
}

/// The timers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The handler turns to its queue.
    Queue,
    /// A MERGE event is processed, where the table has the handler suspended only after that.
    Merge,
    /// Resumes the handler. Stopping it may come too late: so it says which suspension it is for.
    Resumer(Suspension),
}

/// What the user of a group asks, and what the layers below say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Join the group that this member coordinates.
    Join {
        /// Whom to ask.
        via: MemberId,
        /// Whether to get the group's state, too.
        with_state: bool,
    },
    /// Leave the group.
    Leave,
    /// A member seems to be gone.
    Suspect {
        /// Which.
        member: MemberId,
    },
    /// MERGE2 lets this member know that one coordinates a group.
    Announce {
        /// Which.
        to: MemberId,
    },
    /// The installation of a view failed: its flush, for one.
    InstallationFails,
}

/// What the user of a group is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// A view is installed.
    Installed(View),
    /// The group's state is here.
    GotState,
    /// The handler is suspended.
    Suspended(Suspension),
    /// The handler is resumed.
    Resumed {
        /// The suspension that is over.
        from: Suspension,
        /// The suspension in which that began which has ended now.
        by: Option<Suspension>,
    },
}

impl<R: Rules<Machine>> Core for Handler<R> {
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::new(self.me, self.rules.initial(), None)
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let was_queued = !state.queue.is_empty() && input != Input::Fired(Timer::Queue);
        let mut turn = Turn::new(self, state, out);
        match input {
            Input::Message { from, message } => turn.hear(from, message),
            Input::Fired(Timer::Queue) => turn.take(Event::StartProcessing, Cause::default()),
            Input::Fired(Timer::Merge) => turn.has_processed(),
            Input::Fired(Timer::Resumer(of)) => {
                turn.take(Event::ResumerTimeout, Cause { during: Some(of), ..Cause::default() });
            }
            Input::Command(command) => turn.obey(command),
            Input::Restart(_) => *turn.state = self.start(),
        }
        turn.finish();
        match (was_queued, !state.queue.is_empty()) {
            (false, true) => out.effects.push(Effect::Arm(Timer::Queue)),
            (true, false) => out.effects.push(Effect::Disarm(Timer::Queue)),
            (true, true) | (false, false) => {}
        }
    }
}

impl<R: Rules<Machine>> Turn<'_, R> {
    fn obey(&mut self, command: Command) {
        let me = self.handler.me;
        match command {
            Command::Join { via, with_state } => {
                self.state.wants = Wants::Join { with_state };
                self.send(via, Message::Request(Request::Join { member: me, with_state }));
            }
            Command::Leave => {
                let Some(coord) = self.state.coordinator() else { return };
                self.state.wants = Wants::Leave;
                let request = Request::Leave { member: me };
                match coord == me {
                    true => self.ask(request),
                    false => self.send(coord, Message::Request(request)),
                }
            }
            Command::Suspect { member } => self.ask(Request::Suspect { member }),
            Command::Announce { to } if self.coordinates() => self.send(to, Message::Coord),
            Command::Announce { to: _ } => {}
            Command::InstallationFails => {
                if let Some(Work { during, events, .. }) = self.state.work.take() {
                    let cause = Cause { during: Some(during), events, ..Cause::default() };
                    self.take(Event::ViewInstallationFails, cause);
                }
            }
        }
    }

    fn hear(&mut self, from: MemberId, message: Message) {
        match message {
            Message::Request(request) => self.ask(request),
            Message::View(view) => self.offer(from, view),
            Message::Installed(id) => self.installed(from, id),
            Message::MergeReq { merge } => self.merge_req(from, merge),
            Message::MergeRsp { merge, group } => self.merge_rsp(from, merge, group),
            Message::MergeView { merge, view } => self.merge_view(merge, view),
            Message::Coord => self.found(from),
            Message::State => {
                if self.state.wants == Wants::State {
                    self.state.wants = Wants::Nothing;
                }
                self.notify(Notice::GotState);
            }
        }
    }

    /// An event for the coord; nobody else has a queue. Who has the state may give it away.
    fn ask(&mut self, request: Request) {
        let me = Some(self.handler.me);
        let (event, is_meant) = match request {
            Request::Join { member: _, with_state: false } => {
                (Event::Join, self.state.coordinator() == me)
            }
            Request::Join { member: _, with_state: true } => {
                (Event::JoinWithState, self.state.coordinator() == me)
            }
            Request::Leave { .. } => (Event::Leave, self.state.coordinator() == me),
            Request::Suspect { member } => return self.suspect(member),
            Request::GetState { .. } => (Event::GetState, self.state.view.is_some()),
        };
        if is_meant {
            self.take(event, Cause { request: Some(request), ..Cause::default() });
        }
    }

    /// Who does not coordinate keeps in mind whom it suspects: once all before it are suspected, it
    /// coordinates. Who is no member cannot be put out.
    fn suspect(&mut self, member: MemberId) {
        if self.state.is_member(member) {
            self.state.suspects.add(member);
            self.suspects();
        }
    }

    /// The coord has all those processed whom it suspects.
    pub(super) fn suspects(&mut self) {
        if self.state.coordinator() == Some(self.handler.me) {
            for member in core::mem::take(&mut self.state.suspects).iter() {
                let request = Some(Request::Suspect { member });
                self.take(Event::Suspect, Cause { request, ..Cause::default() });
            }
        }
    }
}
