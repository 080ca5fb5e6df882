//! A world of `spec/systems/group-lock.yaml` with members of a group, and its verdicts.

use std::net::SocketAddr;
use std::sync::Arc;

use stateright::Model;
use turnstile_spec::system;

use super::predicates::group_lock::{Predicate as Name, Properties};
use super::{Group, GroupTypes};
use crate::report::options::{Engine, Options, Refusal};
use crate::report::result::ResultReport;
use crate::search;
use crate::systems::Entry;
use crate::systems::build::Plan;
use crate::systems::coverage::coverage;
use crate::world::check::check;
use crate::world::{Predicate, World};

/// The group lock among the systems of this build.
pub const ENTRY: Entry = Entry {
    name: "group-lock",
    machines: &["group-lock-client", "group-lock-coordinator"],
    run,
    explore,
};

/// The budgets that are the group lock's own.
const BUDGETS: [&str; 8] = [
    "lock call",
    "unlock call",
    "time-out",
    "reconciliation time-out",
    "crash",
    "leave",
    JOIN,
    "partition",
];

/// A world with this budget begins with one member outside.
const JOIN: &str = "join";

/// A world of the system's file.
///
/// # Errors
///
/// Settings and budgets that the system does not have; names that the cores do not know.
pub fn world(
    file: &system::System,
    world: &system::World,
    options: &Options<'_>,
) -> Result<World<Group>, Refusal> {
    let plan = Plan { file, world, options };
    let joins = world.budgets.iter().any(|(name, _)| name == JOIN);
    let locks = plan.number("locks")?;
    let group = Group::new(plan.count("member")?, locks, joins, &options.tables)?;
    let predicate = |name: &str| {
        let (group, name) = (group.clone(), Name::from_name(name)?);
        Some(Predicate::<GroupTypes>::new(move |view| group.ask(name, view)))
    };
    plan.build(group.clone(), &BUDGETS, predicate)
}

fn run(
    file: &system::System,
    named: &system::World,
    options: &Options<'_>,
) -> Result<ResultReport, Refusal> {
    let world = Arc::new(world(file, named, options)?);
    let title = (file.name.as_str(), named.name.as_str());
    let checked = match options.engine {
        Engine::Interned => search::check::check(&world, title, options),
        Engine::Stateright => check(&world, title, options),
    };
    let mut result = checked.result;
    result.coverage = coverage(ENTRY.machines, &options.tables, &checked.taken);
    Ok(result)
}

fn explore(
    file: &system::System,
    named: &system::World,
    options: &Options<'_>,
    listen: SocketAddr,
) -> Result<(), Refusal> {
    world(file, named, options)?.checker().serve(listen);
    Ok(())
}
