//! A world of `spec/systems/claim.yaml` with the claim system's cores, and its verdicts.

use turnstile_spec::system;

use super::predicates::claim::{Predicate as Name, Properties};
use super::{Claim, ClaimTypes};
use crate::report::options::{Options, Refusal};
use crate::systems::Entry;
use crate::systems::build::Plan;
use crate::systems::entry::Wired;
use crate::world::{Predicate, World};

/// The claim system among those of this build.
pub const ENTRY: Entry = Entry::of::<Claim>();

/// The budgets that are the claim system's own.
const BUDGETS: [&str; 6] = ["release", "signal", "act", "ttl lapse", "waiter given up", PATIENCE];

/// The server's patience with a request that waits for the lock; in a world with this budget,
/// clients ask it to wait.
pub(super) const PATIENCE: &str = "patience ends";

impl Wired for Claim {
    const NAME: &'static str = "claim";

    const MACHINES: &'static [&'static str] = &["claim", "claim-record"];

    fn world(
        file: &system::System,
        world: &system::World,
        options: &Options<'_>,
    ) -> Result<World<Self>, Refusal> {
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
}
