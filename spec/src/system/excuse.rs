//! Whether a `without` can excuse what it names: a `sometimes` excuses no fault, and of a budget
//! without a limit no state says whether it was spent.

use crate::code;
use crate::fault::Fault;
use crate::raw::{word, words};
use crate::system::{Property, System};
use crate::yaml::{Node, Word};

/// Adds what is wrong.
pub(super) fn check(node: &Node, system: &System, faults: &mut Vec<Fault>) {
    for property in node.at("properties").map(Node::items).unwrap_or_default() {
        let excused = words(property, "without").unwrap_or_default();
        let (Some(first), Some(name)) = (excused.first(), word(property, "name")) else { continue };
        if word(property, "sometimes").is_some() {
            let message = format!("`{}` is a `sometimes`, which excuses no fault", name.text);
            let fault = Fault::error(code::EXCUSE, message)
                .label(first.span, "a state is reached or not, whatever happened before")
                .help("take `without` out, or write `can reach` for what is possible without it");
            faults.push(fault);
            continue;
        }
        let Some(read) = system.properties.iter().find(|one| one.name == name.text) else {
            continue;
        };
        faults.extend(excused.iter().filter_map(|word| endless(system, read, word)));
    }
}

/// The first world that checks the property and gives what it excuses no limit.
fn endless(system: &System, property: &Property, excused: &Word) -> Option<Fault> {
    let worlds = system.worlds.iter().filter(|world| world.checks(property));
    let endless = |world: &crate::system::World| {
        let mut budgets = world.budgets.iter();
        let budget = budgets.find(|one| one.name == excused.text && one.limit.is_none())?;
        Some((world.name.clone(), budget.span))
    };
    let (world, span) = worlds.into_iter().find_map(endless)?;
    let message = format!(
        "`{}` excuses `{}`, which has no limit in the world `{world}`",
        property.name, excused.text
    );
    let help =
        "say a number for the budget, or list the `properties` of that world without this one";
    let fault = Fault::error(code::EXCUSE, message)
        .label(excused.span, "whether it has happened, no state can say")
        .label(span, "it may happen any number of times");
    Some(fault.help(help))
}
