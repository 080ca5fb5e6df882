//! Builds a [`Table`] from a draft: expands lists, resolves patterns and generic names. What cannot
//! be resolved is omitted here and reported by a lint.

use crate::cell_index::CellIndex;
use crate::guard_values::GuardValues;
use crate::raw;
use crate::read::cover;
use crate::read::draft::{Draft, Lookup, NOT_EXIST};
use crate::read::formula;
use crate::read::{pattern, variables};
use crate::table::{
    ActionCall, ActionId, Cell, Comparison, Condition, EventId, ForEach, Op, Pattern, ResourceId,
    Row, RowId, State, StateId, Table, Vocabulary,
};
use crate::vec_map::{VecMap, VecSet};
use crate::yaml::Word;

/// Builds the table of a draft.
pub(crate) fn table(vocabulary: &Vocabulary, draft: &Draft) -> Table {
    let lookup = Lookup::new(vocabulary, draft);
    let events = (0..).map(EventId).zip(&vocabulary.events).map(|(id, _)| id);
    let events = events.filter(|id| lookup.event(*id).is_some()).collect();
    let mut table = Table { states: states(&lookup), events, ..Table::default() };
    let faults = &mut Vec::new();
    table.comparisons = variables::comparisons(&lookup, faults);
    for (id, row) in &draft.rows {
        for at in expand(&lookup, row) {
            for mut case in guard_cases(&lookup, (row, &at.pattern), &table.comparisons) {
                surround(&lookup, (row, &at), &mut case.actions);
                table.rows.push(one(&lookup, *id, &at, case, &table.states));
            }
        }
    }
    cells(&lookup, &mut table);
    table.formulas = formula::formulas(&lookup);
    table.sends = variables::sends(&lookup);
    table.updates = variables::updates(&lookup, faults);
    table
}

/// One source state and event of a row as written.
pub(crate) struct ExpandedRow {
    pub(crate) from: StateId,
    pub(crate) to: StateId,
    pub(crate) event: EventId,
    pub(crate) pattern: Pattern,
}

/// Expands a row as written to its source states and events.
pub(crate) fn expand(lookup: &Lookup<'_>, row: &raw::Row) -> Vec<ExpandedRow> {
    let mut places = Vec::new();
    for from in row.from.iter().flat_map(|word| lookup.sources(&word.text)) {
        let to = if row.to.text == "same" { Some(from) } else { lookup.state(&row.to.text) };
        let Some(to) = to else { continue };
        for word in &row.event {
            if let Ok((event, pattern)) = pattern::event(&word.text, lookup.vocabulary) {
                places.push(ExpandedRow { from, to, event, pattern });
            }
        }
    }
    places
}

fn states(lookup: &Lookup<'_>) -> Vec<Option<State>> {
    let mut used = VecSet::default();
    for (_, row) in &lookup.draft.rows {
        used.add_all(row.from.iter().map(|word| word.text.as_str()));
        used.add(row.to.text.as_str());
    }
    let names = lookup.vocabulary.states.iter().map(|name| name.name.as_str());
    let is_begun = lookup.draft.parts.states.iter().any(|(_, state)| state.initial == Some(true));
    names
        .map(|name| match lookup.declaration(name) {
            Some(state) => Some(State {
                holds: ids(lookup, state.holds.as_deref()),
                may_hold: ids(lookup, state.may_hold.as_deref()),
                initial: state.initial == Some(true) || (name == NOT_EXIST && !is_begun),
                is_final: state.is_final == Some(true),
                may_end: state.may_end == Some(true),
                exit: actions(lookup, state.exit.as_deref()),
                entry: actions(lookup, state.entry.as_deref()),
            }),
            None => used.has(name).then(State::default),
        })
        .collect()
}

fn actions(lookup: &Lookup<'_>, words: Option<&[Word]>) -> Vec<ActionId> {
    words.unwrap_or_default().iter().filter_map(|word| lookup.action(&word.text)).collect()
}

fn ids(lookup: &Lookup<'_>, words: Option<&[Word]>) -> Vec<ResourceId> {
    let words = words.unwrap_or_default().iter();
    VecSet::of(words.filter_map(|word| lookup.resource(&word.text))).into_keys()
}

/// One combination of the conditions inside `do`: its guard, and the actions then performed.
struct GuardCase<'r> {
    guard: Condition,
    actions: Vec<(&'r Word, Option<ForEach>)>,
}

/// Every combination of the conditions inside `do`. They are evaluated before the row is taken, so
/// each combination becomes a row.
fn guard_cases<'r>(
    lookup: &Lookup<'_>,
    (row, payload): (&'r raw::Row, &Pattern),
    comparisons: &[Option<Comparison>],
) -> Vec<GuardCase<'r>> {
    let own = row.condition.as_ref().map(|condition| guard(lookup, condition)).unwrap_or_default();
    let each = |at: usize| {
        let (number, one) = (0..).zip(&row.loops).find(|(_, one)| one.actions.contains(&at))?;
        Some(ForEach { collection: lookup.collection(&one.collection.text)?, number })
    };
    let all = || row.actions.iter().enumerate().map(|(at, word)| (at, (word, each(at))));
    if row.branches.is_empty() {
        return vec![GuardCase { guard: own, actions: all().map(|(_, entry)| entry).collect() }];
    }
    let answers = (0..1u32 << row.branches.len()).map(|bits| {
        let is_true = |nth: usize| bits >> nth & 1 == 1;
        let mut parts = vec![own.clone()];
        for (nth, branch) in row.branches.iter().enumerate() {
            let condition = guard(lookup, &branch.condition);
            parts.push(if is_true(nth) { condition } else { Condition::Not(Box::new(condition)) });
        }
        let is_done = |at: usize| {
            let mut branches = row.branches.iter().enumerate();
            branches.all(|(nth, branch)| is_true(nth) || !branch.actions.contains(&at))
        };
        let actions = all().filter(|(at, _)| is_done(*at));
        GuardCase {
            guard: Condition::All(parts),
            actions: actions.map(|(_, entry)| entry).collect(),
        }
    });
    let values = GuardValues::of(&lookup.vocabulary.variables, comparisons);
    let always = Condition::default();
    answers.filter(|case| cover::can_both(&values, (&case.guard, &always), payload)).collect()
}

/// Adds the actions of the state that a row leaves and of the one that it enters.
fn surround<'r>(
    lookup: &Lookup<'r>,
    (row, at): (&raw::Row, &ExpandedRow),
    actions: &mut Vec<(&'r Word, Option<ForEach>)>,
) {
    if row.to.text == "same" {
        return;
    }
    let state = |id: StateId| lookup.declaration(&lookup.vocabulary.states[id.index()].name);
    let words = |list: &'r Option<Vec<Word>>| list.iter().flatten().map(|word| (word, None));
    if let Some(from) = state(at.from) {
        actions.splice(..0, words(&from.exit));
    }
    if let Some(to) = state(at.to) {
        actions.extend(words(&to.entry));
    }
}

fn one(
    lookup: &Lookup<'_>,
    id: RowId,
    at: &ExpandedRow,
    case: GuardCase<'_>,
    states: &[Option<State>],
) -> Row {
    let source = held(states, at.from);
    let destination = held(states, at.to);
    let consumes = lookup.event(at.event).and_then(|event| event.consumes.as_deref());
    let consumes = consumes.unwrap_or_default().iter();
    let actions = case.actions.iter();
    Row {
        id,
        from: at.from,
        to: at.to,
        event: at.event,
        pattern: at.pattern.clone(),
        guard: case.guard,
        consumes: consumes.filter_map(|word| resolve(lookup, &word.text, &source).ok()).collect(),
        actions: actions
            .filter_map(|(word, each)| act(lookup, &word.text, *each, &source, &destination))
            .collect(),
    }
}

/// The resources that a state holds, always or sometimes.
pub(crate) fn held(states: &[Option<State>], id: StateId) -> Vec<ResourceId> {
    let state = states.get(id.index()).and_then(Option::as_ref);
    let both = state.map(|state| state.holds.iter().chain(&state.may_hold).copied().collect());
    both.unwrap_or_default()
}

/// Resolves the name of a resource, given those held; `Err` has the candidates unless there is
/// exactly one.
pub(crate) fn resolve(
    lookup: &Lookup<'_>,
    word: &str,
    held: &[ResourceId],
) -> Result<ResourceId, Vec<ResourceId>> {
    let Some(general) = lookup.general(word) else {
        return lookup.resource(word).ok_or_else(Vec::new);
    };
    let meant: Vec<ResourceId> = general.iter().copied().filter(|id| held.contains(id)).collect();
    match meant[..] {
        [one] => Ok(one),
        _ => Err(meant),
    }
}

fn act(
    lookup: &Lookup<'_>,
    name: &str,
    each: Option<ForEach>,
    source: &[ResourceId],
    destination: &[ResourceId],
) -> Option<ActionCall> {
    let action = lookup.action(name)?;
    let mut ops = Vec::new();
    if let Some(actions) = lookup.action_declaration(name) {
        let mut put = |words: &Option<Vec<Word>>, held: &[ResourceId], op: fn(ResourceId) -> Op| {
            let words = words.as_deref().unwrap_or_default().iter();
            ops.extend(words.filter_map(|word| resolve(lookup, &word.text, held).ok()).map(op));
        };
        put(&actions.abandons, source, Op::Abandon);
        put(&actions.deletes, source, Op::Delete);
        put(&actions.restarts, source, Op::Restart);
        put(&actions.creates, destination, Op::Create);
    }
    Some(ActionCall { action, ops, each })
}

fn guard(lookup: &Lookup<'_>, condition: &raw::Condition) -> Condition {
    let parts = |parts: &[raw::Condition]| parts.iter().map(|part| guard(lookup, part)).collect();
    match condition {
        raw::Condition::Is(word) => match lookup.guard(&word.text) {
            Some(id) => Condition::Is(id),
            None => Condition::default(),
        },
        raw::Condition::All(all) => Condition::All(parts(all)),
        raw::Condition::Any(any) => Condition::Any(parts(any)),
        raw::Condition::Not(part) => Condition::Not(Box::new(guard(lookup, part))),
    }
}

/// Cells of named states first; then those of `any`, for whatever is still unhandled.
fn cells(lookup: &Lookup<'_>, table: &mut Table) {
    table.cells = named_cells(lookup, false);
    let said = CellIndex::new(lookup.vocabulary, table);
    let mut wide: VecMap<StateId, VecMap<EventId, Vec<Cell>>> = VecMap::default();
    for cell in named_cells(lookup, true) {
        if said.never_rests(cell.state) {
            continue;
        }
        let earlier = wide.entry(cell.state).entry(cell.event);
        let mut pattern = said.unhandled(said.at(cell.state, cell.event), &cell.pattern);
        for other in earlier.iter() {
            pattern = pattern::minus(&pattern, &other.pattern);
        }
        if !pattern.0.is_empty() {
            earlier.push(Cell { pattern, ..cell });
        }
    }
    for (_, events) in wide.iter() {
        events.iter().for_each(|(_, cells)| table.cells.extend_from_slice(cells));
    }
}

/// The cells whose state is `any`, or those that name one.
fn named_cells(lookup: &Lookup<'_>, wide: bool) -> Vec<Cell> {
    let parts = &lookup.draft.parts;
    let mut cells = Vec::new();
    let sections = parts.cell_sections().into_iter();
    for (cell, kind) in sections.flat_map(|(_, kind, all)| all.iter().map(move |one| (one, kind))) {
        for word in cell.states.iter().filter(|word| (word.text == "any") == wide) {
            for state in lookup.sources(&word.text) {
                for event in &cell.events {
                    let Ok((event, pattern)) = pattern::event(&event.text, lookup.vocabulary)
                    else {
                        continue;
                    };
                    let because = cell.because.clone();
                    let (is_covered, span) = (wide, cell.span);
                    cells.push(Cell { state, event, pattern, kind, because, is_covered, span });
                }
            }
        }
    }
    cells
}
