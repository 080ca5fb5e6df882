//! From a system file to the nodes, links, budgets and properties of one of its worlds. It knows no
//! system: the system resolves the names of predicates.

use std::sync::Arc;

use turnstile_spec::diagnostic::Span;
use turnstile_spec::system::{self, Count, LinkKind as Kind, PropertyKind, TableVersion};
use turnstile_world::links::link::{LinkFault, WhenFull};
use turnstile_world::system::System;
use turnstile_world::{
    Budget, ChannelOptions, Faults, Link, LinkKind, Node, NodeId, Occurrence, Predicate, Property,
    Reads, TemporalFormula, TimeRelation, World, WorldError,
};

use crate::options::{Options, Refusal};
use crate::results::fault::FaultReport;

/// The maximum of a numeric setting: the most nodes of a role.
const NUMBER_MAX: u16 = 8;

/// One world of a system's file, with the settings of `--set`.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The system.
    pub file: &'a system::System,
    /// The world.
    pub world: &'a system::World,
    /// The options of the check.
    pub options: &'a Options<'a>,
}

impl Plan<'_> {
    /// The value of a setting: the last `--set` of it, else the world's, else the system's default.
    pub fn value(&self, key: &str) -> Option<&str> {
        let setting = self.file.setting(self.world, key).map(|setting| setting.value.as_str());
        self.asked(key).or(setting)
    }

    fn asked(&self, key: &str) -> Option<&str> {
        let mut set = self.options.set.iter().rev();
        set.find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Refuses the value of a setting: a usage error if `--set` gave it, else a diagnostic of the
    /// file.
    pub fn refuse(&self, key: &str, must: &str) -> Refusal {
        let value = self.value(key).unwrap_or_default();
        let what = format!("`{key}` is `{value}`; it must be {must}");
        if self.asked(key).is_some() {
            return Refusal::Usage(what);
        }
        let setting = self.file.setting(self.world, key);
        let span = setting.map_or(self.world.span, |setting| setting.span);
        Refusal::Faults(vec![FaultReport::bad_setting(&self.file.source, span, &what)])
    }

    /// Whether the world has a budget.
    pub fn has(&self, name: &str) -> bool {
        self.world.has(name)
    }

    /// The number of nodes of a role.
    pub fn count(&self, role: &str) -> Result<usize, Refusal> {
        let role = self.file.role(role).expect("a file has the roles that were compiled in");
        match &role.count {
            Count::Number(number) => Ok(*number as usize),
            // A role whose default is 0 may have no nodes.
            Count::Setting(key) => {
                let usual = self.file.setting(self.world, key);
                let least = u16::from(usual.is_none_or(|setting| setting.value != "0"));
                self.number_from(least, key).map(usize::from)
            }
        }
    }

    /// A numeric setting, at least 1.
    pub fn number(&self, key: &str) -> Result<u16, Refusal> {
        self.number_from(1, key)
    }

    /// A numeric setting with a minimum.
    pub fn number_from(&self, least: u16, key: &str) -> Result<u16, Refusal> {
        let number = self.value(key).and_then(|value| value.parse().ok());
        let is_small = |number: &u16| (least..=NUMBER_MAX).contains(number);
        number
            .filter(is_small)
            .ok_or_else(|| self.refuse(key, &format!("a number from {least} to {NUMBER_MAX}")))
    }

    /// The nodes, role by role in the order of the file.
    pub(crate) fn nodes(&self) -> Result<Vec<Node>, Refusal> {
        let mut nodes = Vec::new();
        for role in &self.file.roles {
            let count = self.count(&role.name)?;
            nodes.extend((1..=count).map(|number| Node {
                name: if count == 1 {
                    role.name.clone()
                } else {
                    format!("{} {number}", role.name)
                },
                role: role.name.clone(),
            }));
        }
        Ok(nodes)
    }

    /// A link for each pair of nodes whose roles a link of the file names.
    pub(crate) fn links(&self, nodes: &[Node]) -> Vec<Link> {
        let of = |role: &str| -> Vec<NodeId> {
            (0..nodes.len()).filter(|node| nodes[*node].role == role).collect()
        };
        let mut links = Vec::new();
        for link in &self.file.links {
            let room = u8::try_from(link.capacity).unwrap_or(u8::MAX);
            let chance = |fault: LinkFault| {
                if self.has(fault.name()) { Occurrence::Budgeted } else { Occurrence::Never }
            };
            let mail = |is_ordered| ChannelOptions {
                is_ordered,
                loss: chance(LinkFault::LostMessage),
                duplication: chance(LinkFault::Duplicate),
                capacity: room,
            };
            let kind = match link.kind {
                Kind::RequestResponse => LinkKind::Calls { slots: room },
                Kind::Fifo => LinkKind::Messages(mail(true)),
                Kind::Unordered => LinkKind::Messages(mail(false)),
            };
            let when_full = match link.when_full {
                system::WhenFull::Fail => WhenFull::Fail,
                system::WhenFull::Drop => WhenFull::Drop,
                system::WhenFull::Block => WhenFull::Block,
            };
            for from in of(&link.from) {
                let others = of(&link.to).into_iter().filter(|to| *to != from);
                links.extend(others.map(|to| Link { from, to, kind, when_full }));
            }
        }
        links
    }

    /// The budgets; a name that neither the World nor the system has is refused, and a budget that
    /// cannot be spent in this world.
    fn budgets(
        &self,
        system: &dyn WorldParts,
        nodes: &[Node],
        links: &[Link],
    ) -> Result<Vec<Budget>, Refusal> {
        let known = Faults::known(nodes);
        let own = system.budgets();
        let all = || known.iter().map(String::as_str).chain(own.iter().copied());
        let can = |name: &str| match name {
            Faults::DRIFT => !self.file.time.is_empty() && system.may_spend(name),
            _ if own.contains(&name) => system.may_spend(name),
            _ => may_happen(system, name, links),
        };
        let mut budgets = Vec::new();
        let mut faults = Vec::new();
        for system::Budget { name, limit, span } in &self.world.budgets {
            let what = if all().all(|known| known != name) {
                Some(format!("no kind of fault is called `{name}`"))
            } else if can(name) {
                None
            } else {
                Some(format!("`{name}` cannot happen in the world `{}`", self.world.name))
            };
            if let Some(what) = what {
                let mut kinds: Vec<&str> = Vec::new();
                for name in all().filter(|name| can(name)) {
                    if !kinds.contains(&name) {
                        kinds.push(name);
                    }
                }
                let source = &self.file.source;
                faults.push(if self.file.is_of_tables() {
                    FaultReport::no_budget(source, *span, (name, &what), &kinds)
                } else {
                    FaultReport::no_such(source, *span, &what, &kinds)
                });
            }
            let limit = limit.map(|limit| u8::try_from(limit).expect("the reader's limit"));
            budgets.push(Budget { name: name.clone(), limit });
        }
        if faults.is_empty() { Ok(budgets) } else { Err(Refusal::Faults(faults)) }
    }

    /// The world without properties.
    pub(crate) fn world(
        &self,
        system: &dyn WorldParts,
        nodes: Vec<Node>,
    ) -> Result<World, Refusal> {
        for (key, _) in &self.options.set {
            if self.file.set.iter().all(|known| known.name != *key) {
                let known = self.file.set.iter().map(|setting| setting.name.as_str());
                let known: Vec<&str> = known.collect();
                let text = format!("no setting `{key}`; settings: {}", known.join(", "));
                return Err(Refusal::Usage(text));
            }
        }
        let links = self.links(&nodes);
        let budgets = self.budgets(system, &nodes, &links)?;
        let mut world = World::new(system.system(&nodes), nodes, links, budgets)
            .map_err(|errors| self.unsound(self.world.span, &errors))?;
        world.relations = self.file.time.iter().map(relation).collect();
        let symmetric = self.file.roles.iter().filter(|role| role.symmetric);
        world.symmetric = symmetric.map(|role| role.name.clone()).collect();
        Ok(world)
    }

    /// Adds a property of the file. `find`: the predicate of a name, and whether it is the
    /// consequent or goal; the name of an antecedent may be empty. `reads`: as of [`Property`].
    pub(crate) fn add_property(
        &self,
        world: &mut World,
        property: &system::Property,
        find: impl Fn(&str, bool) -> Result<Predicate, Refusal>,
        reads: Reads,
    ) -> Result<(), Refusal> {
        let mut claimed = Property { reads, ..claimed(property, find)? };
        claimed.without.retain(|fault| !self.is_of_empty_role(fault, &world.nodes));
        world.add_property(claimed).map_err(|errors| self.unsound(property.span, &errors))
    }

    /// Whether a kind of fault is that of a role without nodes in this world.
    fn is_of_empty_role(&self, fault: &str, nodes: &[Node]) -> bool {
        let of = self.file.roles.iter().filter(|role| {
            let what = fault.strip_prefix(role.name.as_str());
            what.is_some_and(|what| what.starts_with(' ')) && Faults::is_of_process(fault)
        });
        of.map(|role| &role.name).any(|name| nodes.iter().all(|node| node.role != *name))
    }

    /// Refuses a world whose file could be read.
    fn unsound(&self, span: Span, errors: &[WorldError]) -> Refusal {
        let fault = |error: &WorldError| {
            let help = "change the world, or the tables of its roles";
            FaultReport::not_runnable(&self.file.source, span, &error.to_string(), help)
        };
        Refusal::Faults(errors.iter().map(fault).collect())
    }

    /// Whether this world checks a property of the table that runs.
    pub(crate) fn checks(&self, property: &system::Property) -> bool {
        is_of_version(property, self.options.as_written) && self.world.checks(property)
    }
}

/// What a world needs to know of its system.
pub(crate) trait WorldParts {
    /// [`SystemSpec::BUDGETS`](crate::SystemSpec::BUDGETS).
    fn budgets(&self) -> Vec<&str>;

    /// Whether a fault is among [`SystemSpec::SUFFERS`](crate::SystemSpec::SUFFERS).
    fn suffers(&self, fault: &str) -> bool;

    /// As [`SystemSpec::may_spend`](crate::SystemSpec::may_spend).
    fn may_spend(&self, budget: &str) -> bool;

    /// The nodes.
    fn system(&self, nodes: &[Node]) -> Arc<dyn System>;
}

/// Whether a property is checked of the tables as written, or of the amended ones.
pub(crate) fn is_of_version(property: &system::Property, as_written: bool) -> bool {
    property.only.is_none_or(|only| (only == TableVersion::AsWritten) == as_written)
}

/// Whether a fault that the World knows can happen: some link or some role can have it.
fn may_happen(system: &dyn WorldParts, name: &str, links: &[Link]) -> bool {
    match LinkFault::ALL.into_iter().find(|fault| fault.name() == name) {
        Some(fault) => {
            let befalls = |link: &Link| match link.is_calls() {
                true => fault.is_of_calls() && system.suffers(name),
                false => fault.is_of_messages(),
            };
            links.iter().any(befalls)
        }
        None => system.suffers(name) || !Faults::is_of_process(name),
    }
}

fn relation(before: &system::TimeRelation) -> TimeRelation {
    TimeRelation {
        earlier: before.earlier.as_ref().map(|timer| (timer.role.clone(), timer.name.clone())),
        later: (before.later.role.clone(), before.later.name.clone()),
    }
}

fn claimed(
    property: &system::Property,
    find: impl Fn(&str, bool) -> Result<Predicate, Refusal>,
) -> Result<Property, Refusal> {
    let holds = find(&property.name, true)?;
    let premise = || find(&property.premise, false);
    let formula = match property.kind {
        PropertyKind::Always => TemporalFormula::Always { holds, antecedent: premise()? },
        PropertyKind::Sometimes => TemporalFormula::Sometimes(holds),
        PropertyKind::LeadsTo => TemporalFormula::LeadsTo { antecedent: premise()?, goal: holds },
        PropertyKind::CanReach => TemporalFormula::CanReach { antecedent: premise()?, goal: holds },
    };
    Ok(Property {
        name: property.name.clone(),
        sentence: property.sentence.clone(),
        formula,
        reads: Reads::Nodes,
        without: property.without.clone(),
    })
}
