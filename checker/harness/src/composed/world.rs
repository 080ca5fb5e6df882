//! One world of a system of tables.

use std::sync::Arc;

use turnstile_plain::{Outgoing, Peer, Receivers, SavedParts, SentValue};
use turnstile_spec::system::composition::{self, Composition, RoleTable};
use turnstile_spec::system::{PropertyKind, System, World as NamedWorld, saved};
use turnstile_spec::table::{EventKind, Table, Vocabulary};
use turnstile_world::system::System as WorldSystem;
use turnstile_world::{Node, NodeId, World};

use crate::fault::FaultReport;
use crate::options::{Options, Refusal};
use crate::plan::{Plan, WorldParts};
use crate::read;
use crate::registry::SystemEntry;
use crate::rules::replacement;

use super::entry::{refused, table_of};
use super::node::TableNode;
use super::predicate::{goal, inherent, predicate};
use super::rules::TableRules;
use super::system::TableSystem;

/// One world of such a system.
pub(super) fn world(
    entry: &SystemEntry,
    file: &System,
    world: &NamedWorld,
    options: &Options<'_>,
) -> Result<World, Refusal> {
    let plan = Plan { file, world, options };
    let mut tables: Vec<(Vocabulary, Table)> = Vec::new();
    for role in &file.roles {
        let own = table_of(entry, file, role);
        let given = replacement(&options.tables, own.name);
        tables.push(match given {
            Some(given) => (given.vocabulary.clone(), given.table.clone()),
            None => {
                let amended = read::sound(&own.source()).map_err(refused)?;
                (amended.vocabulary.clone(), amended.table.clone())
            }
        });
    }
    let of: Vec<(&Vocabulary, &Table)> =
        tables.iter().map(|(words, table)| (words, table)).collect();
    let composition = Composition::new(file, &of).map_err(refused)?;
    let nodes = plan.nodes()?;
    let role_of = nodes.iter().map(|node| {
        file.roles.iter().position(|role| role.name == node.role).expect("a role of the file")
    });
    let role_of: Vec<usize> = role_of.collect();
    let is_sent = |event: &str| composition.sends.iter().flatten().any(|send| send.event == event);
    let mut rules = Vec::new();
    for (role, (vocabulary, table)) in file.roles.iter().zip(&tables) {
        rules.push(TableRules::new(vocabulary, table).ok_or_else(|| {
            let what = format!("`{}` has no initial state", vocabulary.machine);
            Refusal::Faults(vec![FaultReport::bad_table(&file.source, role.span, &what)])
        })?);
    }
    let table_nodes = role_of.iter().enumerate().map(|(node, &role)| {
        let sends = outgoing(&tables[role].0, &composition.sends[role], (node, &role_of));
        let of = RoleTable::new(&file.roles[role], (&tables[role].0, &tables[role].1));
        let parts = saved::saved(world, &of)
            .map(|parts| SavedParts { state: parts.state, variables: parts.variables.into() });
        TableNode::new(rules[role].clone(), sends.into(), parts, is_sent)
    });
    let table_nodes = table_nodes.collect();
    let rationed = rationed(&tables, world);
    let system = Arc::new(TableSystem { nodes: table_nodes, role_of, rationed });
    let mut built = plan.world(&TableParts { system: Arc::clone(&system) }, nodes)?;
    for (property, claim) in file.properties.iter().zip(&composition.claims) {
        if plan.checks(property) {
            let find = |_: &str, is_consequent: bool| {
                Ok(match property.kind {
                    _ if !is_consequent => predicate(&system, &claim.antecedent),
                    PropertyKind::LeadsTo | PropertyKind::CanReach => goal(&system, &claim.holds),
                    PropertyKind::Always | PropertyKind::Sometimes => {
                        predicate(&system, &claim.holds)
                    }
                })
            };
            plan.add_property(&mut built, property, find)?;
        }
    }
    for property in inherent(&system) {
        built.add_property(property).expect("it waives nothing");
    }
    Ok(built)
}

/// The message of each action of a node that sends one, by the action's position.
fn outgoing(
    vocabulary: &Vocabulary,
    sends: &[composition::Send],
    (own, role_of): (NodeId, &[usize]),
) -> Vec<Option<Outgoing>> {
    let mut outgoing = vec![None; vocabulary.actions.len()];
    for send in sends {
        let to = match send.to {
            composition::Receivers::Sender => Receivers::Sender,
            composition::Receivers::Every(role) => Receivers::Nodes(
                (0..role_of.len())
                    .filter(|node| role_of[*node] == role && *node != own)
                    .map(peer)
                    .collect(),
            ),
        };
        let payload = match &send.payload {
            composition::SentValue::Nothing => SentValue::Nothing,
            composition::SentValue::Value(value) => SentValue::Value(value.as_str().into()),
            composition::SentValue::Variable(id) => SentValue::Variable(id.index()),
            composition::SentValue::Payload => SentValue::Payload,
        };
        let event = send.event.as_str().into();
        outgoing[send.action.index()] = Some(Outgoing { event, payload, to });
    }
    outgoing
}

fn peer(node: NodeId) -> Peer {
    Peer(u16::try_from(node).expect("a world has few nodes"))
}

/// The commands that a world rations: those that it has a budget for.
fn rationed(tables: &[(Vocabulary, Table)], world: &NamedWorld) -> Vec<&'static str> {
    let events = tables.iter().flat_map(|(vocabulary, _)| &vocabulary.events);
    let commands = events.filter(|event| event.kind == EventKind::Command);
    let mut rationed: Vec<&'static str> = Vec::new();
    for event in commands {
        let name = event.name.name.as_str();
        if world.has(name) && !rationed.contains(&name) {
            rationed.push(String::leak(name.to_owned()));
        }
    }
    rationed
}

/// What a world of tables needs of its system.
struct TableParts {
    system: Arc<TableSystem>,
}

impl WorldParts for TableParts {
    fn budgets(&self) -> Vec<&'static str> {
        self.system.rationed.clone()
    }

    fn suffers(&self, _fault: &str) -> bool {
        true
    }

    fn may_spend(&self, _budget: &str) -> bool {
        true
    }

    fn system(&self, _nodes: &[Node]) -> Arc<dyn WorldSystem> {
        Arc::clone(&self.system) as _
    }
}
