//! The nodes and their wiring.

use std::sync::Arc;

use turnstile_group_lock_core as group;
use turnstile_group_lock_core::stack;
use turnstile_harness::SystemSpec;
use turnstile_system_view_handler::{NetworkNode, Views, cut};
use turnstile_view_handler_core::{self as view, Members};
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Breaches, Direction, NetworkChange, NodeId, Ordered, Value};

use crate::budgets;
use crate::formed::Formed;
use crate::forming::formed_group;
use crate::group_lock::{GroupLock, member, node};
use crate::layer_message::LayerMessage;
use crate::lower_layer::{CrashDetected, MembershipNode, NetworkLayerNode};
use crate::member_node::{Crash, MemberNode, Restart};
use crate::member_state::{Call, timer_of_locks};
use crate::membership::{Membership, MembershipChange};

/// The layer below the members.
fn lower_layer(group: &GroupLock) -> Box<dyn NodeCore> {
    if let Some(views) = group.views.clone() {
        return Box::new(NetworkLayerNode(NetworkNode(views)));
    }
    let founders = group.members - usize::from(group.joins);
    let outside = Members::new((founders..group.members).map(member));
    let founders = Members::new((0..founders).map(member));
    Box::new(MembershipNode(Membership::new(founders, outside, !group.joins)))
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
            let formed = Arc::new(Formed::new(group.clone(), formed_group));
            members.iter_mut().for_each(|member| member.formed = Some(Arc::clone(&formed)));
        }
        Self { members, lower_layer: lower_layer(&group), group }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        self.members.get(node).map_or(&*self.lower_layer, |member_state| member_state)
    }

    fn budgets(&self) -> Vec<&str> {
        GroupLock::BUDGETS.to_vec()
    }

    fn monitor(&self, breaches: &mut Breaches) -> Value {
        if let Some(formed) = self.members.first().and_then(|member| member.formed.as_ref()) {
            breaches.add(formed.breaches());
        }
        Value::new(())
    }

    fn network_change(&self, me: NodeId, input: &Input) -> Option<NetworkChange> {
        if let Some(views) = &self.group.views {
            return cut(views, input);
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
                Call::UnlockUnheld(_) => budgets::NEEDLESS_UNLOCK,
                Call::LockHeld(_) => budgets::NEEDLESS_LOCK,
            });
        }
        if let Some(change) = command.get() {
            return match change {
                MembershipChange::Form | MembershipChange::Merge(_) => None,
                MembershipChange::Leave(_) => Some("leave"),
                MembershipChange::Join(_) => Some("join"),
                MembershipChange::CutOff(_) => Some("partition"),
                MembershipChange::MutualSuspicion { .. } => Some("mutual suspicion"),
                MembershipChange::Reorder(_) => Some(budgets::ANOTHER_VIEW),
                MembershipChange::MergeUnder(_) => Some(budgets::ANOTHER_MERGE_LEADER),
            };
        }
        if command.get() == Some(&Crash) {
            return Some("crash");
        }
        if command.get() == Some(&Restart) {
            return Some(budgets::RESTART);
        }
        if command.get::<CrashDetected>().is_some() {
            return None;
        }
        let views = self.group.views.as_ref()?;
        match command.get() {
            Some(stack::Command::Views(command)) => Some(views.budget(command)),
            Some(stack::Command::Begin) => Some(budgets::GROUP_OF_ITS_OWN),
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
