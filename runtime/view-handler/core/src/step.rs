//! What an input is to a member, and the requests that it accepts.
//!
//! No code here branches on the machine's state: rows decide. Which requests a member accepts
//! depends only on which member coordinates its view.

use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};
use turnstile_view_handler_machines::view_handler::{Event, Machine, MergeCompletesMerge};

use super::context::{EventContext, StepContext};
use super::handler::{Command, Handler, Notice, Timer};
use super::message::{MembershipRequest, Message};
use super::state::{Installation, Intent, Merge, MergeProgress, State};
use super::types::{MemberId, Suspension, View};

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
                if let Some(view) = self.state.view.clone().filter(|_| self.state.coordinates(me)) {
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
    fn process_suspects(&mut self) {
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

    /// Suspects the members of its view that have a view without it which is at least as new.
    pub(super) fn suspect_excluding_members(&mut self) {
        let Some(own) = self.state.view.clone() else { return };
        self.state.exclusions.retain(|one| one.id >= own.id);
        let all = self.state.exclusions.iter().map(|one| one.by);
        all.filter(|by| own.contains(*by)).for_each(|by| self.state.suspects.add(by));
        self.process_suspects();
    }

    /// A view that excludes this member, which did not leave.
    pub(super) fn on_excluding_view(&mut self, from: MemberId, view: View) {
        self.step_machine(
            Event::ViewWithoutIt,
            EventContext { with: Some(from), view: Some(view), ..EventContext::default() },
        );
    }

    /// A view arrives at a member of no group that has not asked to join one.
    pub(super) fn on_view_in_no_group(&mut self, view: View) {
        let ctx = EventContext { view: Some(view), ..EventContext::default() };
        self.step_machine(Event::ViewInNoGroup, ctx);
    }

    /// Another coord is found. A member may learn of it that members of its own view have another
    /// one by now, without it.
    fn on_coordinator_found(&mut self, with: MemberId, view: View) {
        let is_in_own = |member: MemberId| self.state.is_member(member);
        if !view.contains(self.handler.me) && view.members.iter().any(is_in_own) {
            self.on_excluding_view(with, view);
        }
        if self.state.coordinates(self.handler.me) {
            self.step_machine(
                Event::Merge,
                EventContext { with: Some(with), ..EventContext::default() },
            );
        }
    }

    /// A MERGE-REQ arrives; a member that does not coordinate rejects it.
    fn merge_req(&mut self, from: MemberId, merge: Suspension) {
        if self.state.coordinates(self.handler.me) {
            let ctx =
                EventContext { merge: Some(merge), with: Some(from), ..EventContext::default() };
            self.step_machine(Event::MergeReq, ctx);
        } else {
            self.answer(Some(merge), None);
        }
    }

    pub(super) fn answer(&mut self, merge: Option<Suspension>, group: Option<View>) {
        if let Some(merge) = merge {
            self.send(merge.of, Message::MergeRsp { merge, group });
        }
    }

    /// A MERGE-RSP arrives; one of another merge changes nothing. A leader that no longer
    /// coordinates has no group to merge.
    fn merge_rsp(&mut self, from: MemberId, merge: Suspension, group: Option<View>) {
        let is_expected = |own: &mut Merge| (own.name, own.with) == (merge, from);
        let Some(Merge { during, .. }) = self.state.merge.take_if(is_expected) else { return };
        let own = self.state.view.clone().filter(|_| self.state.coordinates(self.handler.me));
        let how = match (group, own) {
            (Some(group), Some(own)) => {
                let view = self.state.merged_view(self.handler.me, own, &group);
                self.send_view_to(&view, &view.subgroups[0]);
                self.send(from, Message::MergeView { merge, view: view.clone() });
                let (view, during) = (Some(view), Some(during));
                self.then.push_back((
                    Event::View,
                    EventContext { view, during, ..EventContext::default() },
                ));
                MergeCompletesMerge::Successful
            }
            _ => MergeCompletesMerge::Failed,
        };
        if self.state.processing == MergeProgress::Nothing {
            self.complete_merge(how, during);
        } else {
            self.state.processing = MergeProgress::Completed(how);
        }
    }

    /// The merge of a suspension completes.
    pub(super) fn complete_merge(&mut self, merge: MergeCompletesMerge, during: Suspension) {
        let ctx = EventContext { during: Some(during), ..EventContext::default() };
        self.then.push_back((Event::MergeCompletes { merge }, ctx));
    }

    /// The merged view arrives from the merge leader. A member that no longer coordinates does not
    /// take part.
    fn merge_view(&mut self, merge: Suspension, view: View) {
        if !self.state.has_group() {
            self.on_view_in_no_group(view.clone());
        }
        let is_coord = self.state.coordinates(self.handler.me);
        let merge_leader =
            self.state.merge_leader.filter(|merge_leader| is_coord && merge_leader.merge == merge);
        let during = merge_leader.map(|merge_leader| merge_leader.during);
        self.step_machine(
            Event::MergeView,
            EventContext {
                view: Some(view),
                is_forwarded: true,
                during,
                ..EventContext::default()
            },
        );
    }
}
