//! What an input is to a member, and the requests that it accepts.
//!
//! No code here branches on the machine's state: rows decide. Which requests a member accepts
//! depends only on which member coordinates its view.

use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};
use turnstile_view_handler_machines::view_handler::{Event, Machine};

use super::context::{EventContext, StepContext};
use super::handler::{Command, Handler, Notice, Timer};
use super::message::{MembershipRequest, Message};
use super::state::{Installation, Intent, State};
use super::types::MemberId;

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
        let was_queued = !state.queue.is_empty();
        let is_armed = was_queued && input != Input::Fired(Timer::Queue);
        let mut context = StepContext::new(self, state, out);
        match input {
            Input::Message { from, message } => context.on_message(from, message),
            Input::Fired(Timer::Queue) => {
                context.step_machine(Event::StartProcessing, EventContext::default())
            }
            Input::Fired(Timer::Merge) => context.merge_event_processed(),
            Input::Fired(Timer::Resumer(of)) => {
                context.step_machine(
                    Event::ResumerTimeout,
                    EventContext { during: Some(of), ..EventContext::default() },
                );
            }
            Input::Command(command) => context.on_command(command),
            Input::Restart(_) => *context.state = self.start(),
        }
        context.finish();
        let is_queued = !state.queue.is_empty();
        if is_queued && !is_armed {
            out.effects.push(Effect::Arm(Timer::Queue));
        } else if was_queued && !is_queued {
            // Also if it has fired: that may have been late, and it is armed again since.
            out.effects.push(Effect::Disarm(Timer::Queue));
        }
    }
}

impl<R: Rules<Machine>> StepContext<'_, R> {
    fn on_command(&mut self, command: Command) {
        let me = self.handler.me;
        match command {
            Command::Join { via, with_state } => {
                self.state.intent = Intent::Join { with_state };
                let last_view = self.state.last_view;
                let request = MembershipRequest::Join { member: me, with_state, last_view };
                self.send(via, Message::Request(request));
            }
            Command::Leave => {
                let Some(coord) = self.state.coordinator() else { return };
                self.state.intent = Intent::Leave;
                let request = MembershipRequest::Leave { member: me };
                match coord == me {
                    true => self.on_request(request),
                    false => self.send(coord, Message::Request(request)),
                }
            }
            Command::Suspect { member } => self.on_request(MembershipRequest::Suspect { member }),
            Command::Announce { to } => {
                if let Some(view) = self.state.view.clone().filter(|_| self.coordinates()) {
                    self.send(to, Message::Coord(view));
                }
            }
            Command::InstallationFails => {
                if let Some(Installation { during, events, .. }) = self.state.installation.take() {
                    let ctx =
                        EventContext { during: Some(during), events, ..EventContext::default() };
                    self.step_machine(Event::ViewInstallationFails, ctx);
                }
            }
        }
    }

    fn on_message(&mut self, from: MemberId, message: Message) {
        match message {
            Message::Request(request) => self.on_request(request),
            Message::View(view) => self.on_view(from, view),
            Message::Installed(id) => self.on_installed(from, id),
            Message::MergeReq { merge } => self.merge_req(from, merge),
            Message::MergeRsp { merge, group } => self.merge_rsp(from, merge, group),
            Message::MergeView { merge, view } => self.merge_view(merge, view),
            Message::Coord(view) => self.on_coordinator_found(from, view),
            Message::State => {
                if self.state.intent == Intent::State {
                    self.state.intent = Intent::Nothing;
                }
                self.notify(Notice::GotState);
            }
        }
    }

    /// A request to the coord, which alone has a queue. Any member with a view may send the state.
    fn on_request(&mut self, request: MembershipRequest) {
        let me = Some(self.handler.me);
        let (event, is_accepted) = match request {
            MembershipRequest::Join { with_state: false, .. } => {
                (Event::Join, self.state.coordinator() == me)
            }
            MembershipRequest::Join { with_state: true, .. } => {
                (Event::JoinWithState, self.state.coordinator() == me)
            }
            MembershipRequest::Leave { .. } => (Event::Leave, self.state.coordinator() == me),
            MembershipRequest::Suspect { member } => return self.suspect(member),
            MembershipRequest::GetState { .. } => (Event::GetState, self.state.view.is_some()),
        };
        if is_accepted {
            self.step_machine(
                event,
                EventContext { request: Some(request), ..EventContext::default() },
            );
        }
    }

    /// A member that does not coordinate remembers its suspicions: once all members before it are
    /// suspected, it coordinates. Only those can be suspected that are in the view, or join.
    fn suspect(&mut self, member: MemberId) {
        if self.state.is_member(member) || self.state.joins(member) {
            self.state.suspects.add(member);
            self.process_suspects();
        }
    }

    /// The coord processes its suspicions.
    pub(super) fn process_suspects(&mut self) {
        if self.state.coordinator() == Some(self.handler.me) {
            for member in core::mem::take(&mut self.state.suspects).iter() {
                let request = Some(MembershipRequest::Suspect { member });
                self.step_machine(
                    Event::Suspect,
                    EventContext { request, ..EventContext::default() },
                );
            }
        }
    }
}
