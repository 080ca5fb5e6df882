//! Entries of `without` that have no effect: on a `sometimes` property, and for a budget of `any`,
//! whose use a state does not record.

use crate::diagnostic::{Diagnostic, code};
use crate::raw::{word, words};
use crate::system::{Property, System};
use crate::yaml::{Node, Word};

/// Reports them.
pub(super) fn check(node: &Node, system: &System, diagnostics: &mut Vec<Diagnostic>) {
    for property in node.at("properties").map(Node::items).unwrap_or_default() {
        let excused = words(property, "without").unwrap_or_default();
        let (Some(first), Some(name)) = (excused.first(), word(property, "name")) else { continue };
        if word(property, "sometimes").is_some() {
            let message =
                format!("`without` has no effect on the `sometimes` property `{}`", name.text);
            let diagnostic = Diagnostic::error(code::WITHOUT_EFFECT, message)
                .label(first.span, "whether a state is reachable does not depend on earlier faults")
                .help(
                    "remove `without`, or write `can reach` for what is possible without the fault",
                );
            diagnostics.push(diagnostic);
            continue;
        }
        let Some(read) = system.properties.iter().find(|one| one.name == name.text) else {
            continue;
        };
        diagnostics.extend(excused.iter().filter_map(|word| endless(system, read, word)));
    }
}

/// Reports the first world that checks the property with an unlimited budget for the fault.
fn endless(system: &System, property: &Property, excused: &Word) -> Option<Diagnostic> {
    let worlds = system.worlds.iter().filter(|world| world.checks(property));
    let endless = |world: &crate::system::World| {
        let mut budgets = world.budgets.iter();
        let budget = budgets.find(|one| one.name == excused.text && one.limit.is_none())?;
        Some((world.name.clone(), budget.span))
    };
    let (world, span) = worlds.into_iter().find_map(endless)?;
    let message = format!(
        "`{}` excludes `{}`, which is unlimited in the world `{world}`",
        property.name, excused.text
    );
    let help = "give the budget a number, or list the `properties` of that world without this one";
    let diagnostic = Diagnostic::error(code::WITHOUT_EFFECT, message)
        .label(excused.span, "a state does not record whether it happened")
        .label(span, "unlimited here");
    Some(diagnostic.help(help))
}
