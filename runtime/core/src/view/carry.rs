//! What the view-handler machine's actions do. Knows no states.

use core::mem::take;

use turnstile_machine::Rules;
use turnstile_machines::view_handler::{Action, ActionCall, Event, Machine, Op, Resource};
use turnstile_step::Effect;

use super::handler::{Notice, Timer};
use super::message::{Message, Request};
use super::state::{Leader, Merge, Processing, QUEUE_MAX, Wants, Work};
use super::turn::{Cause, Turn};
use super::types::{MemberId, Members, Suspension, View};
use crate::number::ViewId;

impl<R: Rules<Machine>> Turn<'_, R> {
    pub(super) fn carry(&mut self, entry: ActionCall<'_>, cause: &Cause) {
        for op in entry.ops {
            self.apply(*op);
        }
        match entry.action {
            Action::AddTheEvent => self.add(cause.request),
            Action::ProcessTheEvents => self.process(),
            Action::ProcessTheMergeEvent => self.lead(cause.with),
            Action::SuspendTheViewHandler => self.suspend(cause.merge),
            Action::ResumeTheViewHandler => {
                let from = self.state.suspension;
                self.notify(Notice::Resumed { from, by: cause.during });
            }
            Action::RecordTheMergeLeader => {
                let during = self.state.suspension;
                self.state.leader = cause.merge.map(|merge| Leader { merge, during });
            }
            Action::NullTheMergeLeader => self.state.leader = None,
            Action::SendMergeRsp => self.answer(cause.merge, self.state.view.clone()),
            Action::RejectTheMerge => self.answer(cause.merge, None),
            Action::InstallTheView => self.install(cause),
            Action::QueueTheEventsAgain => {
                let work = self.state.work.take();
                let events = work.map_or_else(|| cause.events.clone(), |work| work.events);
                let later = take(&mut self.state.queue);
                events.into_iter().chain(later).for_each(|event| self.add(Some(event)));
            }
            Action::GiveUpTheMerge => self.state.merge = None,
            Action::HandTheQueueOver => self.hand_over(),
            Action::SendTheState => {
                if let Some(Request::GetState { member }) = cause.request {
                    self.send(member, Message::State);
                }
            }
            Action::SuspectWhoIsInIt => self.note_left_out(cause),
            // All that these do is what they do to their resource, or nothing.
            Action::DiscardTheEvent | Action::StartTheResumer | Action::StopTheResumer => {}
        }
    }

    /// The one timer among the resources. The leader's address is a note: the action keeps it.
    fn apply(&mut self, op: Op) {
        let timer = Timer::Resumer(self.state.suspension);
        match (op.resource(), op) {
            (Resource::Resumer, Op::Create(_) | Op::Restart(_)) => {
                let former = self.found.filter(|found| *found != self.state.suspension);
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

    fn add(&mut self, request: Option<Request>) {
        let queue = &mut self.state.queue;
        queue.extend(request.filter(|one| !queue.contains(one) && queue.len() < QUEUE_MAX));
    }

    /// Takes all that is queued, and has the view installed that comes of it, if it is another.
    fn process(&mut self) {
        let events = take(&mut self.state.queue);
        let during = self.state.suspension;
        let Some(present) = self.state.view.clone() else {
            return self.end(Cause { during: Some(during), ..Cause::default() });
        };
        let mut members = present.members.clone();
        for event in &events {
            match event {
                Request::Join { member, with_state: _ } => members.add(*member),
                Request::Leave { member } | Request::Suspect { member } => members.remove(*member),
                Request::GetState { member } => self.send(*member, Message::State),
            }
        }
        if members == present.members {
            return self.end(Cause { during: Some(during), ..Cause::default() });
        }
        let view = View::new(self.mint(), members.iter());
        self.state.made = Some(view.id);
        self.send_view(&present, &view, &events);
        members.remove(self.handler.me);
        self.state.work = Some(Work { during, events, view, missing: members });
        self.complete();
    }

    /// Who has installed its view no longer is waited for.
    pub(super) fn installed(&mut self, from: MemberId, id: ViewId) {
        if let Some(work) = &mut self.state.work
            && work.view.id == id
        {
            work.missing.remove(from);
            self.complete();
        }
    }

    /// Once all others have installed the view, so does the coord, and is done.
    fn complete(&mut self) {
        let Some(Work { during, view, .. }) =
            self.state.work.take_if(|work| work.missing.is_empty())
        else {
            return;
        };
        self.state.made = None;
        let cause = Cause { during: Some(during), ..Cause::default() };
        self.then.push_back((Event::View, Cause { view: Some(view), ..cause.clone() }));
        self.end(cause);
    }

    fn end(&mut self, cause: Cause) {
        self.then.push_back((Event::ViewHasBeenInstalled, cause));
    }

    /// The number of a view that is new.
    pub(super) fn mint(&mut self) -> ViewId {
        self.state.last_view = ViewId::after([self.state.last_view]);
        self.state.last_view
    }

    /// Sends a view to these, but not to oneself.
    pub(super) fn spread(&mut self, view: &View, to: &Members) {
        for member in to.iter().filter(|member| *member != self.handler.me) {
            self.send(member, Message::View(view.clone()));
        }
    }

    /// Whether a view comes after the one that is installed, and after the one that it made itself
    /// and that others may have installed.
    fn is_newer(&self, id: ViewId) -> bool {
        let installed = self.state.view.as_ref().map_or(self.state.last_view, |view| view.id);
        installed < id && self.state.made.is_none_or(|made| made < id)
    }

    /// A coord's view; an older one changes nothing.
    pub(super) fn offer(&mut self, from: MemberId, view: View) {
        if !view.contains(self.handler.me) && !self.leaves_by(from) {
            return self.left_out(from, view);
        }
        if self.is_newer(view.id) {
            // If it resumes the handler, it ends what that was suspended for.
            let during = self.state.leader.map(|leader| leader.during);
            let during = during.or(self.state.work.as_ref().map(|work| work.during));
            let cause = Cause { view: Some(view.clone()), during, ..Cause::default() };
            self.take(Event::View, cause);
            self.finish();
        }
        // Two coords may give one number. Who has the view of the other has not installed this one.
        let has_it = self.state.view.as_ref().is_none_or(|own| *own == view);
        if has_it && !view.is_merge() {
            self.send(from, Message::Installed(view.id));
        }
    }

    fn install(&mut self, cause: &Cause) {
        let Some(view) = &cause.view else { return };
        if !self.is_newer(view.id) {
            // The group that it made has changed its view since, or it has come into another one.
            return;
        }
        let me = self.handler.me;
        if let Some(before) = self.state.view.take().filter(|_| cause.spreads) {
            let own = before.members.iter().filter(|member| view.contains(*member));
            self.spread(view, &Members::new(own));
        }
        self.state.last_view = self.state.last_view.max(view.id);
        self.state.made = None;
        self.notify(Notice::Installed(view.clone()));
        if view.contains(me) {
            self.state.view = Some(view.clone());
            self.state.suspects.retain(view);
            self.joined();
            self.doubt();
        } else {
            self.state.wants = Wants::Nothing;
        }
    }

    /// Who wanted to join has joined, and may go on to ask for the state.
    fn joined(&mut self) {
        let Wants::Join { with_state } = self.state.wants else { return };
        self.state.wants = if with_state { Wants::State } else { Wants::Nothing };
        if let Some(coord) = self.state.coordinator().filter(|_| with_state) {
            let request = Request::GetState { member: self.handler.me };
            self.send(coord, Message::Request(request));
        }
    }

    fn hand_over(&mut self) {
        // Whom the queue suspects does not coordinate.
        let coord = self.state.coordinator();
        for request in take(&mut self.state.queue) {
            // The coord may be gone before it hears of it.
            if let Request::Suspect { member } = request {
                self.state.suspects.add(member);
            }
            if let Some(coord) = coord {
                self.send(coord, Message::Request(request));
            }
        }
    }

    /// A suspension begins, which the merge that is spoken of is for if one leads it.
    fn suspend(&mut self, merge: Option<Suspension>) {
        self.state.suspension = self.state.suspension.next();
        let during = self.state.suspension;
        if let Some(own) = self.state.merge.as_mut().filter(|own| Some(own.name) == merge) {
            own.during = during;
        }
        self.notify(Notice::Suspended(during));
    }

    /// A merge has the name of its suspension, or one of its own where that is still to begin.
    fn lead(&mut self, with: Option<MemberId>) {
        let Some(with) = with else { return };
        if !self.suspends {
            if self.state.processing != Processing::Nothing {
                return;
            }
            self.state.processing = Processing::Merge;
            self.state.suspension = self.state.suspension.next();
            self.out.effects.push(Effect::Arm(Timer::Merge));
        }
        let name = self.state.suspension;
        self.state.merge = Some(Merge { name, during: name, with });
        self.send(with, Message::MergeReq { merge: name });
    }

    /// It has processed the MERGE event, and is suspended; then it may be done, too.
    pub(super) fn has_processed(&mut self) {
        let merge = self.state.merge.map(|merge| merge.name);
        self.take(Event::MergeEventIsProcessed, Cause { merge, ..Cause::default() });
        if let Processing::Completed(merge) = take(&mut self.state.processing) {
            self.complete_merge(merge, self.state.suspension);
        }
    }
}
