//! Whether a system file asks anything: sections with something in them, budgets that exist,
//! properties that some world checks, numbers within their limits. It looks no name of a core up.

use crate::camel::is_title;
use crate::code;
use crate::fault::{Fault, Span};
use crate::likeness::nearest;
use crate::limit;
use crate::raw::{word, words};
use crate::sorted::Set;
use crate::system::{Count, Only, Property, System, World};
use crate::yaml::Node;

/// The sections without which there is nothing to search.
const NEEDED: [(&str, &str); 3] = [
    ("roles", "say who takes part: `client: { machine: claim, count: 2 }`"),
    ("worlds", "name a world: `small: { budgets: {} }`"),
    ("properties", "say what must hold: `- { name: …, always: … }`"),
];

/// Adds what is wrong.
pub(super) fn check(node: &Node, system: &System, faults: &mut Vec<Fault>) {
    if let Some(name) = word(node, "system").filter(|word| !is_title(&word.text)) {
        faults.push(Fault::title("system", &name.text, name.span));
    }
    for (section, help) in NEEDED {
        let Some(list) = node.at(section) else { continue };
        let is_empty = list.entries().is_empty() && !list.items().iter().any(is_map);
        if is_empty {
            let fault = Fault::error(code::UNCHECKED, format!("the system has no {section}"))
                .label(list.span, "nothing stands here");
            faults.push(fault.help(help));
        }
    }
    budgets(node, faults);
    limits(system, faults);
    // With a name misspelt elsewhere it would only follow from that.
    if faults.is_empty() {
        unchecked(system, faults);
    }
}

fn is_map(node: &Node) -> bool {
    !node.entries().is_empty()
}

/// Budgets that properties speak of and that no world has.
fn budgets(node: &Node, faults: &mut Vec<Fault>) {
    let worlds = node.at("worlds").map(Node::entries).unwrap_or_default();
    let entries = worlds.iter().filter_map(|(_, world)| world.at("budgets")).map(Node::entries);
    let mut known = Set::default();
    known.add_all(entries.flatten().map(|(word, _)| word.text.as_str()));
    let properties = node.at("properties").map(Node::items).unwrap_or_default();
    for (property, key) in properties.iter().flat_map(|one| [(one, "where"), (one, "without")]) {
        let unknown = words(property, key).unwrap_or_default();
        for word in unknown.iter().filter(|word| !known.has(word.text.as_str())) {
            let help = match nearest(&word.text, known.iter().map(|(budget, ())| *budget)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("name a budget of one of the worlds in `{key}`"),
            };
            let message = format!("no world has a budget for `{}`", word.text);
            let fault = Fault::error(code::UNKNOWN_BUDGET, message)
                .label(word.span, "so this makes no difference");
            faults.push(fault.help(help));
        }
    }
}

/// Properties that are never asked for.
fn unchecked(system: &System, faults: &mut Vec<Fault>) {
    let has = |budget: &String| system.worlds.iter().any(|world| world.has(budget));
    // What only a world checks that has to be asked for is asked for by nobody.
    let is_any = system.worlds.iter().any(|world| world.default);
    for property in system.properties.iter().filter(|property| property.needs.iter().all(has)) {
        let mut worlds = system.worlds.iter().filter(|world| world.default || !is_any);
        if system.worlds.is_empty() || worlds.any(|world| world.checks(property)) {
            continue;
        }
        let which = if is_any { "no world that is searched by default" } else { "no world" };
        let message = format!("{which} checks `{}`", property.name);
        let fault = Fault::error(code::UNCHECKED, message)
            .label(property.span, "it would pass without being looked at")
            .help("give a world the budgets of its `where`, or list it in a world's `properties`");
        faults.push(fault);
    }
    if faults.is_empty() {
        idle(system, faults);
    }
}

/// Worlds in which nothing is asked.
fn idle(system: &System, faults: &mut Vec<Fault>) {
    for table in [Only::AsWritten, Only::Amended] {
        let asked = |property: &&Property| property.only.is_none_or(|only| only == table);
        let properties = || system.properties.iter().filter(asked);
        let idle = |world: &&World| !properties().any(|property| world.checks(property));
        if let Some(world) = system.worlds.iter().find(idle) {
            let of = if table == Only::AsWritten { "as written" } else { "as amended" };
            let message = format!("`{}` checks no property of the table {of}", world.name);
            let fault = Fault::error(code::UNCHECKED, message)
                .label(world.span, "it would be searched, and hold whatever it finds")
                .help("give it the budgets of a property's `where`, or remove it");
            faults.push(fault);
            break;
        }
    }
}

fn limits(system: &System, faults: &mut Vec<Fault>) {
    let mut put = |span: Span, what: String, unit: &str, limit: u32, help: &str| {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        faults.push(Fault::limit(span, &what, unit, limit).help(help));
    };
    for role in &system.roles {
        match role.count {
            Count::Number(number) if !(1..=limit::NODES).contains(&number) => {
                let what = format!("`{}` has {number} nodes", role.name);
                let help = "a small world shows it, too: say 1 or more, and few";
                put(role.span, what, "nodes of a role", limit::NODES, help);
            }
            Count::Number(_) | Count::Set(_) => {}
        }
    }
    for link in system.links.iter().filter(|link| link.capacity > limit::CAPACITY) {
        let what = format!("`{}` has room for {}", link.name, link.capacity);
        let help = "a link that fills up says so: say how much is really on its way";
        put(link.span, what, "messages", limit::CAPACITY, help);
    }
    for world in &system.worlds {
        budgets_of(world, &mut put);
    }
}

fn budgets_of(world: &World, put: &mut impl FnMut(Span, String, &str, u32, &str)) {
    let most = usize::try_from(limit::BUDGETS).unwrap_or(usize::MAX);
    if let Some(budget) = world.budgets.get(most) {
        let what = format!("`{}` has {} budgets", world.name, world.budgets.len());
        let help = "make several worlds of it, each with the faults that belong together";
        put(budget.span, what, "budgets of a world", limit::BUDGETS, help);
    }
    for budget in &world.budgets {
        if let Some(number) = budget.limit.filter(|number| *number > limit::BUDGET) {
            let what = format!("`{}` may happen {number} times", budget.name);
            let help = "say less, or `any` for what may happen without end";
            put(budget.span, what, "times", limit::BUDGET, help);
        }
    }
}
