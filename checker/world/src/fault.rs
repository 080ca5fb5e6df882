//! The kinds of fault of a world, by the names of its budgets. A kind without a budget does not
//! happen.

use crate::budget::{Budget, BudgetId};
use crate::links::link::LinkFault;
use crate::links::network::NodeId;
use crate::nodes::node::{Event, NodePart, NodeStatus};
use crate::nodes::roles::Node;
use crate::system::{Input, System};

/// The budget of each kind of fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    names: Vec<String>,
    link: [Option<BudgetId>; LinkFault::ALL.len()],
    nodes: Vec<NodeFaults>,
    /// Clock drift beyond every margin.
    pub drift: Option<BudgetId>,
    /// A restart in the middle of a step's effects.
    torn_step: Option<BudgetId>,
    /// A crash in the middle of a step's effects.
    torn_crash: Option<BudgetId>,
}

/// The budgets of the faults of a node's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NodeFaults {
    crash: Option<BudgetId>,
    restart: Option<BudgetId>,
    pause: Option<BudgetId>,
    late_timer: Option<BudgetId>,
}

/// The faults of a node's process, as suffixes of its role's name.
const NODE_FAULTS: [&str; 4] = ["crash", "restart", "pause", "late timer"];

impl Faults {
    /// The name of the budget for clock drift.
    pub const DRIFT: &str = "drift";
    /// The name of the budget for restarts between two effects of a step.
    pub const TORN_STEP: &str = "torn step";
    /// The name of the budget for crashes between two effects of a step.
    pub const TORN_CRASH: &str = "torn crash";

    /// Looks the kinds up: `lost answer`, and for a role `client crash`, `client restart`,
    /// `client pause`, `client late timer`.
    #[must_use]
    pub fn resolve(nodes: &[Node], budgets: &[Budget]) -> Self {
        // A budget of 0 is none: nothing finds it.
        let name = |one: &Budget| if one.limit == Some(0) { "" } else { &one.name }.to_owned();
        let names: Vec<String> = budgets.iter().map(name).collect();
        let find = |name: &str| position(&names, name);
        let of_node = |node: &Node| NodeFaults {
            crash: find(&format!("{} crash", node.role)),
            restart: find(&format!("{} restart", node.role)),
            pause: find(&format!("{} pause", node.role)),
            late_timer: find(&format!("{} late timer", node.role)),
        };
        Self {
            link: LinkFault::ALL.map(|fault| find(fault.name())),
            nodes: nodes.iter().map(of_node).collect(),
            drift: find(Self::DRIFT),
            torn_step: find(Self::TORN_STEP),
            torn_crash: find(Self::TORN_CRASH),
            names,
        }
    }

    /// The names that a world of these nodes can give to faults; others are the system's own.
    #[must_use]
    pub fn known(nodes: &[Node]) -> Vec<String> {
        let mut known: Vec<String> =
            LinkFault::ALL.iter().map(|fault| fault.name().to_owned()).collect();
        known.extend([Self::DRIFT, Self::TORN_STEP, Self::TORN_CRASH].map(str::to_owned));
        for node in nodes {
            known.extend(NODE_FAULTS.map(|what| format!("{} {what}", node.role)));
        }
        known.dedup();
        known
    }

    /// Whether a name is that of a fault of a node's process, of any role.
    #[must_use]
    pub fn is_of_process(name: &str) -> bool {
        NODE_FAULTS.iter().any(|what| name.ends_with(&format!(" {what}")))
    }

    /// The budget of a fault on a link.
    #[must_use]
    pub fn on_link(&self, fault: LinkFault) -> Option<BudgetId> {
        let place = LinkFault::ALL.iter().position(|other| *other == fault)?;
        self.link[place]
    }

    /// The budget for late replies.
    #[must_use]
    pub fn late_answer(&self) -> Option<BudgetId> {
        self.on_link(LinkFault::LateAnswer)
    }

    /// Whether the node can restart, so that its saved state matters.
    #[must_use]
    pub fn may_restart(&self, node: NodeId) -> bool {
        self.nodes[node].restart.is_some()
    }

    /// Whether the node can crash.
    pub(crate) fn may_crash(&self, node: NodeId) -> bool {
        self.nodes[node].crash.is_some()
    }

    /// The budgets that this end of a torn step takes from, if it happens: that of such steps, and
    /// that of the node's restarts or crashes.
    pub(crate) fn torn(&self, node: NodeId, end: &Event) -> Option<[BudgetId; 2]> {
        if *end == Event::Crashes {
            Some([self.torn_crash?, self.nodes[node].crash?])
        } else {
            Some([self.torn_step?, self.nodes[node].restart?])
        }
    }

    /// Whether steps of the node can be torn.
    pub(crate) fn may_tear(&self, node: NodeId) -> bool {
        [Event::Crashes, Event::Restarts(0)].iter().any(|end| self.torn(node, end).is_some())
    }

    /// The budget that an event takes from; `None` where it has no budget here and does not
    /// happen.
    #[expect(clippy::option_option, reason = "the outer one says whether it happens at all")]
    pub(crate) fn of_node(
        &self,
        system: &dyn System,
        node: NodeId,
        part: &NodePart,
        event: &Event,
    ) -> Option<Option<BudgetId>> {
        let of_node = self.nodes[node];
        Some(match event {
            Event::Takes(Input::Fired(timer), _) => self.rationed(system.timer_budget(timer))?,
            // One that is ignored changes nothing, and spends nothing.
            Event::Takes(Input::Command(command), _) => {
                let budget = self.rationed(system.command_budget(command))?;
                budget.filter(|_| !system.node(node).ignores(&part.state, command))
            }
            Event::Takes(Input::Message { .. } | Input::Restart(_), _) => None,
            Event::Crashes => Some(of_node.crash?),
            Event::Restarts(_) if part.status == NodeStatus::Up || of_node.restart.is_some() => {
                Some(of_node.restart?)
            }
            Event::Restarts(_) => return None,
            Event::IsDue(_) => Some(of_node.late_timer?),
            Event::FiresLate(..) => None,
            Event::Pauses => Some(of_node.pause?),
            Event::Resumes => None,
            // The World adds the cost of tearing.
            Event::Torn { step, .. } => return self.of_node(system, node, part, step),
        })
    }

    /// Not rationed: no budget. Rationed: its budget, or nothing where the world has none.
    #[expect(clippy::option_option, reason = "the outer one says whether it happens at all")]
    fn rationed(&self, name: Option<&str>) -> Option<Option<BudgetId>> {
        match name {
            None => Some(None),
            Some(name) => position(&self.names, name).map(Some),
        }
    }
}

fn position(names: &[String], name: &str) -> Option<BudgetId> {
    let place = names.iter().position(|other| other == name)?;
    Some(BudgetId(u8::try_from(place).expect("a world has few budgets")))
}
