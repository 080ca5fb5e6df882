//! The actions of the view-handler machine.

use alloc::vec::Vec;
use core::mem::take;

use turnstile_machine::Rules;
use turnstile_step::Effect;
use turnstile_view_handler_machines::view_handler::{
    Action, ActionCall, Event, Machine, Op, Resource,
};

use super::context::{EventContext, StepContext};
use super::handler::{Notice, Timer};
use super::message::{MembershipRequest, Message};
use super::state::{Installation, Intent, Merge, MergeLeader, MergeProgress, QUEUE_MAX};
use super::types::{MemberId, Members, Suspension, View};
use super::view_delivery::NewViewFacts;
use crate::number::ViewId;

impl<R: Rules<Machine>> StepContext<'_, R> {
    pub(super) fn apply_action(&mut self, entry: ActionCall<'_>, ctx: &EventContext) {
        for op in entry.ops {
            self.apply(*op);
        }
        match entry.action {
            Action::AddTheEvent => self.add(ctx.request),
            Action::ProcessTheEvents => self.process(),
            Action::ProcessTheMergeEvent => self.lead(ctx.with),
            Action::SuspendTheViewHandler => self.suspend(ctx.merge),
            Action::ResumeTheViewHandler => {
                let from = self.state.suspension;
                self.notify(Notice::Resumed { from, by: ctx.during });
            }
            Action::RecordTheMergeLeader => {
                let during = self.state.suspension;
                self.state.merge_leader = ctx.merge.map(|merge| MergeLeader { merge, during });
            }
            Action::NullTheMergeLeader => self.state.merge_leader = None,
            Action::SendMergeRsp => self.answer(ctx.merge, self.state.view.clone()),
            Action::RejectTheMerge => self.answer(ctx.merge, None),
            Action::InstallTheView => self.install(ctx),
            Action::QueueTheEventsAgain => {
                let installation = self.state.installation.take();
                let events = installation
                    .map_or_else(|| ctx.events.clone(), |installation| installation.events);
                let later = take(&mut self.state.queue);
                events.into_iter().chain(later).for_each(|event| self.add(Some(event)));
            }
            Action::GiveUpTheMerge => self.state.merge = None,
            Action::HandTheQueueOver => self.hand_over(ctx.view.as_ref()),
            Action::ReportItsDeparture => self.report_departure(ctx),
            Action::SendTheState => {
                if let Some(MembershipRequest::GetState { member }) = ctx.request {
                    self.send(member, Message::State);
                }
            }
            Action::SuspectWhoIsInIt => {
                if let (Some(from), Some(view)) = (ctx.with, &ctx.view)
                    && self.state.record_exclusions(from, view)
                {
                    self.suspect_excluding_members();
                }
            }
            Action::RememberWhoseMergeViewItIs => {
                let me = self.handler.me;
                ctx.view.iter().for_each(|view| self.state.miss_merge(me, view));
            }
            // These only create or delete their resource, or have no effect.
            Action::DiscardTheEvent | Action::StartTheResumer | Action::StopTheResumer => {}
        }
    }

    /// Arms or disarms the Resumer. The action itself stores the leader's address.
    fn apply(&mut self, op: Op) {
        let timer = Timer::Resumer(self.state.suspension);
        match (op.resource(), op) {
            (Resource::Resumer, Op::Create(_) | Op::Restart(_)) => {
                let former = self.resumer_armed_for.filter(|armed| *armed != self.state.suspension);
                let former = former.map(|former| Effect::Disarm(Timer::Resumer(former)));
                self.out.effects.extend(former);
                self.out.effects.push(Effect::Arm(timer));
            }
            (Resource::Resumer, Op::Delete(_) | Op::Abandon(_)) => {
                self.out.effects.push(Effect::Disarm(timer));
            }
            (Resource::MergeLeader, _) => {}
        }
    }

    fn add(&mut self, request: Option<MembershipRequest>) {
        let queue = &mut self.state.queue;
        queue.extend(request.filter(|one| !queue.contains(one) && queue.len() < QUEUE_MAX));
    }

    /// Processes the queue and starts the installation of the resulting view, if it differs or
    /// somebody waits for it: who left and joins again waits for a view of the same members.
    fn process(&mut self) {
        let events = take(&mut self.state.queue);
        let during = self.state.suspension;
        let Some(present) = self.state.view.clone() else {
            return self.end(EventContext { during: Some(during), ..EventContext::default() });
        };
        let mut members = present.members.clone();
        for event in &events {
            match event {
                MembershipRequest::Join { member, with_state: _, last_view } => {
                    members.add(*member);
                    self.state.last_view = self.state.last_view.max(*last_view);
                }
                MembershipRequest::Leave { member } | MembershipRequest::Suspect { member } => {
                    members.remove(*member)
                }
                MembershipRequest::GetState { member } => self.send(*member, Message::State),
            }
        }
        let is_joined = events.iter().any(|event| matches!(event, MembershipRequest::Join { .. }));
        if members == present.members && !is_joined {
            return self.end(EventContext { during: Some(during), ..EventContext::default() });
        }
        let view = View::new(self.state.mint(), members.iter());
        self.state.made = Some(view.id);
        let facts = NewViewFacts { before: &present, view: &view, events: &events };
        self.send_view_to(&view, &facts.receivers(&self.handler.rules));
        members.remove(self.handler.me);
        self.state.installation = Some(Installation { during, events, view, missing: members });
        self.complete();
    }

    /// A member has installed the view.
    pub(super) fn on_installed(&mut self, from: MemberId, id: ViewId) {
        if let Some(installation) = &mut self.state.installation
            && installation.view.id == id
        {
            installation.missing.remove(from);
            self.complete();
        }
    }

    /// Once all other members have installed the view, the coord installs it.
    fn complete(&mut self) {
        let Some(Installation { during, view, .. }) =
            self.state.installation.take_if(|installation| installation.missing.is_empty())
        else {
            return;
        };
        self.state.made = None;
        let ctx = EventContext { during: Some(during), ..EventContext::default() };
        self.then.push_back((Event::View, EventContext { view: Some(view), ..ctx.clone() }));
        self.end(ctx);
    }

    fn end(&mut self, ctx: EventContext) {
        self.then.push_back((Event::ViewHasBeenInstalled, ctx));
    }

    /// Sends a view to these members, except this one.
    pub(super) fn send_view_to(&mut self, view: &View, to: &Members) {
        for member in to.iter().filter(|member| *member != self.handler.me) {
            self.send(member, Message::View(view.clone()));
        }
    }

    /// Whether a view is newer than the installed one, and than the one that this member made and
    /// that others may have installed.
    fn is_newer(&self, id: ViewId) -> bool {
        let installed = self.state.view.as_ref().map_or(self.state.last_view, |view| view.id);
        installed < id && self.state.made.is_none_or(|made| made < id)
    }

    /// A view arrives; an older one changes nothing. A member of no group has no coord, and no view
    /// to install: it confirms, so that nobody waits for it.
    pub(super) fn on_view(&mut self, from: MemberId, view: View) {
        if !view.contains(self.handler.me) && self.state.intent != Intent::Leave {
            return self.on_excluding_view(from, view);
        }
        let has_group = self.state.has_group();
        if has_group && self.is_newer(view.id) {
            // If it resumes the handler, the operation of that suspension ends.
            let during = self.state.merge_leader.map(|merge_leader| merge_leader.during);
            let during =
                during.or(self.state.installation.as_ref().map(|installation| installation.during));
            let ctx = EventContext { view: Some(view.clone()), during, ..EventContext::default() };
            self.step_machine(Event::View, ctx);
            self.finish();
        }
        // Two coords may mint one number: a member with the other view has not installed this one.
        let has_it = self.state.view.as_ref().is_none_or(|own| *own == view);
        if has_it && !view.is_merge() {
            self.send(from, Message::Installed(view.id));
        }
        if !has_group {
            self.on_view_in_no_group(view);
        }
    }

    fn install(&mut self, ctx: &EventContext) {
        let Some(view) = &ctx.view else { return };
        if !self.is_newer(view.id) {
            // A newer view has been installed since.
            return;
        }
        let me = self.handler.me;
        if let Some(before) = self.state.view.take().filter(|_| ctx.is_forwarded) {
            let own = before.members.iter().filter(|member| view.contains(*member));
            self.send_view_to(view, &Members::new(own));
        }
        self.state.last_view = self.state.last_view.max(view.id);
        self.state.made = None;
        self.notify(Notice::Installed(view.clone()));
        if view.contains(me) {
            self.state.view = Some(view.clone());
            self.state.suspects.retain(view);
            self.state.queue.retain(|request| {
                let MembershipRequest::Suspect { member } = request else { return true };
                view.contains(*member)
            });
            self.state.forget_merges();
            self.joined();
            self.suspect_excluding_members();
        } else {
            self.step_machine(Event::Departure, ctx.clone());
            // It may join again, and its former members may be others then.
            self.state.intent = Intent::Nothing;
            self.state.suspects = Members::default();
            self.state.exclusions = Vec::new();
        }
    }

    /// A joining member has joined; it requests the state if it intends to.
    fn joined(&mut self) {
        let Intent::Join { with_state } = self.state.intent else { return };
        self.state.intent = if with_state { Intent::State } else { Intent::Nothing };
        if let Some(coord) = self.state.coordinator().filter(|_| with_state) {
            let request = MembershipRequest::GetState { member: self.handler.me };
            self.send(coord, Message::Request(request));
        }
    }

    /// Tells the first other member of a view that it is in what the layer below would tell of one
    /// that has gone. If it leaves by the view, the views that it is in are those of the merges
    /// that it has missed.
    fn report_departure(&mut self, ctx: &EventContext) {
        let member = self.handler.me;
        let view = ctx.view.as_ref().filter(|view| view.contains(member));
        let first = view.and_then(|view| view.members.iter().find(|who| *who != member));
        let missed = take(&mut self.state.missed_merges);
        for to in first.into_iter().chain(missed.iter().map(|one| one.leader)) {
            self.send(to, Message::Request(MembershipRequest::Suspect { member }));
        }
    }

    /// Hands its queue over to the coord of its view, or of the one by which it left. A member
    /// suspected in the queue does not coordinate; if it suspects all of them, one learns of the
    /// others.
    fn hand_over(&mut self, left_by: Option<&View>) {
        let Some(view) = left_by.cloned().or_else(|| self.state.view.clone()) else { return };
        let coord = self.state.coordinator_of(&view);
        for request in take(&mut self.state.queue) {
            let mut to = coord;
            if let MembershipRequest::Suspect { member } = request {
                // The coord may fail before it receives the request.
                self.state.suspects.add(member);
                to = to.or_else(|| view.members.iter().find(|one| *one != member));
            }
            if let Some(to) = to {
                self.send(to, Message::Request(request));
            }
        }
    }

    /// Starts a suspension; it is that of the merge, if this member leads it.
    fn suspend(&mut self, merge: Option<Suspension>) {
        self.state.suspension = self.state.suspension.next();
        let during = self.state.suspension;
        if let Some(own) = self.state.merge.as_mut().filter(|own| Some(own.name) == merge) {
            own.during = during;
        }
        self.notify(Notice::Suspended(during));
    }

    /// Leads a merge, named by its suspension, or by a new one if the suspension starts later.
    fn lead(&mut self, with: Option<MemberId>) {
        let Some(with) = with else { return };
        if !self.suspends {
            if self.state.processing != MergeProgress::Nothing {
                return;
            }
            self.state.processing = MergeProgress::Merge;
            self.state.suspension = self.state.suspension.next();
            self.out.effects.push(Effect::Arm(Timer::Merge));
        }
        let name = self.state.suspension;
        self.state.merge = Some(Merge { name, during: name, with });
        self.send(with, Message::MergeReq { merge: name });
    }

    /// The MERGE event has been processed and the handler is suspended; the merge may be complete.
    pub(super) fn merge_event_processed(&mut self) {
        let merge = self.state.merge.map(|merge| merge.name);
        self.step_machine(
            Event::MergeEventIsProcessed,
            EventContext { merge, ..EventContext::default() },
        );
        if let MergeProgress::Completed(merge) = take(&mut self.state.processing) {
            self.complete_merge(merge, self.state.suspension);
        }
    }
}
