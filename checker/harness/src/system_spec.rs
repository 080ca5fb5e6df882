//! What the crate of a system of shipped cores says of it, and a world of it by its file.

use std::sync::Arc;

use turnstile_world::system::System;
use turnstile_world::{Node, Predicate, Property, Reads, World};

use crate::options::Refusal;
use crate::plan::{Plan, WorldParts};
use crate::results::fault::FaultReport;
use crate::tables::embedded::Embedded;

/// A system of shipped cores, for the command line.
pub trait SystemSpec: Clone {
    /// Its file.
    const FILE: Embedded;

    /// The tables that its cores run, each by the name of its machine.
    const TABLES: &'static [Embedded];

    /// The budgets of its own, in addition to the World's.
    const BUDGETS: &'static [&'static str];

    /// Those of its own budgets that ration calls of users, not faults or timers.
    const CALLS: &'static [&'static str] = &[];

    /// The faults of requests and of processes that its cores handle, by the names of their
    /// budgets. The links determine those of messages.
    const SUFFERS: &'static [&'static str];

    /// Whether a budget of its own, or that of clock drift, can be spent with the settings and the
    /// other budgets of this world.
    fn may_spend(&self, _plan: &Plan<'_>, _budget: &str) -> bool {
        true
    }

    /// The system of a world.
    ///
    /// # Errors
    ///
    /// Settings that the system does not have; names that the cores do not know.
    fn of(plan: &Plan<'_>) -> Result<Self, Refusal>;

    /// Its nodes: `count` of them, role by role in the order of the file.
    fn nodes(self, count: usize) -> Arc<dyn System>;

    /// A predicate of the file; `None` if none of this name is compiled in.
    fn predicate(&self, name: &str) -> Option<Predicate>;
}

/// A system of compiled cores.
struct SpecParts<'p, S> {
    system: S,
    plan: &'p Plan<'p>,
}

impl<S: SystemSpec> WorldParts for SpecParts<'_, S> {
    fn budgets(&self) -> Vec<&str> {
        S::BUDGETS.to_vec()
    }

    fn suffers(&self, fault: &str) -> bool {
        S::SUFFERS.contains(&fault)
    }

    fn may_spend(&self, budget: &str) -> bool {
        self.system.may_spend(self.plan, budget)
    }

    fn system(&self, nodes: &[Node]) -> Arc<dyn System> {
        self.system.clone().nodes(nodes.len())
    }
}

/// The world of compiled cores, with the properties that are checked in it.
pub(crate) fn world<S: SystemSpec>(plan: &Plan<'_>, system: S) -> Result<World, Refusal> {
    let known = system.clone();
    let nodes = plan.nodes()?;
    let mut world = plan.world(&SpecParts { system, plan }, nodes)?;
    for property in plan.file.properties.iter().filter(|property| plan.checks(property)) {
        let find = |name: &str, _| {
            if name.is_empty() {
                return Ok(Predicate::new(|_| true));
            }
            known.predicate(name).ok_or_else(|| {
                let what = format!("no predicate `{name}` is compiled in");
                let source = &plan.file.source;
                let fault = FaultReport::not_compiled(source, property.span, &what);
                Refusal::Faults(vec![fault])
            })
        };
        plan.add_property(&mut world, property, find, Reads::Nodes)?;
    }
    world.add_property(Property::no_core_panics()).expect("it waives nothing");
    Ok(world)
}
