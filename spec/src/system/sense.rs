//! Lints of system files: empty sections, unknown budgets, properties that no world checks, numbers
//! beyond their limits. It does not look up names of cores.

use crate::camel::is_title;
use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::raw::{word, words};
use crate::system::{Count, Property, System, TableVersion, World};
use crate::vec_map::VecSet;
use crate::yaml::Node;

/// The sections that may not be empty.
const NEEDED: [(&str, &str); 3] = [
    ("roles", "declare a role: `client: { machine: claim, count: 2 }`"),
    ("worlds", "declare a world: `small: { budgets: {} }`"),
    ("properties", "declare a property: `- { name: …, always: … }`"),
];

/// Reports them.
pub(super) fn check(node: &Node, system: &System, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(name) = word(node, "system").filter(|word| !is_title(&word.text)) {
        diagnostics.push(Diagnostic::title("system", &name.text, name.span));
    }
    for (section, help) in NEEDED {
        // The properties of a system of tables need not be written.
        if section == "properties" && system.is_of_tables() {
            continue;
        }
        let list = node.at(section);
        let is_empty =
            list.is_none_or(|list| list.entries().is_empty() && !list.items().iter().any(is_map));
        if is_empty {
            let span = list.map_or(system.span, |list| list.span);
            let diagnostic =
                Diagnostic::error(code::NOTHING_TO_CHECK, format!("the system has no {section}"))
                    .label(span, "nothing is declared");
            diagnostics.push(diagnostic.help(help));
        }
    }
    budgets(node, diagnostics);
    failures(system, diagnostics);
    premises(node, system, diagnostics);
    limits(system, diagnostics);
    // A misspelt name elsewhere would cause these reports.
    if diagnostics.is_empty() {
        unchecked(system, diagnostics);
    }
}

fn is_map(node: &Node) -> bool {
    !node.entries().is_empty()
}

/// Events in place of answers in a system of compiled cores, which decide that themselves.
fn failures(system: &System, diagnostics: &mut Vec<Diagnostic>) {
    let links = system.links.iter().filter(|_| !system.is_of_tables());
    for failure in links.filter_map(|link| link.failure.as_ref()) {
        let message = "`on failure` is for systems whose roles have a `table`";
        let diagnostic = Diagnostic::error(code::WITHOUT_EFFECT, message);
        let found = "the cores of this system are compiled in";
        diagnostics.push(diagnostic.label(failure.span, found).help("remove it"));
    }
}

/// Premises in a system of tables, whose formulas have their own.
fn premises(node: &Node, system: &System, diagnostics: &mut Vec<Diagnostic>) {
    let properties = node.at("properties").filter(|_| system.is_of_tables());
    let properties = properties.map(Node::items).unwrap_or_default();
    for premise in properties.iter().filter_map(|property| property.at("premise")) {
        let message = "`premise` is for systems whose cores are compiled in";
        let help = "write `always: { implies: [PREMISE, …] }`, which is vacuous if the first \
                    formula never holds";
        let diagnostic = Diagnostic::error(code::WITHOUT_EFFECT, message)
            .label(premise.span, "has no effect")
            .help(help);
        diagnostics.push(diagnostic);
    }
}

/// Budgets that properties name and no world has.
fn budgets(node: &Node, diagnostics: &mut Vec<Diagnostic>) {
    let worlds = node.at("worlds").map(Node::entries).unwrap_or_default();
    let entries = worlds.iter().filter_map(|(_, world)| world.at("budgets")).map(Node::entries);
    let mut known = VecSet::default();
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
            let diagnostic =
                Diagnostic::error(code::UNKNOWN_BUDGET, message).label(word.span, "has no effect");
            diagnostics.push(diagnostic.help(help));
        }
    }
}

/// Properties that no default world checks.
fn unchecked(system: &System, diagnostics: &mut Vec<Diagnostic>) {
    let has = |budget: &String| system.worlds.iter().any(|world| world.has(budget));
    // A property that only a non-default world checks is not checked by default.
    let is_any = system.worlds.iter().any(|world| world.default);
    for property in system.properties.iter().filter(|property| property.needs.iter().all(has)) {
        let mut worlds = system.worlds.iter().filter(|world| world.default || !is_any);
        if system.worlds.is_empty() || worlds.any(|world| world.checks(property)) {
            continue;
        }
        let which = if is_any { "no default world" } else { "no world" };
        let message = format!("{which} checks `{}`", property.name);
        let diagnostic = Diagnostic::error(code::NOTHING_TO_CHECK, message)
            .label(property.span, "it would never be checked")
            .help("give a world the budgets of its `where`, or list it in a world's `properties`");
        diagnostics.push(diagnostic);
    }
    if diagnostics.is_empty() && !system.is_of_tables() {
        idle(system, diagnostics);
    }
}

/// Worlds that check no property.
fn idle(system: &System, diagnostics: &mut Vec<Diagnostic>) {
    for table in [TableVersion::AsWritten, TableVersion::Amended] {
        let asked = |property: &&Property| property.only.is_none_or(|only| only == table);
        let properties = || system.properties.iter().filter(asked);
        let idle = |world: &&World| !properties().any(|property| world.checks(property));
        if let Some(world) = system.worlds.iter().find(idle) {
            let of = if table == TableVersion::AsWritten { "as written" } else { "as amended" };
            let message = format!("`{}` checks no property of the table {of}", world.name);
            let diagnostic = Diagnostic::error(code::NOTHING_TO_CHECK, message)
                .label(world.span, "its search would always pass")
                .help("give it the budgets of a property's `where`, or remove it");
            diagnostics.push(diagnostic);
            break;
        }
    }
}

fn limits(system: &System, diagnostics: &mut Vec<Diagnostic>) {
    let mut put = |span: Span, what: String, unit: &str, limit: u32, help: &str| {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        diagnostics.push(Diagnostic::limit(span, &what, unit, limit).help(help));
    };
    for role in &system.roles {
        match role.count {
            Count::Number(number) if !(1..=limit::NODES).contains(&number) => {
                let what = format!("`{}` has {number} nodes", role.name);
                let help = "use 1 to 8 nodes";
                put(role.span, what, "nodes per role", limit::NODES, help);
            }
            Count::Number(_) | Count::Setting(_) => {}
        }
    }
    for link in system.links.iter().filter(|link| link.capacity > limit::CAPACITY) {
        let what = format!("`{}` has capacity {}", link.name, link.capacity);
        let help = "use the number of messages that can be in flight; an overflow is reported";
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
        let help = "split it into several worlds";
        put(budget.span, what, "budgets per world", limit::BUDGETS, help);
    }
    for budget in &world.budgets {
        if let Some(number) = budget.limit.filter(|number| *number > limit::BUDGET) {
            let what = format!("`{}` may happen {number} times", budget.name);
            let help = "use a smaller number, or `any` for no limit";
            put(budget.span, what, "times", limit::BUDGET, help);
        }
    }
}
