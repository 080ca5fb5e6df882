//! What a lint cannot know because of a mistake that is already reported: an undeclared name
//! without a similar declared one, an invalid pattern. It reports nothing itself.

use crate::lint::context::LintContext;
use crate::raw::Row;
use crate::read::draft::KINDS;
use crate::read::pattern::{self, PatternError};
use crate::table::{EventId, RowId, StateId};
use crate::vec_map::VecSet;
use crate::yaml::Word;

/// The parts of a table that reported mistakes make unknown.
#[derive(Default)]
pub(crate) struct Unknowns {
    /// Events that rows or cells of unknown states may handle.
    events: VecSet<EventId>,
    /// States in which rows or cells handle unknown events.
    states: VecSet<StateId>,
    /// Cells with an invalid pattern.
    cells: VecSet<(StateId, EventId)>,
    /// Whether some row or set names an unknown state.
    pub(crate) is_of_states: bool,
    /// Whether some resource is unknown.
    pub(crate) is_of_resources: bool,
    /// Rows that name an unknown action.
    pub(crate) actions: VecSet<RowId>,
    /// Rows that name an unknown guard.
    pub(crate) guards: VecSet<RowId>,
}

impl Unknowns {
    pub(crate) fn of(cx: &LintContext<'_>) -> Self {
        let mut unknowns = Self::default();
        let draft = cx.lookup.draft;
        for (id, row) in &draft.rows {
            unknowns.place(cx, &row.from, &row.event);
            unknowns.is_of_states |= row.to.text != "same" && is_unknown(cx, &row.to);
            unknowns.row(cx, *id, row);
        }
        for cell in draft.parts.cells() {
            unknowns.place(cx, &cell.states, &cell.events);
        }
        let is_known = |word: &Word| {
            KINDS.iter().any(|(kind, _)| *kind == word.text)
                || cx.lookup.declares_resource(&word.text)
        };
        unknowns.is_of_resources =
            !draft.parts.resource_lists().into_iter().flatten().all(is_known);
        unknowns
    }

    /// Whether the content of this cell is unknown.
    pub(crate) fn is_open(&self, state: StateId, event: EventId) -> bool {
        self.events.has(&event) || self.states.has(&state) || self.cells.has(&(state, event))
    }

    fn row(&mut self, cx: &LintContext<'_>, id: RowId, row: &Row) {
        let states = cx.lookup.draft.parts.states.iter();
        let mut all = row.actions.iter().chain(states.flat_map(|(_, state)| state.actions()));
        if all.any(|word| cx.lookup.action_declaration(&word.text).is_none()) {
            self.actions.add(id);
        }
        let guards = &cx.lookup.draft.parts.guards;
        if row.guards().iter().any(|word| guards.iter().all(|(name, _)| name.text != word.text)) {
            self.guards.add(id);
        }
    }

    /// The states and events of a row or of an entry for cells.
    fn place(&mut self, cx: &LintContext<'_>, states: &[Word], events: &[Word]) {
        let mut known = Vec::new();
        let mut is_whole = true;
        for word in states {
            known.extend(cx.lookup.sources(&word.text));
            is_whole &= match cx.lookup.set(&word.text) {
                Some(set) => set.states.iter().all(|word| !is_unknown(cx, word)),
                None => word.text == "any" || !is_unknown(cx, word),
            };
        }
        self.is_of_states |= !is_whole;
        for word in events {
            match pattern::event(&word.text, cx.lookup.vocabulary) {
                Ok((event, _)) if !is_whole => drop(self.events.add(event)),
                Ok((event, _)) if cx.lookup.event(event).is_none() => {
                    self.states.add_all(known.iter().copied());
                }
                Ok(_) => {}
                Err(PatternError::Undeclared(_)) => self.states.add_all(known.iter().copied()),
                Err(
                    PatternError::NoPayload
                    | PatternError::Invalid(_)
                    | PatternError::OutOfRange(_)
                    | PatternError::Empty,
                ) => {
                    let (name, _) = pattern::split(&word.text);
                    if let Ok((event, _)) = pattern::event(name, cx.lookup.vocabulary) {
                        self.cells.add_all(known.iter().map(|state| (*state, event)));
                    }
                }
            }
        }
    }
}

/// Whether a state is undeclared, and not marked `undeclared: true`.
fn is_unknown(cx: &LintContext<'_>, word: &Word) -> bool {
    let states = &cx.lookup.draft.parts.states;
    !word.text.is_empty() && states.iter().all(|(name, _)| name.text != word.text)
}
