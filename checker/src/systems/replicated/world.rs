//! A world of `spec/systems/replicated-lock.yaml` with its members' cores, and its verdicts.

use turnstile_spec::system;

use super::predicates::replicated_lock::{Predicate as Name, Properties};
use super::{Replicated, ReplicatedTypes};
use crate::report::options::{Options, Refusal};
use crate::systems::Entry;
use crate::systems::build::Plan;
use crate::systems::entry::Wired;
use crate::world::{Predicate, World};

/// The replicated lock service among the systems of this build.
pub const ENTRY: Entry = Entry::of::<Replicated>();

/// The budgets that are the replicated lock service's own.
const BUDGETS: [&str; 13] = [
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
];

/// A world with this budget has results that do not go out at once.
const FAILS: &str = "failed command";

impl Wired for Replicated {
    const NAME: &'static str = "replicated-lock";

    const MACHINES: &'static [&'static str] = &["lock-status", "lock-member", "lock-mutex"];

    fn world(
        file: &system::System,
        world: &system::World,
        options: &Options<'_>,
    ) -> Result<World<Self>, Refusal> {
        let plan = Plan { file, world, options };
        let may_fail = world.budgets.iter().any(|(name, _)| name == FAILS);
        let witnesses = usize::from(plan.number_from(0, "witnesses")?);
        let voters = [plan.count("member")?, witnesses];
        let system = Replicated::new(voters, plan.number("locks")?, may_fail, &options.tables)?;
        let predicate = |name: &str| {
            let name = Name::from_name(name)?;
            Some(Predicate::<ReplicatedTypes>::new(move |view| system.ask(name, view)))
        };
        plan.build(system, &BUDGETS, predicate)
    }
}
