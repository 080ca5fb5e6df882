//! A world of `spec/systems/replicated-lock.yaml` over the members' cores.

use std::sync::Arc;

use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_world::Predicate;
use turnstile_world::system::System;

use super::Replicated;
use super::predicates::replicated_lock::{Predicate as Name, Properties};
use super::system::Nodes;

const FILE: Embedded = embedded!("../" "spec/systems/" "replicated-lock");

const TABLES: [Embedded; 3] = [
    embedded!("../" "spec/tables/" "lock-status"),
    embedded!("../" "spec/tables/" "lock-member"),
    embedded!("../" "spec/tables/" "lock-mutex"),
];

/// The replicated lock service among the systems of this build.
#[must_use]
pub fn entry() -> SystemEntry {
    SystemEntry::of::<Replicated>()
}

/// In a world with this budget results are not sent at once.
const FAILS: &str = "failed command";

impl SystemSpec for Replicated {
    const FILE: Embedded = FILE;

    const TABLES: &'static [Embedded] = &TABLES;

    const BUDGETS: &'static [&'static str] = &[
        "lock call",
        "unlock call",
        "try call",
        "direct call",
        "act",
        "time-out",
        "retry",
        FAILS,
        "coordinator change",
        "partition",
        "connection",
        "restart",
        "snapshot",
        "lag",
    ];

    const CALLS: &'static [&'static str] =
        &["lock call", "unlock call", "try call", "direct call", "act"];

    const SUFFERS: &'static [&'static str] = &[];

    /// A member that was never partitioned cannot rejoin, and a member with the whole log needs no
    /// snapshot.
    fn may_spend(&self, plan: &Plan<'_>, budget: &str) -> bool {
        match budget {
            "connection" => plan.has("partition") || plan.has("restart"),
            "snapshot" => ["partition", "restart", "lag"].iter().any(|budget| plan.has(budget)),
            _ => true,
        }
    }

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let may_fail = plan.has(FAILS);
        let takes_late = match plan.value("commands") {
            Some("late") => true,
            Some("lost") | None => false,
            _ => return Err(plan.refuse("commands", "late or lost")),
        };
        let witnesses = usize::from(plan.number_from(0, "witnesses")?);
        let voters = [plan.count("member")?, witnesses];
        Self::new(voters, plan.number("locks")?, [may_fail, takes_late], &plan.options.tables)
    }

    fn nodes(self, _count: usize) -> Arc<dyn System> {
        Arc::new(Nodes::new(self))
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}
