//! The nodes and their wiring.

use std::sync::Arc;

use turnstile_group_lock_core::stack;
use turnstile_group_lock_core::{self as group, Member};
use turnstile_group_lock_machines::{group_lock_client, group_lock_coordinator};
use turnstile_harness::SystemSpec;
use turnstile_harness::rules::AnyTable;
use turnstile_system_view_handler::{NetworkNode, Views};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, MemberId, Members, View};
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Direction, NetworkChange, NodeId, Ordered};

use crate::formed::Formed;
use crate::lower_layer::{CrashDetected, LayerMessage, MembershipNode, NetworkLayerNode};
use crate::member_node::{Crash, Lives, MemberNode, Restart};
use crate::member_state::{Call, timer_of_locks};
use crate::membership::{Membership, MembershipChange};
use crate::nodes::{LocksNode, StackNode};
use crate::world;

/// The table that runs, chosen at run time.
pub(crate) type ClientRules = AnyTable<group_lock_client::Machine>;
/// The table that runs, chosen at run time.
pub(crate) type CoordinatorRules = AnyTable<group_lock_coordinator::Machine>;

/// The cores of the group lock. Members come first, then the membership.
#[derive(Clone, Debug)]
pub(crate) struct GroupLock {
    /// How many members.
    pub(crate) members: usize,
    /// How many locks there are.
    pub(crate) locks: u64,
    /// The group has not formed in the first state, and the last member is no founder.
    pub(crate) joins: bool,
    /// Messages in transit between members of different groups are lost; otherwise they are late.
    pub(crate) loses: bool,
    /// Callers keep the tokens of their last grants.
    pub(crate) keeps_tokens: bool,
    /// Processes start again; the members of no group are their next lives.
    pub(crate) restarts: bool,
    /// The view handling of the members, if they have their own.
    pub(crate) views: Option<Views>,
    /// The table of a lock at a member.
    pub(crate) client: ClientRules,
    /// The table of a coordinator.
    pub(crate) coordinator: CoordinatorRules,
}

/// A node's number as a member's name, and back.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(node as u64 + 1)
}

pub(crate) fn node(member: MemberId) -> NodeId {
    NodeId::try_from(member.0).expect("it is a node") - 1
}

impl GroupLock {
    /// A member that has never run.
    pub(crate) fn member_at(&self, me: NodeId) -> MemberNode {
        let (client, coordinator) = (self.client.clone(), self.coordinator.clone());
        let locks = LocksNode(Member { me: member(me), client: client.clone(), coordinator });
        let runs: Box<dyn NodeCore> = match self.views.clone() {
            None => Box::new(locks),
            Some(views) => Box::new(StackNode { views, locks, restarts: self.restarts }),
        };
        let lives = self.lives(me);
        let (me, lower_layer, is_stack) = (member(me), self.members, self.views.is_some());
        let (locks, keeps_tokens) = (self.locks, self.keeps_tokens);
        let loses_exclusions =
            self.views.as_ref().is_some_and(|views| views.assumptions.loses_exclusions);
        MemberNode {
            me,
            locks,
            lower_layer,
            runs,
            client,
            keeps_tokens,
            loses_exclusions,
            is_stack,
            lives,
            formed: None,
        }
    }

    /// The lives of the process whose member is this one.
    fn lives(&self, me: NodeId) -> Lives {
        let Some(views) = self.views.as_ref().filter(|_| self.restarts) else {
            return Lives::default();
        };
        let processes = views.groups.iter().sum::<usize>();
        let next = Some(me + processes).filter(|next| *next < self.members);
        Lives { is_later: me >= processes, next }
    }

    /// The layer below the members.
    fn lower_layer(&self) -> Box<dyn NodeCore> {
        if let Some(views) = self.views.clone() {
            return Box::new(NetworkLayerNode(NetworkNode(views)));
        }
        let founders = self.members - usize::from(self.joins);
        let outside = Members::new((founders..self.members).map(member));
        let founders = Members::new((0..founders).map(member));
        Box::new(MembershipNode(Membership::new(founders, outside, !self.joins)))
    }

    /// The first input of each member: its own first view, or that of all.
    pub(crate) fn first_input(&self) -> Input {
        if self.views.is_some() {
            return Input::Restart(None);
        }
        let view = View::new(ViewId::new(0), (0..self.members).map(member));
        Input::Message { from: self.members, message: Ordered::new(LayerMessage::View(view)) }
    }
}

/// The members and the layer below, and their wiring.
#[derive(Debug)]
pub(crate) struct Nodes {
    members: Vec<MemberNode>,
    lower_layer: Box<dyn NodeCore>,
    group: GroupLock,
}

impl Nodes {
    pub(crate) fn new(group: GroupLock) -> Self {
        let mut members: Vec<_> = (0..group.members).map(|me| group.member_at(me)).collect();
        if !group.joins {
            let formed = Arc::new(Formed::new(group.clone()));
            members.iter_mut().for_each(|member| member.formed = Some(Arc::clone(&formed)));
        }
        Self { members, lower_layer: group.lower_layer(), group }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        self.members.get(node).map_or(&*self.lower_layer, |member_state| member_state)
    }

    fn budgets(&self) -> Vec<&str> {
        GroupLock::BUDGETS.to_vec()
    }

    fn network_change(&self, me: NodeId, input: &Input) -> Option<NetworkChange> {
        if let Some(views) = &self.group.views {
            return views.cut(input);
        }
        let Input::Command(command) = input else { return None };
        let cut = match command.get() {
            None => (command.get() == Some(&Crash))
                .then(|| NetworkChange::Disconnect(vec![me], Direction::Both)),
            Some(MembershipChange::Leave(gone) | MembershipChange::CutOff(gone)) => {
                Some(NetworkChange::Disconnect(vec![node(*gone)], Direction::Both))
            }
            Some(MembershipChange::Merge(_) | MembershipChange::MergeUnder(_)) => {
                Some(NetworkChange::Heal)
            }
            Some(
                MembershipChange::MutualSuspicion { .. }
                | MembershipChange::Form
                | MembershipChange::Reorder(_)
                | MembershipChange::Join(_),
            ) => None,
        };
        cut.filter(|_| self.group.loses)
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        if let Some(call) = command.get() {
            return Some(match call {
                Call::Lock(_) => "lock call",
                Call::Unlock(_) => "unlock call",
                Call::UnlockUnheld(_) => world::NEEDLESS_UNLOCK,
                Call::LockHeld(_) => world::NEEDLESS_LOCK,
            });
        }
        if let Some(change) = command.get() {
            return match change {
                MembershipChange::Form | MembershipChange::Merge(_) => None,
                MembershipChange::Leave(_) => Some("leave"),
                MembershipChange::Join(_) => Some("join"),
                MembershipChange::CutOff(_) => Some("partition"),
                MembershipChange::MutualSuspicion { .. } => Some("mutual suspicion"),
                MembershipChange::Reorder(_) => Some(world::ANOTHER_VIEW),
                MembershipChange::MergeUnder(_) => Some(world::ANOTHER_MERGE_LEADER),
            };
        }
        if command.get() == Some(&Crash) {
            return Some("crash");
        }
        if command.get() == Some(&Restart) {
            return Some(world::RESTART);
        }
        if command.get::<CrashDetected>().is_some() {
            return None;
        }
        let views = self.group.views.as_ref()?;
        match command.get() {
            Some(stack::Command::Views(command)) => Some(views.budget(command)),
            Some(stack::Command::Begin) => Some(world::GROUP_OF_ITS_OWN),
            _ => Some("partition"),
        }
    }

    fn is_fair(&self, command: &Ordered) -> bool {
        if let Some(stack::Command::Views(command)) = command.get() {
            return Views::is_fair(command);
        }
        matches!(command.get(), Some(MembershipChange::Form | MembershipChange::Merge(_)))
            || command.get::<CrashDetected>().is_some()
            || command.get() == Some(&stack::Command::Begin)
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&str> {
        match timer_of_locks(timer)? {
            group::Timer::Lock(_) => Some("time-out"),
            group::Timer::Reconciliation => Some("reconciliation time-out"),
        }
    }

    fn is_idempotent_gossip(&self, message: &Ordered) -> bool {
        match message.get() {
            Some(message) => matches!(message, LayerMessage::Crashed(_)),
            None => {
                let message = message.get();
                matches!(message, Some(stack::Message::Views(view::Message::Coord(_))))
            }
        }
    }
}
