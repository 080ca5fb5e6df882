//! A world of `spec/systems/claim.yaml` over the claim system's cores.

use std::sync::Arc;

use turnstile_claim_core::record::Limits;
use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_world::Predicate;
use turnstile_world::system::System;

use super::budgets::{LONG_POLL, NEW_TERM, REVOCATION, STRANGER};
use super::claim::{ClaimSystem, ClientRules, RecordRules};
use super::predicates::claim::{Predicate as Name, Properties};
use super::system::Nodes;

const FILE: Embedded = embedded!("../" "spec/systems/" "claim");

const TABLES: [Embedded; 2] =
    [embedded!("../" "spec/tables/" "claim"), embedded!("../" "spec/tables/" "claim-record")];

/// The claim system among those of this build.
#[must_use]
pub fn entry() -> SystemEntry {
    SystemEntry::of::<ClaimSystem>()
}

impl SystemSpec for ClaimSystem {
    const FILE: Embedded = FILE;

    const TABLES: &'static [Embedded] = &TABLES;

    const BUDGETS: &'static [&'static str] = &[
        "release",
        "signal",
        "act",
        "ttl lapse",
        "waiter expiry",
        "lapsed claim expiry",
        "polling switch",
        "line change",
        "time-out",
        "program exit",
        "second claim",
        "fresh key",
        REVOCATION,
        STRANGER,
        NEW_TERM,
        LONG_POLL,
    ];

    const CALLS: &'static [&'static str] = &[
        "release",
        "signal",
        "act",
        "polling switch",
        "line change",
        "program exit",
        "second claim",
        REVOCATION,
        STRANGER,
        NEW_TERM,
    ];

    const SUFFERS: &'static [&'static str] = &[
        "lost request",
        "lost answer",
        "late answer",
        "server error",
        "duplicate",
        "refused request",
        "hung up",
        "client crash",
        "client restart",
        "client pause",
        "client late timer",
        "server crash",
        "server restart",
        "server pause",
        "server late timer",
        "store crash",
        "store restart",
    ];

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let tables = &plan.options.tables;
        Ok(Self {
            clients: plan.count("client")?,
            keychains: plan.count("keychain")?,
            locks: u32::from(plan.number("locks")?),
            limits: Limits {
                waiters_max: plan.number_from(0, "queue")?.into(),
                finished_max: plan.number_from(0, "finished")?.into(),
            },
            client: ClientRules::among(tables)?,
            record: RecordRules::among(tables)?,
            waits: plan.has(LONG_POLL),
            watches: plan.has(REVOCATION),
            is_slow: plan.number_from(0, "slow")? > 0,
            is_throttled: plan.number_from(0, "throttled")? > 0,
            has_stranger: plan.has(STRANGER),
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
