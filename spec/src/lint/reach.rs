//! States that no run comes to, and states that nothing leaves.

use crate::code;
use crate::fault::{Fault, Span};
use crate::lint::doubt::Doubt;
use crate::lint::{Subject, listed};
use crate::sorted::Set;
use crate::table::StateId;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    if Doubt::of(subject).is_of_states {
        begins(subject, &initial(subject), faults);
    } else {
        follow(subject, &edges(subject), faults);
    }
}

/// The same of a table whose rows are not those of its words.
pub(super) fn built(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let rows = subject.table.rows.iter();
    let edges: Vec<(StateId, StateId)> = rows.map(|row| (row.from, row.to)).collect();
    follow(subject, &edges, faults);
}

fn follow(subject: &Subject<'_>, edges: &[(StateId, StateId)], faults: &mut Vec<Fault>) {
    let initial = initial(subject);
    begins(subject, &initial, faults);
    if let [_] = initial[..] {
        unreachable(subject, &initial, edges, faults);
    }
    no_way_out(subject, edges, faults);
}

/// Where the machine begins.
fn initial(subject: &Subject<'_>) -> Vec<StateId> {
    let is_initial =
        |id: &StateId| subject.table.states[id.index()].as_ref().is_some_and(|state| state.initial);
    declared(subject).filter(is_initial).collect()
}

/// The states that the table declares.
fn declared(subject: &Subject<'_>) -> impl Iterator<Item = StateId> {
    let ids = (0u16..).map(StateId).zip(&subject.table.states);
    ids.filter(|(id, state)| state.is_some() && subject.declared_at(*id).is_some())
        .map(|(id, _)| id)
}

/// Where rows lead, also those whose event is a fault of its own.
fn edges(subject: &Subject<'_>) -> Vec<(StateId, StateId)> {
    let mut edges = Vec::new();
    for (_, row) in &subject.lookup.draft.rows {
        for from in row.from.iter().flat_map(|word| subject.lookup.sources(&word.text)) {
            let to = subject.lookup.state(&row.to.text);
            edges.push((from, to.unwrap_or(from)));
        }
    }
    edges
}

/// Not one state to begin in.
fn begins(subject: &Subject<'_>, initial: &[StateId], faults: &mut Vec<Fault>) {
    if let [_] = initial {
        return;
    }
    let fault = if initial.is_empty() {
        let span = subject.raw.machine.span;
        Fault::finding(code::INITIAL, "no state is where the machine begins")
            .label(span, "this machine cannot begin")
            .help("write `initial: true` beside one state")
    } else {
        let names = listed(initial.iter().map(|id| subject.state(*id)));
        let fault = Fault::finding(code::INITIAL, format!("the machine begins in {names}"));
        let spans = initial.iter().filter_map(|id| subject.declared_at(*id));
        let fault = spans.fold(fault, |fault, span| fault.label(span, "`initial: true`"));
        fault.help("keep `initial: true` beside one of them")
    };
    faults.push(fault);
}

fn unreachable(
    subject: &Subject<'_>,
    initial: &[StateId],
    edges: &[(StateId, StateId)],
    faults: &mut Vec<Fault>,
) {
    let mut leads: Vec<Vec<StateId>> = vec![Vec::new(); subject.table.states.len()];
    for (from, to) in edges {
        leads[from.index()].push(*to);
    }
    let mut reached = Set::default();
    let mut next: Vec<StateId> = initial.to_vec();
    while let Some(state) = next.pop() {
        if reached.add(state) {
            next.extend(&leads[state.index()]);
        }
    }
    for id in declared(subject).filter(|id| !reached.has(id)) {
        let name = subject.state(id);
        let fault = Fault::finding(code::UNREACHABLE, format!("no run comes to `{name}`"))
            .label(span(subject, id), "no row from a state that is reached leads here")
            .help(format!("add the row that leads to `{name}`, or remove the state"));
        faults.push(fault);
    }
}

fn no_way_out(subject: &Subject<'_>, edges: &[(StateId, StateId)], faults: &mut Vec<Fault>) {
    let mut left = Set::default();
    left.add_all(edges.iter().filter(|(from, to)| from != to).map(|(from, _)| *from));
    for id in declared(subject).filter(|id| !left.has(id)) {
        let is_final =
            subject.table.states[id.index()].as_ref().is_some_and(|state| state.is_final);
        if !is_final {
            let name = subject.state(id);
            let fault = Fault::finding(code::NO_WAY_OUT, format!("nothing leaves `{name}`"))
                .label(span(subject, id), "no row out of it, and it is not final")
                .help("add a row out of it, or write `final: true`");
            faults.push(fault);
        }
    }
}

fn span(subject: &Subject<'_>, id: StateId) -> Span {
    subject.declared_at(id).unwrap_or_default()
}
