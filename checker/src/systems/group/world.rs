//! A world of `spec/systems/group-lock.yaml` with members of a group, and its verdicts.

use super::predicates::group_lock::{Predicate as Name, Properties};
use super::{Group, GroupTypes};
use crate::report::options::Refusal;
use crate::systems::{Entry, Plan, Wired};
use crate::world::Predicate;

/// The group lock among the systems of this build.
pub const ENTRY: Entry = Entry::of::<Group>();

/// Callers give back what they do not hold.
pub(super) const NEEDLESS: &str = "needless unlock";

/// A world with this budget begins with one member outside.
const JOIN: &str = "join";

impl Wired for Group {
    const NAME: &'static str = "group-lock";

    const MACHINES: &'static [&'static str] = &["group-lock-client", "group-lock-coordinator"];

    const BUDGETS: &'static [&'static str] = &[
        "lock call",
        "unlock call",
        NEEDLESS,
        "time-out",
        "reconciliation time-out",
        "crash",
        "leave",
        JOIN,
        "partition",
        "doubt",
    ];

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let joins = plan.has(JOIN);
        let locks = plan.number("locks")?;
        let loses = match plan.value("messages") {
            Some("late") => false,
            Some("lost") => true,
            value => {
                let value = value.unwrap_or_default();
                let text = format!("`messages` is `{value}`; it must be late or lost");
                return Err(Refusal::Usage(text));
            }
        };
        Group::new(plan.count("member")?, locks, (joins, loses), &plan.options.tables)
    }

    fn predicate(&self, name: &str) -> Option<Predicate<GroupTypes>> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}
