//! Which timers each state holds, where the document does not say: those that every row into it
//! leaves running, and that a row from there on stops, restarts or takes the expiry of.
//!
//! A timer that runs on where nothing ever uses it is not held: the row that leaves it running is
//! then a finding of the table (T040), and not each state behind it.

use std::collections::{BTreeMap, BTreeSet};

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
    let rows = Rows::of(draft, &timers);
    let held = timers.iter().map(|timer| {
        let edges = rows.edges(draft, timer);
        let (may, must) = forward(&edges, many, initial);
        (may, must, backward(&edges, many))
    });
    let held: Vec<(Vec<bool>, Vec<bool>, Vec<bool>)> = held.collect();
    for (timer, (may, must, live)) in timers.into_iter().zip(held) {
        for (at, state) in draft.states.iter_mut().enumerate() {
            if !may[at] || !live[at] || state.is_final {
                continue;
            }
            let guess = if must[at] {
                state.holds.push(timer.clone());
                format!("holds `{timer}`: each row into it leaves it running")
            } else {
                state.may_hold.push(timer.clone());
                format!("may hold `{timer}`: some rows into it leave it running")
            };
            state.guesses.push(guess);
        }
    }
}

/// What actions and events do, found once for all timers.
struct Rows<'d> {
    places: BTreeMap<&'d str, usize>,
    /// By the action and the timer.
    operations: BTreeMap<(&'d str, String), Operation>,
    /// Events and the timers whose expiry they are.
    firing: BTreeSet<(&'d str, String)>,
}

impl<'d> Rows<'d> {
    fn of(draft: &'d Draft, timers: &[String]) -> Self {
        let places = draft.states.iter().zip(0..);
        let places = places.map(|(state, at)| (state.name.text.as_str(), at)).collect();
        let mut operations = BTreeMap::new();
        for action in &draft.actions {
            let Some((operation, resource)) = &action.operation else { continue };
            for timer in meant(draft, resource, timers) {
                operations.insert((action.name.text.as_str(), timer), *operation);
            }
        }
        let mut firing = BTreeSet::new();
        for event in &draft.events {
            let EventCause::Consumes(resource) = &event.cause else { continue };
            for timer in meant(draft, resource, timers) {
                firing.insert((event.name.text.as_str(), timer));
            }
        }
        Self { places, operations, firing }
    }

    /// The steps of one timer.
    fn edges(&self, draft: &Draft, timer: &str) -> Vec<Edge> {
        let mut edges = Vec::new();
        for row in &draft.rows {
            let is_fired = self.firing.contains(&(row.event_name.as_str(), timer.to_owned()));
            let mut edge = Edge {
                from: 0,
                to: 0,
                uses: is_fired,
                creates: false,
                leaves: is_fired.then_some(false),
            };
            for action in &row.actions {
                let key = (action.text.as_str(), timer.to_owned());
                let Some(operation) = self.operations.get(&key) else { continue };
                let is_create = *operation == Operation::Creates;
                edge.creates |= is_create && !edge.uses;
                edge.uses |= !is_create && !edge.creates;
                edge.leaves = Some(is_create || *operation == Operation::Restarts);
            }
            for source in draft.sources(row) {
                let to = if row.to.text == "same" { source.as_str() } else { row.to.text.as_str() };
                let places = (self.places.get(source.as_str()), self.places.get(to));
                if let (Some(from), Some(to)) = places {
                    edges.push(Edge { from: *from, to: *to, ..edge });
                }
            }
        }
        edges
    }
}

/// The timers that a name of a row means: its own, or those of a generic name.
fn meant(draft: &Draft, name: &str, timers: &[String]) -> Vec<String> {
    if name == "timer" {
        return timers.to_vec();
    }
    match draft.resource(name).map(|resource| &resource.class) {
        Some(ResourceClass::AnyOf(list)) => list.clone(),
        Some(ResourceClass::Timer) => vec![name.to_owned()],
        Some(ResourceClass::Request | ResourceClass::Note) | None => Vec::new(),
    }
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
