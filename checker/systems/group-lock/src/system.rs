//! The nodes and their wiring.

use turnstile_core::group::{self, Member};
use turnstile_core::number::ViewId;
use turnstile_core::stack;
use turnstile_core::view::{self, MemberId, Members, View};
use turnstile_harness::SystemSpec;
use turnstile_harness::rules::Chosen;
use turnstile_machines::{group_lock_client, group_lock_coordinator};
use turnstile_system_view_handler::{NetworkNode, Views};
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Cut, NodeId, Ordered};

use crate::beneath::{BeneathNode, Letter, MembershipNode, Noticed};
use crate::founded::founded;
use crate::membership::{Change, Membership};
use crate::nodes::{LocksNode, StackNode};
use crate::seat::{Call, timer_of_locks};
use crate::seat_node::{Crash, SeatNode};
use crate::world;

/// The table that runs, chosen at run time.
pub(crate) type ClientRules = Chosen<group_lock_client::Machine>;
/// The table that runs, chosen at run time.
pub(crate) type CoordinatorRules = Chosen<group_lock_coordinator::Machine>;

/// The cores of the group lock. Members come first, then the membership.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// How many members.
    pub(crate) members: usize,
    /// How many locks they want.
    pub(crate) locks: u16,
    /// The group has not formed when it begins, and the last member is no founder.
    pub(crate) joins: bool,
    /// What is on its way between members that are no longer together is lost; else it comes late.
    pub(crate) loses: bool,
    /// What the members handle their views by, if they do so themselves.
    pub(crate) views: Option<Views>,
    /// The table of a lock at a member.
    pub(crate) client: ClientRules,
    /// The table of a coordinator.
    pub(crate) coordinator: CoordinatorRules,
}

/// A node's number as a member's name, and back.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(u8::try_from(node + 1).expect("a group is small"))
}

pub(crate) fn node(member: MemberId) -> NodeId {
    NodeId::from(member.0) - 1
}

impl Group {
    /// A member that has never run.
    fn seat(&self, me: NodeId) -> SeatNode {
        let (client, coordinator) = (self.client.clone(), self.coordinator.clone());
        let locks = LocksNode(Member { me: member(me), client, coordinator });
        let runs: Box<dyn NodeCore> = match self.views.clone() {
            None => Box::new(locks),
            Some(views) => Box::new(StackNode { views, locks }),
        };
        let (me, beneath, is_stack) = (member(me), self.members, self.views.is_some());
        SeatNode { me, locks: self.locks, beneath, runs, is_stack, rest: None }
    }

    /// What is beneath the members.
    fn beneath(&self) -> Box<dyn NodeCore> {
        if let Some(views) = self.views.clone() {
            return Box::new(BeneathNode(NetworkNode(views)));
        }
        let founders = self.members - usize::from(self.joins);
        let outside = Members::new((founders..self.members).map(member));
        let founders = Members::new((0..founders).map(member));
        Box::new(MembershipNode(Membership::new(founders, outside, !self.joins)))
    }

    /// What has each member begin: its own first view, or that of all.
    fn first_input(&self) -> Input {
        if self.views.is_some() {
            return Input::Restart(None);
        }
        let view = View::new(ViewId::new(0), (0..self.members).map(member));
        Input::Message { from: self.members, message: Ordered::new(Letter::View(view)) }
    }
}

/// The members and what is beneath them, and what none of them decides.
#[derive(Debug)]
pub(crate) struct Nodes {
    seats: Vec<SeatNode>,
    beneath: Box<dyn NodeCore>,
    group: Group,
}

impl Nodes {
    pub(crate) fn new(group: Group) -> Self {
        let mut seats: Vec<_> = (0..group.members).map(|me| group.seat(me)).collect();
        if !group.joins {
            let rests = founded(&seats, &group.first_input());
            seats.iter_mut().zip(rests).for_each(|(seat, rest)| seat.rest = Some(rest));
        }
        Self { seats, beneath: group.beneath(), group }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        self.seats.get(node).map_or(&*self.beneath, |seat| seat)
    }

    fn budgets(&self) -> &'static [&'static str] {
        Group::BUDGETS
    }

    fn cut(&self, me: NodeId, input: &Input) -> Option<Cut> {
        if let Some(views) = &self.group.views {
            return views.cut(input);
        }
        let Input::Command(command) = input else { return None };
        let cut = match command.get() {
            None => (command.get() == Some(&Crash)).then(|| Cut::Lost(vec![me])),
            Some(Change::Leave(gone) | Change::CutOff(gone)) => Some(Cut::Lost(vec![node(*gone)])),
            Some(Change::Merge(_)) => Some(Cut::Together),
            Some(Change::Doubt { .. } | Change::Form | Change::Join(_)) => None,
        };
        cut.filter(|_| self.group.loses)
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        if let Some(call) = command.get() {
            return Some(match call {
                Call::Lock(_) => "lock call",
                Call::Unlock(_) => "unlock call",
                Call::Needless(_) => world::NEEDLESS,
                Call::Again(_) => world::AGAIN,
            });
        }
        if let Some(change) = command.get() {
            return match change {
                Change::Form | Change::Merge(_) => None,
                Change::Leave(_) => Some("leave"),
                Change::Join(_) => Some("join"),
                Change::CutOff(_) => Some("partition"),
                Change::Doubt { .. } => Some("doubt"),
            };
        }
        if command.get() == Some(&Crash) {
            return Some("crash");
        }
        if command.get::<Noticed>().is_some() {
            return None;
        }
        let views = self.group.views.as_ref()?;
        match command.get() {
            Some(stack::Command::Views(command)) => Some(views.budget(command)),
            _ => Some("partition"),
        }
    }

    fn insists(&self, command: &Ordered) -> bool {
        if let Some(stack::Command::Views(command)) = command.get() {
            return Views::insists(command);
        }
        matches!(command.get(), Some(Change::Form | Change::Merge(_)))
            || command.get::<Noticed>().is_some()
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        match timer_of_locks(timer)? {
            group::Timer::Lock(_) => Some("time-out"),
            group::Timer::Reconciliation => Some("reconciliation time-out"),
        }
    }

    fn is_background(&self, message: &Ordered) -> bool {
        match message.get() {
            Some(letter) => matches!(letter, Letter::Crashed(_)),
            None => {
                let coord = view::Message::Coord;
                matches!(message.get(), Some(stack::Message::Views(one)) if *one == coord)
            }
        }
    }
}
