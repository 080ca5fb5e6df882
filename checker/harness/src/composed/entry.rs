//! A system of tables from its files, as the command line has systems.

use std::path::Path;
use std::sync::Arc;

use turnstile_plain::{Message, Outgoing, Peer, Receivers};
use turnstile_spec::system::composition::{self, Composition};
use turnstile_spec::system::{PropertyKind, Role, System, World as NamedWorld};
use turnstile_spec::table::{EventKind, Table, Vocabulary};
use turnstile_spec::{Diagnostics, Source};
use turnstile_world::{Node, NodeId, World};

use crate::fault::FaultReport;
use crate::options::{Options, Refusal};
use crate::plan::{Plan, WorldParts};
use crate::read;
use crate::registry::{Embedded, SystemEntry};
use crate::rules::replacement;

use super::node::TableNode;
use super::predicate::{goal, inherent, predicate};
use super::rules::TableRules;
use super::system::TableSystem;

/// The system of a file whose roles run tables. `text` reads a file. It is kept for the life of the
/// process.
///
/// # Errors
///
/// Files that cannot be read, and names that do not fit.
pub fn entry(
    system: &System,
    text: impl Fn(&Path) -> Result<Source, String>,
) -> Result<&'static SystemEntry, Refusal> {
    let mut tables: Vec<Embedded> = Vec::new();
    let mut files = Vec::new();
    for role in &system.roles {
        let file = path(system, role);
        if files.contains(&file) {
            continue;
        }
        let source = text(Path::new(&file)).map_err(|what| {
            let fault = FaultReport::bad_table(&system.source, role.span, &what);
            Refusal::Faults(vec![fault])
        })?;
        let written = read::literal(&source).map_err(refused)?;
        tables.push(Embedded {
            name: String::leak(written.vocabulary.machine.clone()),
            file: String::leak(file.clone()),
            text: String::leak(source.text),
        });
        files.push(file);
    }
    let entry = SystemEntry::of_tables(
        Embedded {
            name: String::leak(system.name.clone()),
            file: String::leak(system.source.name.clone()),
            text: String::leak(system.source.text.clone()),
        },
        Vec::leak(tables),
        world,
    );
    let vocabularies = vocabularies(&entry, system)?;
    Composition::new(system, &vocabularies.iter().collect::<Vec<_>>()).map_err(refused)?;
    Ok(Box::leak(Box::new(entry)))
}

fn refused(faults: Diagnostics) -> Refusal {
    Refusal::Faults(FaultReport::errors(&faults))
}

/// The file of a role's table.
fn path(system: &System, role: &Role) -> String {
    let folder = Path::new(&system.source.name).parent().unwrap_or(Path::new(""));
    folder.join(role.table.as_deref().unwrap_or_default()).display().to_string()
}

fn table_of<'e>(entry: &'e SystemEntry, system: &System, role: &Role) -> &'e Embedded {
    let file = path(system, role);
    entry.tables.iter().find(|table| table.file == file).expect("it was read with its system")
}

fn vocabularies(entry: &SystemEntry, system: &System) -> Result<Vec<Vocabulary>, Refusal> {
    let of = |role| {
        let table = read::literal(&table_of(entry, system, role).source()).map_err(refused)?;
        Ok(table.vocabulary.clone())
    };
    system.roles.iter().map(of).collect()
}

/// One world of such a system.
fn world(
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
    let words: Vec<&Vocabulary> = tables.iter().map(|(vocabulary, _)| vocabulary).collect();
    let composition = Composition::new(file, &words).map_err(refused)?;
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
        TableNode::new(rules[role].clone(), sends.into(), is_sent)
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
        let payload = send.payload.as_deref().map(Into::into);
        let message = Message { event: send.event.as_str().into(), payload };
        outgoing[send.action.index()] = Some(Outgoing { message, to });
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

    fn system(&self, _nodes: &[Node]) -> Arc<dyn turnstile_world::system::System> {
        Arc::clone(&self.system) as _
    }
}
