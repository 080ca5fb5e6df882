//! Resources that do not add up: leaks, things that are not there, things created twice.

use crate::code;
use crate::fault::{Fault, Span};
use crate::lint::account::{Account, add_up};
use crate::lint::doubt::Doubt;
use crate::lint::{Subject, listed};
use crate::raw;
use crate::sorted::Sorted;
use crate::table::{ResourceId, ResourceKind, Row, RowId};
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let doubt = Doubt::of(subject);
    if doubt.is_of_resources {
        return;
    }
    let mut accounts: Sorted<RowId, Sorted<Account, Vec<&Row>>> = Sorted::default();
    for row in &subject.table.rows {
        let states = &subject.table.states;
        let (Some(from), Some(to)) = (&states[row.from.index()], &states[row.to.index()]) else {
            continue;
        };
        // What a state holds that nothing declares, and what such an action does, nobody knows.
        let is_known = |id| subject.declared_at(id).is_some();
        if !is_known(row.from) || !is_known(row.to) || doubt.actions.has(&row.id) {
            continue;
        }
        let account = add_up(row, from, to);
        if account != Account::default() {
            accounts.entry(row.id).entry(account).push(row);
        }
    }
    for (id, accounts) in accounts.iter() {
        for (account, rows) in accounts.iter() {
            if let Some(row) = rows.first() {
                say(subject, *id, account, row, rows.len(), faults);
            }
        }
    }
}

/// A state that lists a resource twice.
pub(super) fn lists(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    for (name, state) in &subject.lookup.draft.parts.states {
        let mut seen: Sorted<&str, Span> = Sorted::default();
        for word in [&state.holds, &state.may_hold].into_iter().flatten().flatten() {
            if let Some(first) = seen.insert(&word.text, word.span) {
                let message = format!("`{}` lists `{}` twice", name.text, word.text);
                let fault = Fault::finding(code::HELD_TWICE, message)
                    .label(word.span, "the second")
                    .label(first, "the first")
                    .help(
                        "a state holds a thing always (`holds`) or sometimes (`may hold`), \
                         and once",
                    );
                faults.push(fault);
            }
        }
    }
}

fn say(
    subject: &Subject<'_>,
    id: RowId,
    account: &Account,
    row: &Row,
    count: usize,
    faults: &mut Vec<Fault>,
) {
    let names = |ids: &[ResourceId]| listed(ids.iter().map(|id| subject.resource(*id)));
    let (from, to) = (subject.state(row.from), subject.state(row.to));
    let more =
        if count > 1 { format!(" (and of {} more places)", count - 1) } else { String::new() };
    let at = subject.row_at(id);
    let mut put = |code, message: String, text: String, state: Option<(Span, String)>, help| {
        let mut fault = Fault::finding(code, message).label(at, format!("{text}{more}"));
        if let Some((span, text)) = state {
            fault = fault.label(span, text);
        }
        faults.push(fault.help(help));
    };
    if !account.not_held.is_empty() {
        let missing = names(&account.not_held);
        let message = format!("`{from}` does not hold {missing}");
        let text = format!("{} takes {missing}", subject.row(id));
        let help = format!("remove what takes it, or let `{from}` hold it");
        put(code::NOT_HELD, message, text, holds(subject, row.from, from), help);
    }
    if !account.twice.is_empty() {
        let created = names(&account.twice);
        let are = if account.twice.len() > 1 { "are" } else { "is" };
        let message = format!("{created} {are} created while held");
        let text = format!("{} creates {created} again", subject.row(id));
        let help = "remove what creates it, delete it before, or restart it".to_owned();
        put(code::CREATED_TWICE, message, text, holds(subject, row.from, from), help);
    }
    if !account.leaks.is_empty() {
        let left = names(&account.leaks);
        let are = if account.leaks.len() > 1 { "are" } else { "is" };
        let message = format!("{left} {are} left behind on the way to `{to}`");
        let text = format!("{} leaves {left} behind", subject.row(id));
        let help = help(subject, &account.leaks, End::Gone, to);
        put(code::LEAK, message, text, holds(subject, row.to, to), help);
    }
    if !account.not_brought.is_empty() {
        let wanted = names(&account.not_brought);
        let message = format!("`{to}` holds {wanted}, which the row does not bring");
        let text = format!("{} does not bring {wanted}", subject.row(id));
        let help = help(subject, &account.not_brought, End::There, to);
        put(code::NOT_BROUGHT, message, text, holds(subject, row.to, to), help);
    }
}

/// What a state's declaration says that it holds.
fn holds(subject: &Subject<'_>, id: crate::table::StateId, name: &str) -> Option<(Span, String)> {
    let span = subject.declared_at(id)?;
    let state = subject.table.states[id.index()].as_ref()?;
    let mut text = match &state.holds[..] {
        [] => format!("`{name}` holds nothing"),
        some => format!("`{name}` holds {}", listed(some.iter().map(|id| subject.resource(*id)))),
    };
    if !state.may_hold.is_empty() {
        let sometimes = listed(state.may_hold.iter().map(|id| subject.resource(*id)));
        text = format!("{text}, and sometimes {sometimes}");
    }
    Some((span, text))
}

/// How a resource should end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Gone,
    There,
}

/// The edit: an action that does it, where one is declared, or the state's `holds`.
fn help(subject: &Subject<'_>, ids: &[ResourceId], end: End, to: &str) -> String {
    let edits: Vec<String> = ids
        .iter()
        .map(|id| match action(subject, *id, end) {
            Some(name) => format!("`{name}`"),
            None => {
                let resource = &subject.lookup.vocabulary.resources[id.index()];
                let key = match (end, resource.kind) {
                    (End::There, _) => "creates",
                    (End::Gone, ResourceKind::Request) => "abandons",
                    (End::Gone, ResourceKind::Timer | ResourceKind::Note) => "deletes",
                };
                format!("an action with `{key}: {}`", resource.name.name)
            }
        })
        .collect();
    let holds = match end {
        End::Gone => format!("let `{to}` hold it"),
        End::There => format!("let `{to}` not hold it"),
    };
    format!("add {} to `do`, or {holds}", edits.join(" and "))
}

/// A declared action that does just this.
fn action(subject: &Subject<'_>, id: ResourceId, end: End) -> Option<String> {
    let is_meant = |words: &Option<Vec<Word>>| {
        words.iter().flatten().any(|word| match subject.lookup.general(&word.text) {
            Some(general) => general.contains(&id),
            None => subject.lookup.resource(&word.text) == Some(id),
        })
    };
    let does = |action: &raw::Action| match end {
        End::Gone => is_meant(&action.abandons) || is_meant(&action.deletes),
        End::There => is_meant(&action.creates),
    };
    let actions = &subject.lookup.draft.parts.actions;
    actions.iter().find(|(_, action)| does(action)).map(|(name, _)| name.text.clone())
}
