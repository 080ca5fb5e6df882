//! A world of `spec/systems/group-lock.yaml` over the members' cores.

use std::sync::Arc;

use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_system_view_handler::Views;
use turnstile_world::system::System;
use turnstile_world::{Faults, Predicate};

use super::budgets::{
    ANOTHER_MERGE_LEADER, ANOTHER_VIEW, GROUP_OF_ITS_OWN, NEEDLESS_LOCK, NEEDLESS_UNLOCK, RESTART,
};
use super::group_lock::{ClientRules, CoordinatorRules, GroupLock};
use super::predicates::group_lock::{Predicate as Name, Properties};
use super::system::Nodes;

const FILE: Embedded = embedded!("../" "spec/systems/" "group-lock");

const TABLES: [Embedded; 2] = [
    embedded!("../" "spec/tables/" "group-lock-client"),
    embedded!("../" "spec/tables/" "group-lock-coordinator"),
];

/// The group lock among the systems of this build.
#[must_use]
pub fn entry() -> SystemEntry {
    SystemEntry::of::<GroupLock>()
}

/// A world with this budget begins with one member outside the group.
const JOIN: &str = "join";

impl SystemSpec for GroupLock {
    const FILE: Embedded = FILE;

    const TABLES: &'static [Embedded] = &TABLES;

    const BUDGETS: &'static [&'static str] = &[
        "lock call",
        "unlock call",
        NEEDLESS_UNLOCK,
        NEEDLESS_LOCK,
        "time-out",
        "reconciliation time-out",
        "crash",
        "leave",
        RESTART,
        GROUP_OF_ITS_OWN,
        JOIN,
        "partition",
        "mutual suspicion",
        ANOTHER_VIEW,
        ANOTHER_MERGE_LEADER,
        "suspect",
        "failed installation",
        "MERGE",
        "MERGE again",
    ];

    const CALLS: &'static [&'static str] =
        &["lock call", "unlock call", NEEDLESS_UNLOCK, NEEDLESS_LOCK, "leave", JOIN];

    const SUFFERS: &'static [&'static str] = &[];

    fn may_spend(&self, _plan: &Plan<'_>, budget: &str) -> bool {
        match (budget, &self.views) {
            ("mutual suspicion" | ANOTHER_VIEW | ANOTHER_MERGE_LEADER, views) => views.is_none(),
            (
                "suspect"
                | "failed installation"
                | "MERGE"
                | "MERGE again"
                | RESTART
                | GROUP_OF_ITS_OWN
                | Faults::DRIFT,
                views,
            ) => views.is_some(),
            _ => true,
        }
    }

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let views = match plan.value("views") {
            Some("any") => None,
            Some("handled") => Some(Views::of(plan)?),
            _ => return Err(plan.refuse("views", "any or handled")),
        };
        let loses = match plan.value("messages") {
            Some("late") => false,
            Some("lost") => true,
            _ => return Err(plan.refuse("messages", "late or lost")),
        };
        if loses && views.is_some() {
            // A partition may end undetected; its lost messages would never be sent again.
            return Err(plan.refuse("messages", "late where views are handled"));
        }
        let keeps_tokens = match plan.value("tokens") {
            Some("kept") => true,
            Some("forgotten") => false,
            _ => return Err(plan.refuse("tokens", "kept or forgotten")),
        };
        // With their own view handling, members of no group are outside.
        let joins = views.is_none() && plan.has(JOIN);
        let (members, locks) = (plan.count("member")?, plan.number("locks")?);
        let client = ClientRules::among(&plan.options.tables)?;
        let coordinator = CoordinatorRules::among(&plan.options.tables)?;
        let (locks, restarts) = (locks.into(), plan.has(RESTART));
        Ok(Self {
            members,
            locks,
            joins,
            loses,
            keeps_tokens,
            restarts,
            views,
            client,
            coordinator,
        })
    }

    fn nodes(self, _count: usize) -> Arc<dyn System> {
        Arc::new(Nodes::new(self))
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}
