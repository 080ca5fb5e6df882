//! Unhandled timers: held by a state that has no row for their expiry.

use crate::cell_index::{CellEntry, CellIndex};
use crate::diagnostic::{CellWords, Diagnostic, code};
use crate::lint::context::{LintContext, listed};
use crate::lint::naming::unknowns::Unknowns;
use crate::read::pattern;
use crate::table::{CellKind, Event, EventId, ResourceId, ResourceKind, State, StateId};

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let unknowns = Unknowns::of(cx);
    if unknowns.is_of_resources {
        return;
    }
    let places = CellIndex::new(cx.lookup.vocabulary, cx.table);
    for (timer, resource) in (0u16..).map(ResourceId).zip(&cx.lookup.vocabulary.resources) {
        if resource.kind != ResourceKind::Timer {
            continue;
        }
        let held: Vec<(StateId, &State)> = holders(cx, timer).collect();
        let firings = firings(cx, timer);
        if firings.is_empty() {
            diagnostics.extend(fires_nothing(cx, timer, &held));
            continue;
        }
        for (state, of) in held {
            if places.never_rests(state) {
                continue;
            }
            let at = |event: &EventId| (*event, places.at(state, *event));
            let cells: Vec<(EventId, &CellEntry<'_>)> = firings.iter().map(at).collect();
            let is_taken = cells.iter().any(|(event, place)| {
                !place.rows.is_empty()
                    || place.cells.iter().any(|(_, cell)| cell.kind == CellKind::Unspecified)
                    || unknowns.is_open(state, *event)
                    || is_unhandled(cx, &places, (*event, place))
            });
            // A timer held only sometimes may expire late; an entry that names the state may say
            // so.
            let is_said = !of.holds.contains(&timer)
                && cells.iter().all(|(_, place)| place.cells.iter().all(|(_, c)| !c.is_covered));
            if !is_taken && !is_said {
                diagnostics.push(diagnostic(cx, timer, state, &firings));
            }
        }
    }
}

/// Whether an entry under `ignore` for the event would leave a timer of the state unhandled: the
/// state always holds a timer that causes the event, and no row there handles its expiry.
pub(crate) fn needs_row(
    cx: &LintContext<'_>,
    places: &CellIndex<'_>,
    id: StateId,
    state: &State,
    event: &Event,
) -> bool {
    let is_timer = |id: &&ResourceId| {
        let resource = cx.lookup.vocabulary.resources.get(id.index());
        resource.is_some_and(|resource| resource.kind == ResourceKind::Timer)
    };
    let has_row = |event: &EventId| !places.at(id, *event).rows.is_empty();
    let mut timers = event.consumes.iter().filter(is_timer);
    timers.any(|timer| state.holds.contains(timer) && !firings(cx, *timer).iter().any(has_row))
}

/// The declared states that hold a timer, always or sometimes.
fn holders<'s>(
    cx: &'s LintContext<'_>,
    timer: ResourceId,
) -> impl Iterator<Item = (StateId, &'s State)> {
    let states = (0u16..).map(StateId).zip(&cx.table.states);
    let states = states.filter_map(|(id, state)| Some((id, state.as_ref()?)));
    states.filter(move |(id, state)| {
        cx.declared_at(*id).is_some()
            && (state.holds.contains(&timer) || state.may_hold.contains(&timer))
    })
}

/// The events that a timer may cause.
fn firings(cx: &LintContext<'_>, timer: ResourceId) -> Vec<EventId> {
    let events = (0u16..).map(EventId).zip(&cx.lookup.vocabulary.events);
    let events = events
        .filter(|(id, event)| cx.lookup.event(*id).is_some() && event.consumes.contains(&timer));
    events.map(|(id, _)| id).collect()
}

/// Whether some payload is unhandled, which is reported separately.
fn is_unhandled(
    cx: &LintContext<'_>,
    places: &CellIndex<'_>,
    (event, place): (EventId, &CellEntry<'_>),
) -> bool {
    let declared = &cx.lookup.vocabulary.events[event.index()];
    !places.unhandled(place, &pattern::whole(declared)).0.is_empty()
}

fn diagnostic(
    cx: &LintContext<'_>,
    timer: ResourceId,
    state: StateId,
    firings: &[EventId],
) -> Diagnostic {
    let (name, state) = (cx.resource(timer), (state, cx.state(state)));
    let events = listed(firings.iter().map(|event| cx.event(*event)));
    let cells = firings
        .iter()
        .map(|event| CellWords { state: state.1.to_owned(), event: cx.event(*event).to_owned() });
    let message =
        format!("unhandled timer: `{}` holds `{name}`, but no row there handles {events}", state.1);
    Diagnostic::finding(code::UNHANDLED_TIMER, message)
        .label(cx.declared_at(state.0).unwrap_or_default(), "the timer can expire in this state")
        .help(format!(
            "add a row for {events} from `{0}`, or remove `{name}` from what `{0}` holds",
            state.1
        ))
        .cells(cells.collect())
}

fn fires_nothing(
    cx: &LintContext<'_>,
    timer: ResourceId,
    held: &[(StateId, &State)],
) -> Option<Diagnostic> {
    let (first, _) = held.first()?;
    let resource = cx.lookup.vocabulary.resources.get(timer.index())?;
    let name = &resource.name.name;
    let diagnostic =
        Diagnostic::finding(code::UNHANDLED_TIMER, format!("no event consumes `{name}`"))
            .label(resource.name.span, "the timer expires, but no event reports it")
            .label(
                cx.declared_at(*first).unwrap_or_default(),
                format!("`{}` holds it", cx.state(*first)),
            );
    Some(diagnostic.help(format!("declare its expiry event, with `consumes: {name}`")))
}
