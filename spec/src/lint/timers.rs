//! Timers that a state holds and whose firing no row of that state takes.

use crate::code;
use crate::fault::{CellWords, Fault};
use crate::lint::doubt::Doubt;
use crate::lint::{Subject, listed};
use crate::places::{Place, Places};
use crate::read::cover;
use crate::read::pattern;
use crate::table::{EventId, ResourceId, ResourceKind, State, StateId};

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let doubt = Doubt::of(subject);
    if doubt.is_of_resources {
        return;
    }
    let places = Places::new(subject.table);
    for (timer, resource) in (0u16..).map(ResourceId).zip(&subject.lookup.vocabulary.resources) {
        if resource.kind != ResourceKind::Timer {
            continue;
        }
        let held: Vec<(StateId, &State)> = holders(subject, timer).collect();
        let firings = firings(subject, timer);
        if firings.is_empty() {
            faults.extend(fires_nothing(subject, timer, &held));
            continue;
        }
        for (state, of) in held {
            let at = |event: &EventId| (*event, places.at(state, *event));
            let cells: Vec<(EventId, &Place<'_>)> = firings.iter().map(at).collect();
            let is_taken = cells.iter().any(|(event, place)| {
                !place.rows.is_empty()
                    || doubt.is_open(state, *event)
                    || is_unsaid(subject, *event, place)
            });
            // What is held only sometimes may fire late, and an author may say so of the state.
            let is_said = !of.holds.contains(&timer)
                && cells.iter().all(|(_, place)| place.cells.iter().all(|(_, c)| !c.is_covered));
            if !is_taken && !is_said {
                faults.push(fault(subject, timer, state, &firings));
            }
        }
    }
}

/// The declared states that hold a timer, always or sometimes.
fn holders<'s>(
    subject: &'s Subject<'_>,
    timer: ResourceId,
) -> impl Iterator<Item = (StateId, &'s State)> {
    let states = (0u16..).map(StateId).zip(&subject.table.states);
    let states = states.filter_map(|(id, state)| Some((id, state.as_ref()?)));
    states.filter(move |(id, state)| {
        subject.declared_at(*id).is_some()
            && (state.holds.contains(&timer) || state.may_hold.contains(&timer))
    })
}

/// The events that a timer may cause.
fn firings(subject: &Subject<'_>, timer: ResourceId) -> Vec<EventId> {
    let events = (0u16..).map(EventId).zip(&subject.lookup.vocabulary.events);
    let events = events.filter(|(id, event)| {
        subject.lookup.event(*id).is_some() && event.consumes.contains(&timer)
    });
    events.map(|(id, _)| id).collect()
}

/// Whether nothing is said of some payload: a fault of its own, but for states without cells.
fn is_unsaid(subject: &Subject<'_>, event: EventId, place: &Place<'_>) -> bool {
    let declared = &subject.lookup.vocabulary.events[event.index()];
    !cover::unsaid(place, &pattern::whole(declared)).0.is_empty()
}

fn fault(subject: &Subject<'_>, timer: ResourceId, state: StateId, firings: &[EventId]) -> Fault {
    let (name, state) = (subject.resource(timer), (state, subject.state(state)));
    let events = listed(firings.iter().map(|event| subject.event(*event)));
    let cells = firings.iter().map(|event| CellWords {
        state: state.1.to_owned(),
        event: subject.event(*event).to_owned(),
    });
    let message = format!("`{}` holds `{name}`, and no row of it takes {events}", state.1);
    Fault::finding(code::TIMER_NOT_TAKEN, message)
        .label(subject.declared_at(state.0).unwrap_or_default(), "the timer fires here")
        .help(format!("add a row for {events} out of `{}`, or let it not hold `{name}`", state.1))
        .cells(cells.collect())
}

fn fires_nothing(
    subject: &Subject<'_>,
    timer: ResourceId,
    held: &[(StateId, &State)],
) -> Option<Fault> {
    let (first, _) = held.first()?;
    let resource = subject.lookup.vocabulary.resources.get(timer.index())?;
    let name = &resource.name.name;
    let fault = Fault::finding(code::TIMER_NOT_TAKEN, format!("no event consumes `{name}`"))
        .label(resource.name.span, "the timer fires, and no event says so")
        .label(
            subject.declared_at(*first).unwrap_or_default(),
            format!("`{}` holds it", subject.state(*first)),
        );
    Some(fault.help(format!("declare the event of its firing, with `consumes: {name}`")))
}
