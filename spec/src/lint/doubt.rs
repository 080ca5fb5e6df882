//! What a lint cannot know because of a fault that is told already: a name that nothing declares
//! and that is like no other, a pattern that cannot be read. It finds no faults.

use crate::lint::Subject;
use crate::raw::Row;
use crate::read::draft::KINDS;
use crate::read::pattern::{self, Wrong};
use crate::sorted::Set;
use crate::table::{EventId, RowId, StateId};
use crate::yaml::Word;

/// What follows from faults that are told already.
#[derive(Default)]
pub(super) struct Doubt {
    /// Events that rows or cells of unknown states may take.
    events: Set<EventId>,
    /// States in which rows or cells take unknown events.
    states: Set<StateId>,
    /// Cells of which a pattern cannot be read.
    cells: Set<(StateId, EventId)>,
    /// Whether some row or set names an unknown state.
    pub(super) is_of_states: bool,
    /// Whether some resource is unknown.
    pub(super) is_of_resources: bool,
    /// Rows that name an unknown action.
    pub(super) actions: Set<RowId>,
    /// Rows that name an unknown guard.
    pub(super) guards: Set<RowId>,
}

impl Doubt {
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        let mut doubt = Self::default();
        let draft = subject.lookup.draft;
        for (id, row) in &draft.rows {
            doubt.place(subject, &row.from, &row.event);
            doubt.is_of_states |= row.to.text != "same" && is_unknown(subject, &row.to);
            doubt.row(subject, *id, row);
        }
        for cell in draft.parts.cells() {
            doubt.place(subject, &cell.states, &cell.events);
        }
        let is_known = |word: &Word| {
            KINDS.iter().any(|(kind, _)| *kind == word.text)
                || subject.lookup.declares_resource(&word.text)
        };
        doubt.is_of_resources = !draft.parts.resource_lists().into_iter().flatten().all(is_known);
        doubt
    }

    /// Whether of this cell it cannot be told what is said of it.
    pub(super) fn is_open(&self, state: StateId, event: EventId) -> bool {
        self.events.has(&event) || self.states.has(&state) || self.cells.has(&(state, event))
    }

    fn row(&mut self, subject: &Subject<'_>, id: RowId, row: &Row) {
        if row.does.iter().any(|word| subject.lookup.does(&word.text).is_none()) {
            self.actions.add(id);
        }
        let guards = &subject.lookup.draft.parts.guards;
        if row.guards().iter().any(|word| guards.iter().all(|(name, _)| name.text != word.text)) {
            self.guards.add(id);
        }
    }

    /// The states and events of a row or of an entry for cells.
    fn place(&mut self, subject: &Subject<'_>, states: &[Word], events: &[Word]) {
        let mut known = Vec::new();
        let mut is_whole = true;
        for word in states {
            known.extend(subject.lookup.sources(&word.text));
            is_whole &= match subject.lookup.set(&word.text) {
                Some(set) => set.states.iter().all(|word| !is_unknown(subject, word)),
                None => word.text == "any" || !is_unknown(subject, word),
            };
        }
        self.is_of_states |= !is_whole;
        for word in events {
            match pattern::event(&word.text, subject.lookup.vocabulary) {
                Ok((event, _)) if !is_whole => drop(self.events.add(event)),
                Ok((event, _)) if subject.lookup.event(event).is_none() => {
                    self.states.add_all(known.iter().copied());
                }
                Ok(_) => {}
                Err(Wrong::Undeclared(_)) => self.states.add_all(known.iter().copied()),
                Err(Wrong::NoPayload | Wrong::Unreadable(_) | Wrong::Outside(_) | Wrong::Empty) => {
                    let (name, _) = pattern::split(&word.text);
                    if let Ok((event, _)) = pattern::event(name, subject.lookup.vocabulary) {
                        self.cells.add_all(known.iter().map(|state| (*state, event)));
                    }
                }
            }
        }
    }
}

/// Whether nothing declares a state; one that the file marks as undeclared is known to be so.
fn is_unknown(subject: &Subject<'_>, word: &Word) -> bool {
    let states = &subject.lookup.draft.parts.states;
    !word.text.is_empty() && states.iter().all(|(name, _)| name.text != word.text)
}
