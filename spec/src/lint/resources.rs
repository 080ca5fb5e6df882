//! Rows whose resources do not balance: leaks, resources not held, created twice or not created.

use crate::diagnostic::code;
use crate::diagnostic::{Diagnostic, Span};
use crate::lint::balance::{Imbalance, balance};
use crate::lint::context::{LintContext, listed};
use crate::lint::naming::unknowns::Unknowns;
use crate::raw;
use crate::table::{Op, ResourceId, ResourceKind, Row, RowId};
use crate::vec_map::VecMap;
use crate::yaml::Word;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let unknowns = Unknowns::of(cx);
    if unknowns.is_of_resources {
        return;
    }
    let mut imbalances: VecMap<RowId, VecMap<Imbalance, Vec<&Row>>> = VecMap::default();
    for row in &cx.table.rows {
        let states = &cx.table.states;
        let (Some(from), Some(to)) = (&states[row.from.index()], &states[row.to.index()]) else {
            continue;
        };
        // The resources of undeclared states and actions are unknown.
        let is_known = |id| cx.declared_at(id).is_some();
        if !is_known(row.from) || !is_known(row.to) || unknowns.actions.has(&row.id) {
            continue;
        }
        let imbalance = balance(row, from, to);
        if imbalance != Imbalance::default() {
            imbalances.entry(row.id).entry(imbalance).push(row);
        }
    }
    for (id, imbalances) in imbalances.iter() {
        for (imbalance, rows) in imbalances.iter() {
            if let Some(row) = rows.first() {
                say(cx, *id, imbalance, row, rows.len(), diagnostics);
            }
        }
    }
}

/// A state that lists a resource twice.
pub(super) fn lists(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (name, state) in &cx.lookup.draft.parts.states {
        let mut seen: VecMap<&str, Span> = VecMap::default();
        for word in [&state.holds, &state.may_hold].into_iter().flatten().flatten() {
            if let Some(first) = seen.insert(&word.text, word.span) {
                let message = format!("`{}` lists `{}` twice", name.text, word.text);
                let diagnostic = Diagnostic::finding(code::HOLDS_TWICE, message)
                    .label(word.span, "the second")
                    .label(first, "the first")
                    .help("list it once: under `holds` (always) or `may hold` (sometimes)");
                diagnostics.push(diagnostic);
            }
        }
    }
}

fn say(
    cx: &LintContext<'_>,
    id: RowId,
    imbalance: &Imbalance,
    row: &Row,
    count: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let names = |ids: &[ResourceId]| listed(ids.iter().map(|id| cx.resource(*id)));
    let (from, to) = (cx.state(row.from), cx.state(row.to));
    let more =
        if count > 1 { format!(" (and in {} more places)", count - 1) } else { String::new() };
    let at = cx.row_at(id);
    let mut put = |code, message: String, text: String, state: Option<(Span, String)>, help| {
        let mut diagnostic = Diagnostic::finding(code, message).label(at, format!("{text}{more}"));
        if let Some((span, text)) = state {
            diagnostic = diagnostic.label(span, text);
        }
        diagnostics.push(diagnostic.help(help));
    };
    if !imbalance.not_held.is_empty() {
        let missing = names(&imbalance.not_held);
        let message = format!("`{from}` does not hold {missing}, which the row uses");
        let text = format!("in {}, {}", cx.row(id), uses(cx, row, &imbalance.not_held));
        let help =
            format!("remove the action or event that uses it, or add it to `holds` of `{from}`");
        put(code::NOT_HELD, message, text, holds(cx, row.from, from), help);
    }
    if !imbalance.created_twice.is_empty() {
        let created = names(&imbalance.created_twice);
        let are = if imbalance.created_twice.len() > 1 { "are" } else { "is" };
        let message = format!("{created} {are} created while already held");
        let text = format!("{} creates {created} again", cx.row(id));
        let help = "remove the second creation, delete it first, or restart it".to_owned();
        put(code::CREATED_WHILE_HELD, message, text, holds(cx, row.from, from), help);
    }
    if !imbalance.leaks.is_empty() {
        let left = names(&imbalance.leaks);
        let message = leak(cx, &imbalance.leaks, &left, to);
        let text = format!("{} leaks {left}", cx.row(id));
        let help = help(cx, &imbalance.leaks, End::Gone, to);
        put(code::RESOURCE_LEAK, message, text, holds(cx, row.to, to), help);
    }
    if !imbalance.not_created.is_empty() {
        let wanted = names(&imbalance.not_created);
        let it = if imbalance.not_created.len() > 1 { "them" } else { "it" };
        let message = format!("`{to}` holds {wanted}, but the row does not create {it}");
        let text = format!("{} does not create {wanted}", cx.row(id));
        let help = help(cx, &imbalance.not_created, End::There, to);
        put(code::NOT_CREATED, message, text, holds(cx, row.to, to), help);
    }
}

/// The event and the actions that use resources, in words: "`stop timer` deletes `clock`".
fn uses(cx: &LintContext<'_>, row: &Row, ids: &[ResourceId]) -> String {
    let mut uses = Vec::new();
    for id in row.consumes.iter().filter(|id| ids.contains(id)) {
        uses.push(format!("`{}` consumes `{}`", cx.event(row.event), cx.resource(*id)));
    }
    for call in &row.actions {
        for op in &call.ops {
            let (verb, id) = match op {
                Op::Create(_) => continue,
                Op::Delete(id) => ("deletes", id),
                Op::Restart(id) => ("restarts", id),
                Op::Abandon(id) => ("abandons", id),
            };
            if ids.contains(id) {
                uses.push(format!("`{}` {verb} `{}`", cx.action(call.action), cx.resource(*id)));
            }
        }
    }
    uses.join(", ")
}

/// The message on a leak, by the kind of the resources.
fn leak(cx: &LintContext<'_>, ids: &[ResourceId], names: &str, to: &str) -> String {
    let is_one = ids.len() == 1;
    let kinds = ids.iter().map(|id| cx.lookup.vocabulary.resources[id.index()].kind);
    let mut kinds: Vec<ResourceKind> = kinds.collect();
    kinds.dedup();
    let (what, still) = match (&kinds[..], is_one) {
        ([ResourceKind::Timer], true) => ("timer", "still runs"),
        ([ResourceKind::Timer], false) => ("timer", "still run"),
        ([ResourceKind::Request], true) => ("request", "is still outstanding"),
        ([ResourceKind::Request], false) => ("request", "are still outstanding"),
        (_, true) => ("resource", "is still held"),
        (_, false) => ("resource", "are still held"),
    };
    format!("{what} leak: {names} {still} after the transition to `{to}`")
}

/// The resources that a state declares, in words.
fn holds(cx: &LintContext<'_>, id: crate::table::StateId, name: &str) -> Option<(Span, String)> {
    let span = cx.declared_at(id)?;
    let state = cx.table.states[id.index()].as_ref()?;
    let mut text = match &state.holds[..] {
        [] => format!("`{name}` holds nothing"),
        some => format!("`{name}` holds {}", listed(some.iter().map(|id| cx.resource(*id)))),
    };
    if !state.may_hold.is_empty() {
        let sometimes = listed(state.may_hold.iter().map(|id| cx.resource(*id)));
        text = format!("{text}, and sometimes {sometimes}");
    }
    Some((span, text))
}

/// Whether a resource should be held after the row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Gone,
    There,
}

/// The edit: add a declared action with that effect, or change the state's `holds`.
fn help(cx: &LintContext<'_>, ids: &[ResourceId], end: End, to: &str) -> String {
    let edits: Vec<String> = ids
        .iter()
        .map(|id| match action(cx, *id, end) {
            Some(name) => format!("`{name}`"),
            None => {
                let resource = &cx.lookup.vocabulary.resources[id.index()];
                let key = match (end, resource.kind) {
                    (End::There, _) => "creates",
                    (End::Gone, ResourceKind::Request) => "abandons",
                    (End::Gone, ResourceKind::Timer | ResourceKind::Note) => "deletes",
                };
                format!("an action with `{key}: {}`", resource.name.name)
            }
        })
        .collect();
    let names = listed(ids.iter().map(|id| cx.resource(*id)));
    let holds = match end {
        End::Gone => format!("add {names} to `holds` of `{to}`"),
        End::There => format!("remove {names} from what `{to}` holds"),
    };
    format!("add {} to `do`, or {holds}", edits.join(" and "))
}

/// A declared action with this effect on the resource.
fn action(cx: &LintContext<'_>, id: ResourceId, end: End) -> Option<String> {
    let is_meant = |words: &Option<Vec<Word>>| {
        words.iter().flatten().any(|word| match cx.lookup.general(&word.text) {
            Some(general) => general.contains(&id),
            None => cx.lookup.resource(&word.text) == Some(id),
        })
    };
    let has_effect = |action: &raw::Action| match end {
        End::Gone => is_meant(&action.abandons) || is_meant(&action.deletes),
        End::There => is_meant(&action.creates),
    };
    let actions = &cx.lookup.draft.parts.actions;
    actions.iter().find(|(_, action)| has_effect(action)).map(|(name, _)| name.text.clone())
}
