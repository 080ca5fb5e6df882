//! One world of a system of tables.

use std::sync::Arc;

use turnstile_plain::{SavedParts, outgoing};
use turnstile_spec::system::composition::{self, Composition, RoleTable};
use turnstile_spec::system::{Property, PropertyKind, System, World as NamedWorld, saved};
use turnstile_spec::table::{EventKind, Table, Vocabulary};
use turnstile_world::links::link::LinkFault;
use turnstile_world::system::System as WorldSystem;
use turnstile_world::{Link, Node, NodeId, Reads, World};

use crate::options::{Options, Refusal};
use crate::plan::{Plan, WorldParts};
use crate::registry::SystemEntry;
use crate::results::fault::FaultReport;
use crate::tables::rules::replacement;

use super::inherent::inherent;
use super::predicate::{goal, predicate};
use super::requests::requests;
use super::role_table::table_of;
use super::system::TableSystem;
use crate::plain::node::TableNode;
use crate::plain::rules::TableRules;

/// One world of such a system.
pub(super) fn world(
    entry: &SystemEntry,
    file: &System,
    world: &NamedWorld,
    options: &Options<'_>,
) -> Result<World, Refusal> {
    let plan = Plan { file, world, options };
    let tables = tables(entry, file, options)?;
    let of: Vec<(&Vocabulary, &Table)> =
        tables.iter().map(|(words, table)| (words, table)).collect();
    let composition = Composition::new(file, &of).map_err(|faults| Refusal::of_files(&faults))?;
    let nodes = plan.nodes()?;
    let links = plan.links(&nodes);
    let system = Arc::new(system((file, world), &tables, &composition, (&nodes, links))?);
    let mut built = plan.world(&TableParts { system: Arc::clone(&system) }, nodes)?;
    for (property, claim) in file.properties.iter().zip(&composition.claims) {
        if plan.checks(property) {
            add(&mut built, &plan, &system, (property, claim))?;
        }
    }
    for property in inherent(&system) {
        built.add_property(property).expect("it waives nothing");
    }
    Ok(built)
}

/// The tables that run, role by role.
fn tables(
    entry: &SystemEntry,
    file: &System,
    options: &Options<'_>,
) -> Result<Vec<(Vocabulary, Table)>, Refusal> {
    let of = |role| {
        let own = table_of(entry, file, role);
        if let Some(given) = replacement(&options.tables, &own.machine) {
            return Ok((Vocabulary::clone(&given.vocabulary), Table::clone(&given.table)));
        }
        let amended = own.file.amended().map_err(Refusal::of_files)?;
        Ok((amended.vocabulary.clone(), amended.table.clone()))
    };
    file.roles.iter().map(of).collect()
}

/// The nodes of a world.
fn system(
    (file, world): (&System, &NamedWorld),
    tables: &[(Vocabulary, Table)],
    composition: &Composition,
    (nodes, links): (&[Node], Vec<Link>),
) -> Result<TableSystem, Refusal> {
    let role_of = nodes.iter().map(|node| {
        file.roles.iter().position(|role| role.name == node.role).expect("a role of the file")
    });
    let role_of: Vec<usize> = role_of.collect();
    let failures = file.links.iter().filter_map(|link| link.failure.as_ref());
    let failures: Vec<&str> = failures.map(|failure| failure.event.as_str()).collect();
    let is_sent = |event: &str| {
        failures.contains(&event)
            || composition.sends.iter().flatten().any(|send| send.event == event)
    };
    let mut rules = Vec::new();
    for (role, (vocabulary, table)) in file.roles.iter().zip(tables) {
        rules.push(TableRules::new(vocabulary, table).map_err(|what| {
            Refusal::Faults(vec![FaultReport::not_runnable(
                &file.source,
                role.span,
                &what,
                "change the table",
            )])
        })?);
    }
    let nodes = role_of.iter().enumerate().map(|(node, &role)| {
        let (vocabulary, table) = &tables[role];
        let actions = vocabulary.actions.len();
        let sends = outgoing(actions, &composition.sends[role], node, &role_of);
        let of = RoleTable::new(&file.roles[role], (vocabulary, table));
        let parts = saved::saved(world, &of)
            .map(|parts| SavedParts { state: parts.state, variables: parts.variables.into() });
        TableNode::new(rules[role].clone(), sends.into(), parts, is_sent)
    });
    let rationed = rationed(tables, world);
    let of_nodes = file.properties.iter().zip(&composition.claims);
    let of_nodes = of_nodes.filter(|(_, claim)| claim.each.is_some());
    Ok(TableSystem {
        nodes: nodes.collect(),
        of_nodes: of_nodes.map(|(property, _)| property.name.clone()).collect(),
        rationed,
        requests: requests(file, composition)?,
        links,
        role_of,
    })
}

/// Adds a property of the file, once for each node of which it is claimed.
fn add(
    world: &mut World,
    plan: &Plan<'_>,
    system: &Arc<TableSystem>,
    (property, claim): (&Property, &composition::Formulas),
) -> Result<(), Refusal> {
    for of in claimed_of(claim, (plan.file, system)) {
        let find = |_: &str, is_consequent: bool| {
            Ok(match property.kind {
                _ if !is_consequent => predicate(system, &claim.antecedent, of),
                PropertyKind::LeadsTo | PropertyKind::CanReach => goal(system, &claim.holds, of),
                PropertyKind::Always | PropertyKind::Sometimes => {
                    predicate(system, &claim.holds, of)
                }
            })
        };
        let mut named = property.clone();
        if let Some(node) = of
            && !plan.file.roles[system.role_of[node]].symmetric
        {
            named.name = format!("{}: {}", property.name, world.nodes[node].name);
        }
        let reads_links = claim.antecedent.reads_links() || claim.holds.reads_links();
        let reads = if reads_links { Reads::Links } else { Reads::Nodes };
        plan.add_property(world, &named, find, reads)?;
    }
    Ok(())
}

/// The nodes of which a property is claimed one by one: all of a role, or one of a symmetric role,
/// since what holds of one holds of each; once if it is claimed of the whole.
fn claimed_of(
    claim: &composition::Formulas,
    (file, system): (&System, &TableSystem),
) -> Vec<Option<NodeId>> {
    let Some(role) = claim.each else { return vec![None] };
    let nodes = (0..system.role_of.len()).filter(|node| system.role_of[*node] == role);
    let most = if file.roles[role].symmetric { 1 } else { usize::MAX };
    nodes.take(most).map(Some).collect()
}

/// The commands that a world rations: those that it has a budget for.
fn rationed(tables: &[(Vocabulary, Table)], world: &NamedWorld) -> Vec<String> {
    let events = tables.iter().flat_map(|(vocabulary, _)| &vocabulary.events);
    let commands = events.filter(|event| event.kind == EventKind::Command);
    let mut rationed: Vec<String> = Vec::new();
    for event in commands {
        let name = &event.name.name;
        if world.has(name) && !rationed.contains(name) {
            rationed.push(name.clone());
        }
    }
    rationed
}

/// What a world of tables needs of its system.
struct TableParts {
    system: Arc<TableSystem>,
}

impl WorldParts for TableParts {
    fn budgets(&self) -> Vec<&str> {
        self.system.budgets()
    }

    fn suffers(&self, fault: &str) -> bool {
        let of_link = LinkFault::ALL.into_iter().find(|known| known.name() == fault);
        match of_link {
            Some(LinkFault::LostRequest | LinkFault::LostAnswer | LinkFault::RefusedRequest) => {
                !self.system.requests.failures.is_empty()
            }
            Some(LinkFault::LateAnswer | LinkFault::ServerError | LinkFault::HungUp) => false,
            Some(LinkFault::Duplicate | LinkFault::LostMessage) | None => true,
        }
    }

    fn may_spend(&self, _budget: &str) -> bool {
        true
    }

    fn system(&self, _nodes: &[Node]) -> Arc<dyn WorldSystem> {
        Arc::clone(&self.system) as _
    }
}
