//! A world of `spec/systems/replicated-lock.yaml` with its members' cores, and its verdicts.

use turnstile_world::Predicate;

use super::Replicated;
use super::predicates::replicated_lock::{Predicate as Name, Properties};
use crate::report::options::Refusal;
use crate::systems::{Entry, Plan, Wired};

/// The replicated lock service among the systems of this build.
pub const ENTRY: Entry = Entry::of::<Replicated>();

/// A world with this budget has results that do not go out at once.
const FAILS: &str = "failed command";

impl Wired for Replicated {
    const NAME: &'static str = "replicated-lock";

    const MACHINES: &'static [&'static str] = &["lock-status", "lock-member", "lock-mutex"];

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

    const SUFFERS: &'static [&'static str] = &[];

    /// Who was never apart does not come back, and who has all of the log needs no snapshot.
    fn may_spend(&self, plan: &Plan<'_>, budget: &str) -> bool {
        match budget {
            "connection" => plan.has("partition") || plan.has("restart"),
            "snapshot" => ["partition", "restart", "lag"].iter().any(|budget| plan.has(budget)),
            _ => true,
        }
    }

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let may_fail = plan.has(FAILS);
        let witnesses = usize::from(plan.number_from(0, "witnesses")?);
        let voters = [plan.count("member")?, witnesses];
        Replicated::new(voters, plan.number("locks")?, may_fail, &plan.options.tables)
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}
