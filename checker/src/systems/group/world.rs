//! A world of `spec/systems/group-lock.yaml` with members of a group, and its verdicts.

use turnstile_spec::system;

use super::predicates::group_lock::{Predicate as Name, Properties};
use super::{Group, GroupTypes};
use crate::report::options::{Options, Refusal};
use crate::systems::Entry;
use crate::systems::build::Plan;
use crate::systems::entry::Wired;
use crate::world::{Predicate, World};

/// The group lock among the systems of this build.
pub const ENTRY: Entry = Entry::of::<Group>();

/// The budgets that are the group lock's own.
const BUDGETS: [&str; 10] = [
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

/// Callers give back what they do not hold.
pub(super) const NEEDLESS: &str = "needless unlock";

/// A world with this budget begins with one member outside.
const JOIN: &str = "join";

impl Wired for Group {
    const NAME: &'static str = "group-lock";

    const MACHINES: &'static [&'static str] = &["group-lock-client", "group-lock-coordinator"];

    fn world(
        file: &system::System,
        world: &system::World,
        options: &Options<'_>,
    ) -> Result<World<Self>, Refusal> {
        let plan = Plan { file, world, options };
        let joins = world.budgets.iter().any(|(name, _)| name == JOIN);
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
        let group = Group::new(plan.count("member")?, locks, (joins, loses), &options.tables)?;
        let predicate = |name: &str| {
            let (group, name) = (group.clone(), Name::from_name(name)?);
            Some(Predicate::<GroupTypes>::new(move |view| group.ask(name, view)))
        };
        plan.build(group.clone(), &BUDGETS, predicate)
    }
}
