//! A system file at run time: which node runs which table, and who gets a message.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use turnstile_host::transport::tcp::{self, Address};
use turnstile_machine::PlainMachine;
use turnstile_plain::{Outgoing, Peer};
use turnstile_spec::system::composition::Composition;
use turnstile_spec::system::{Count, LinkKind, Role, WhenFull};
use turnstile_spec::{AmendedTable, Source, WrittenTable};

/// A system file and the tables of its roles.
#[derive(Clone, Debug)]
pub struct System {
    name: String,
    /// Of the system file and of its tables.
    hash: u64,
    roles: Vec<(Role, AmendedTable)>,
    links: Vec<(String, String)>,
    composition: Composition,
    /// The name and the role of each node; their order gives the nodes their numbers.
    nodes: Vec<(String, usize)>,
}

/// A node of a system that runs a machine.
pub struct Member<M> {
    peer: Peer,
    protocol: String,
    /// The nodes that a link of the file connects it with, in either direction.
    linked: Vec<(String, Peer)>,
    pub(crate) sends: Arc<[Option<Outgoing>]>,
    machine: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Member<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("peer", &self.peer).field("linked", &self.linked).finish()
    }
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

fn source(path: &Path) -> io::Result<Source> {
    let name = path.display().to_string();
    let file = File::open(path).and_then(|file| Source::from_reader(name.clone(), file));
    file.map_err(turnstile_host::at(name))
}

/// Refuses links that no transport carries as the checker does.
fn carried(system: &turnstile_spec::System) -> io::Result<()> {
    let refused = |name: &str, what: &str, help: &str| {
        Err(invalid(format!("the link `{name}` of `{}` {what}: {help}", system.name)))
    };
    for link in &system.links {
        if link.kind == LinkKind::RequestResponse {
            let help = "use a link of messages in each direction";
            return refused(&link.name, "carries requests, and transports messages", help);
        }
        if link.when_full == WhenFull::Block {
            let what = "makes its sender wait while it is full, and transports do not";
            return refused(&link.name, what, "use `when full: drop`");
        }
    }
    Ok(())
}

impl System {
    /// Reads a system file and the tables that it names.
    ///
    /// # Errors
    ///
    /// Files that cannot be read, links that no transport carries, and all that `turnstile check`
    /// reports of them before a search.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let read = |source| {
            turnstile_spec::System::read(source).map_err(|it| invalid(turnstile_report::text(&it)))
        };
        let system = read(source(path)?)?;
        if !system.is_of_tables() {
            let what = "is no system of tables: give its roles a `table`";
            return Err(invalid(format!("{} {what}", path.display())));
        }
        carried(&system)?;
        let mut roles = Vec::new();
        let mut hash = system.hash;
        for role in &system.roles {
            let file = role.table.as_deref().unwrap_or_default();
            let file = path.parent().unwrap_or(Path::new("")).join(file);
            let table = WrittenTable::read(source(&file)?).and_then(|table| table.amended());
            let table = table.map_err(|faults| invalid(turnstile_report::text(&faults)))?;
            hash = hash.rotate_left(1) ^ table.hash;
            roles.push((role.clone(), table));
        }
        let tables: Vec<_> = roles.iter().map(|(_, it)| (&it.vocabulary, &it.table)).collect();
        let composition = Composition::new(&system, &tables)
            .map_err(|faults| invalid(turnstile_report::text(&faults)))?;
        let nodes = nodes(&system)?;
        let links = system.links.iter().map(|link| (link.from.clone(), link.to.clone()));
        let links = links.collect();
        Ok(Self { name: system.name, hash, roles, links, composition, nodes })
    }

    /// The names of the nodes: `coordinator`, `participant 1`.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|(name, _)| name.as_str())
    }

    /// A node, by its name, that runs a compiled machine.
    ///
    /// # Errors
    ///
    /// When the system has no such node, or when the node's table is not the one that was compiled.
    pub fn member<M: PlainMachine>(&self, name: &str) -> io::Result<Member<M>> {
        let own = self.place(name)?;
        let role = self.nodes[own].1;
        let (_, table) = &self.roles[role];
        if table.hash != M::TABLE.hash {
            let (machine, theirs) = (M::TABLE.machine, &table.vocabulary.machine);
            return Err(invalid(format!(
                "node `{name}` of `{}` runs the table `{theirs}` {:#018x}, and `{machine}` \
                 {:#018x} is compiled: build the program again, or start it with the files that \
                 it was built from",
                self.name,
                table.hash,
                M::TABLE.hash,
            )));
        }
        let role_name = |role: usize| self.roles[role].0.name.as_str();
        let is_linked = |other: &usize| {
            let (one, other) = (role_name(role), role_name(self.nodes[*other].1));
            let mut links = self.links.iter().map(|(from, to)| (from.as_str(), to.as_str()));
            links.any(|link| link == (one, other) || link == (other, one))
        };
        let others = (0..self.nodes.len()).filter(|other| *other != own).filter(is_linked);
        Ok(Member {
            peer: peer(own),
            protocol: format!("{} {:016x}", self.name, self.hash),
            linked: others.map(|other| (self.nodes[other].0.clone(), peer(other))).collect(),
            sends: self.outgoing(role, own),
            machine: PhantomData,
        })
    }

    fn place(&self, name: &str) -> io::Result<usize> {
        let place = self.nodes.iter().position(|(node, _)| node == name);
        place.ok_or_else(|| {
            let names: Vec<&str> = self.nodes().collect();
            invalid(format!("`{}` has no node `{name}`: {}", self.name, names.join(", ")))
        })
    }

    /// The message of each action of a node that sends one.
    fn outgoing(&self, role: usize, own: usize) -> Arc<[Option<Outgoing>]> {
        let actions = self.roles[role].1.vocabulary.actions.len();
        let role_of: Vec<usize> = self.nodes.iter().map(|(_, role)| *role).collect();
        turnstile_plain::outgoing(actions, &self.composition.sends[role], own, &role_of).into()
    }
}

fn peer(node: usize) -> Peer {
    Peer(u16::try_from(node).expect("the count of nodes was checked"))
}

/// The nodes of a system as its file has them, without the settings of a world.
fn nodes(system: &turnstile_spec::System) -> io::Result<Vec<(String, usize)>> {
    let mut nodes = Vec::new();
    for (place, role) in system.roles.iter().enumerate() {
        let count = match &role.count {
            Count::Number(count) => Some(*count),
            Count::Setting(key) => {
                let setting = system.set.iter().find(|setting| setting.name == *key);
                setting.and_then(|setting| setting.value.parse().ok())
            }
        };
        let count = count.filter(|count| *count < 1 << 12).ok_or_else(|| {
            let text = format!("role `{}` of `{}`: its count is no number", role.name, system.name);
            invalid(format!("{text} below 4096: set it under `set`"))
        })?;
        nodes.extend((1..=count).map(|number| match count {
            1 => (role.name.clone(), place),
            _ => (format!("{} {number}", role.name), place),
        }));
    }
    Ok(nodes)
}

impl<M> Member<M> {
    /// The number of the node, by which transports know it.
    #[must_use]
    pub const fn peer(&self) -> Peer {
        self.peer
    }

    /// A TCP transport to the nodes that links of the file lead to or from, by their names. Nodes
    /// whose system file or tables differ reject each other. With the feature `tls` its options
    /// take certificates.
    ///
    /// # Errors
    ///
    /// When a node of these names is not linked, or a linked one has no address.
    pub fn tcp(&self, addresses: &[(&str, Address)]) -> io::Result<tcp::Options<Peer>> {
        let names: Vec<&str> = self.linked.iter().map(|(name, _)| name.as_str()).collect();
        if let Some((name, _)) = addresses.iter().find(|(name, _)| !names.contains(name)) {
            let known = names.join(", ");
            return Err(invalid(format!("no link leads to or from a node `{name}`: {known}")));
        }
        let mut options = tcp::Options::new(self.peer, self.protocol.clone());
        for (name, peer) in &self.linked {
            let address = addresses.iter().find(|(of, _)| of == name);
            let (_, address) =
                address.ok_or_else(|| invalid(format!("the node `{name}` has no address")))?;
            options = options.peer(*peer, address.clone());
        }
        Ok(options)
    }
}
