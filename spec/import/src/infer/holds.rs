//! Which timers each state holds, where the document does not say: those that every row into it
//! leaves running, and that a row from there on stops, restarts or takes the expiry of.
//!
//! A timer that runs on where nothing ever uses it is not held: the row that leaves it running is
//! then a finding of the table (T040), and not each state behind it.

use std::collections::BTreeMap;

use crate::draft::{Draft, EventCause, Operation, ResourceClass};

/// A step of one timer along a row.
struct Edge {
    from: usize,
    to: usize,
    /// Whether the row uses the timer before it creates it.
    uses: bool,
    /// Whether the row creates it first.
    creates: bool,
    /// What the row leaves: `Some(true)` running, `Some(false)` not, `None` as before.
    leaves: Option<bool>,
}

pub(super) fn infer(draft: &mut Draft) {
    let timers: Vec<String> = draft
        .resources
        .iter()
        .filter(|resource| resource.class == ResourceClass::Timer)
        .map(|resource| resource.name.text.clone())
        .collect();
    let many = draft.states.len();
    let Some(initial) = draft.states.iter().position(|state| state.is_initial) else { return };
    for timer in timers {
        let edges = edges(draft, &timer);
        let (may, must) = forward(&edges, many, initial);
        let live = backward(&edges, many);
        for (at, state) in draft.states.iter_mut().enumerate() {
            if !may[at] || !live[at] || state.is_final {
                continue;
            }
            if must[at] {
                state.holds.push(timer.clone());
            } else {
                state.may_hold.push(timer.clone());
            }
        }
    }
}

fn edges(draft: &Draft, timer: &str) -> Vec<Edge> {
    let places: BTreeMap<&str, usize> =
        draft.states.iter().zip(0..).map(|(state, at)| (state.name.text.as_str(), at)).collect();
    let operations: BTreeMap<&str, Operation> = draft
        .actions
        .iter()
        .filter_map(|action| {
            let (operation, resource) = action.operation.as_ref()?;
            is_meant(draft, resource, timer).then_some((action.name.text.as_str(), *operation))
        })
        .collect();
    let firing: Vec<&str> = draft
        .events
        .iter()
        .filter(|event| {
            matches!(&event.cause, EventCause::Consumes(name) if is_meant(draft, name, timer))
        })
        .map(|event| event.name.text.as_str())
        .collect();
    let mut edges = Vec::new();
    for row in &draft.rows {
        let is_fired = firing.contains(&row.event_name.as_str());
        let mut edge = Edge {
            from: 0,
            to: 0,
            uses: is_fired,
            creates: false,
            leaves: is_fired.then_some(false),
        };
        for action in &row.actions {
            let Some(operation) = operations.get(action.text.as_str()) else { continue };
            let is_create = *operation == Operation::Creates;
            edge.creates |= is_create && !edge.uses;
            edge.uses |= !is_create && !edge.creates;
            edge.leaves = Some(is_create || *operation == Operation::Restarts);
        }
        for source in draft.sources(row) {
            let to = if row.to.text == "same" { source.as_str() } else { row.to.text.as_str() };
            if let (Some(from), Some(to)) = (places.get(source.as_str()), places.get(to)) {
                edges.push(Edge { from: *from, to: *to, ..edge });
            }
        }
    }
    edges
}

/// Whether a name of a row means a timer: its own, or that of several.
fn is_meant(draft: &Draft, name: &str, timer: &str) -> bool {
    if name == timer || name == "timer" {
        return true;
    }
    let class = draft.resource(name).map(|resource| &resource.class);
    matches!(class, Some(ResourceClass::AnyOf(list)) if list.iter().any(|one| one == timer))
}

/// The states in which the timer may run, and those in which it must.
fn forward(edges: &[Edge], many: usize, initial: usize) -> (Vec<bool>, Vec<bool>) {
    let mut out: Vec<Vec<&Edge>> = vec![Vec::new(); many];
    for edge in edges {
        out[edge.from].push(edge);
    }
    // `None`: no row has come to the state yet.
    let mut runs: Vec<Option<(bool, bool)>> = vec![None; many];
    runs[initial] = Some((false, false));
    let mut open = vec![initial];
    while let Some(at) = open.pop() {
        let Some((may, must)) = runs[at] else { continue };
        for edge in &out[at] {
            let (may, must) = edge.leaves.map_or((may, must), |left| (left, left));
            let joined = match runs[edge.to] {
                Some((other, always)) => (other || may, always && must),
                None => (may, must),
            };
            if runs[edge.to] != Some(joined) {
                runs[edge.to] = Some(joined);
                open.push(edge.to);
            }
        }
    }
    runs.into_iter().map(Option::unwrap_or_default).unzip()
}

/// The states from which a row uses the timer before one creates it.
fn backward(edges: &[Edge], many: usize) -> Vec<bool> {
    let mut into: Vec<Vec<&Edge>> = vec![Vec::new(); many];
    let mut live = vec![false; many];
    let mut open = Vec::new();
    for edge in edges {
        into[edge.to].push(edge);
        if edge.uses && !live[edge.from] {
            live[edge.from] = true;
            open.push(edge.from);
        }
    }
    while let Some(at) = open.pop() {
        for edge in &into[at] {
            let passes = !edge.creates && edge.leaves.is_none();
            if passes && !live[edge.from] {
                live[edge.from] = true;
                open.push(edge.from);
            }
        }
    }
    live
}
