//! The system of `commit.yaml`: its nodes, its budgets and its predicates.

use std::sync::Arc;

use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_world::system::{NodeCore, System};
use turnstile_world::{NodeId, Ordered, Predicate};

use crate::coordinator::Coordinator;
use crate::message::{Command, Message};
use crate::nodes::{CoordinatorRules, ParticipantRules};
use crate::participant::Participant;
use crate::predicates::{self, commit};

/// The entry of the system for the command line.
pub(crate) fn entry() -> SystemEntry {
    SystemEntry::of::<Commit>()
}

/// One coordinator, and its participants.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    coordinator: Coordinator<CoordinatorRules>,
    participant: Participant<ParticipantRules>,
}

impl SystemSpec for Commit {
    const FILE: Embedded = embedded!("../" "spec/" "commit");

    const TABLES: &'static [Embedded] =
        &[embedded!("../" "spec/" "coordinator"), embedded!("../" "spec/" "participant")];

    const BUDGETS: &'static [&'static str] = &["refusal"];

    const SUFFERS: &'static [&'static str] = &["coordinator restart", "participant restart"];

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let rules = CoordinatorRules::among(&plan.options.tables)?;
        let participants = plan.count("participant")?;
        Ok(Self {
            coordinator: Coordinator { rules, participants },
            participant: Participant { rules: ParticipantRules::among(&plan.options.tables)? },
        })
    }

    fn nodes(self, _count: usize) -> Arc<dyn System> {
        Arc::new(self)
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let name = commit::Predicate::from_name(name)?;
        Some(Predicate::new(move |view| predicates::ask(name, view)))
    }
}

impl System for Commit {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == 0 { &self.coordinator } else { &self.participant }
    }

    fn budgets(&self) -> Vec<&str> {
        Self::BUDGETS.to_vec()
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        match command.of() {
            Command::Refuse => Some("refusal"),
            Command::Begin => None,
        }
    }

    /// Questions and decisions are sent repeatedly: two equal ones in flight count as one.
    fn is_idempotent_gossip(&self, message: &Ordered) -> bool {
        matches!(message.of(), Message::Ask | Message::Decided(_))
    }
}
