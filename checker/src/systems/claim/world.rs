//! A world of `spec/systems/claim.yaml` with the claim system's cores, and its verdicts.

use std::net::SocketAddr;
use std::sync::Arc;

use stateright::Model;
use turnstile_spec::system;

use super::predicates::claim::{Predicate as Name, Properties};
use super::{Claim, ClaimTypes};
use crate::report::options::{Engine, Options, Refusal};
use crate::report::result::ResultReport;
use crate::search;
use crate::systems::Entry;
use crate::systems::build::Plan;
use crate::systems::coverage::coverage;
use crate::world::check::check;
use crate::world::{Predicate, World};

/// The claim system among those of this build.
pub const ENTRY: Entry =
    Entry { name: "claim", machines: &["claim", "claim-record"], run, explore };

/// The budgets that are the claim system's own.
const BUDGETS: [&str; 6] = ["release", "signal", "act", "ttl lapse", "waiter given up", PATIENCE];

/// The server's patience with a request that waits for the lock; in a world with this budget,
/// clients ask it to wait.
pub(super) const PATIENCE: &str = "patience ends";

/// A world of the system's file.
///
/// # Errors
///
/// Settings and budgets that the system does not have; names that the cores do not know.
pub fn world(
    file: &system::System,
    world: &system::World,
    options: &Options<'_>,
) -> Result<World<Claim>, Refusal> {
    let plan = Plan { file, world, options };
    let claim = {
        let waits = world.budgets.iter().any(|(name, _)| name == PATIENCE);
        Claim::new(plan.count("client")?, waits, &options.tables)?
    };
    let predicate = |name: &str| {
        let (claim, name) = (claim.clone(), Name::from_name(name)?);
        Some(Predicate::<ClaimTypes>::new(move |view| claim.ask(name, view)))
    };
    plan.build(claim.clone(), &BUDGETS, predicate)
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
