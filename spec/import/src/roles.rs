//! From the words of a header to the meaning of its columns, and from the columns to the kind of
//! table.

use crate::grid::{Grid, words};

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The number of the row, or a reference.
    Number,
    /// A state; of a table with a destination, the source.
    State,
    Source,
    Destination,
    Event,
    /// An event, or a guard where another column has the event.
    Condition,
    Guard,
    Actions,
    About,
    /// What a state holds.
    Holds,
    /// `initial` or `final`; `command` or `message`.
    Kind,
    /// Why a cell of `--cells` has no row.
    Because,
    /// None of these.
    Unknown,
}

/// The words that mean a role, the more special ones first. Of a header with several words one is
/// enough.
const WORDS: [(Role, &[&str]); 12] = [
    (
        Role::Destination,
        &[
            "destination",
            "next",
            "target",
            "to",
            "new",
            "resulting",
            "goto",
            "successor",
            "after",
            "dest",
            "post",
        ],
    ),
    (
        Role::Source,
        &[
            "source", "from", "current", "present", "old", "previous", "origin", "before", "src",
            "pre",
        ],
    ),
    (Role::Because, &["because", "reason", "why", "justification"]),
    (Role::Guard, &["guard", "guards", "constraint", "predicate", "if"]),
    (
        Role::Event,
        &[
            "event", "events", "trigger", "triggers", "input", "inputs", "stimulus", "message",
            "on", "cause",
        ],
    ),
    (Role::Condition, &["condition", "conditions", "when"]),
    (
        Role::Holds,
        &["holds", "associated", "data", "resources", "timer", "timers", "requests", "held"],
    ),
    (
        Role::Actions,
        &[
            "action",
            "actions",
            "output",
            "outputs",
            "effect",
            "effects",
            "do",
            "response",
            "operations",
            "activity",
        ],
    ),
    (Role::About, &["description", "about", "meaning", "semantics", "explanation"]),
    (Role::Kind, &["kind", "type"]),
    (Role::State, &["state", "states", "status", "name"]),
    (
        Role::Number,
        &[
            "number",
            "no",
            "nr",
            "id",
            "row",
            "ref",
            "reference",
            "document",
            "line",
            "lines",
            "amended",
        ],
    ),
];

/// The role of a column by its header.
pub(crate) fn role(header: &str) -> Role {
    let words = words(header);
    if words.is_empty() {
        return if header.trim() == "#" { Role::Number } else { Role::Unknown };
    }
    // A sentence is no name of a column, and so is no event of a grid taken for one.
    if words.len() > 4 {
        return Role::Unknown;
    }
    // "Old state", "New state", "Next state"; "end state" and "start state" need both words.
    if words.iter().any(|word| word.starts_with("state")) {
        let has = |word: &str| words.iter().any(|known| known == word);
        if has("end") || has("final") {
            return Role::Destination;
        }
        if has("start") || has("initial") {
            return Role::Source;
        }
    }
    let means = |(_, known): &&(Role, &[&str])| words.iter().any(|word| known.contains(&&**word));
    WORDS.iter().find(means).map_or(Role::Unknown, |(role, _)| *role)
}

/// Whether a header of these words stands above conditions, and not above events.
pub(crate) fn are_conditions(header: &[String]) -> bool {
    header.iter().any(|word| word.starts_with("condition") || word == "when")
}

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// A row for each transition.
    Transitions,
    States,
    Events,
    Actions,
    /// Perhaps a grid of states and events: its cells decide.
    Matrix,
    Other,
}

/// The roles of a table's columns.
#[derive(Clone, Debug)]
pub(crate) struct Roles(pub(crate) Vec<Role>);

impl Roles {
    pub(crate) fn of(grid: &Grid) -> Self {
        let mut roles: Vec<Role> = grid.header.cells.iter().map(|cell| role(&cell.text)).collect();
        let has = |roles: &[Role], role| roles.contains(&role);
        let becomes = |roles: &mut [Role], from, to| {
            roles.iter_mut().filter(|role| **role == from).for_each(|role| *role = to);
        };
        if has(&roles, Role::Destination) {
            if !has(&roles, Role::Source) {
                becomes(&mut roles, Role::State, Role::Source);
            }
            let other = if has(&roles, Role::Event) { Role::Guard } else { Role::Event };
            becomes(&mut roles, Role::Condition, other);
            if !has(&roles, Role::Event) {
                becomes(&mut roles, Role::Guard, Role::Event);
            }
            // "Timers" of a table of transitions are what its rows do with them.
            becomes(&mut roles, Role::Holds, Role::Actions);
        }
        Self(roles)
    }

    /// The first column of a role.
    pub(crate) fn column(&self, role: Role) -> Option<usize> {
        self.0.iter().position(|known| *known == role)
    }

    fn count(&self, role: Role) -> usize {
        self.0.iter().filter(|known| **known == role).count()
    }

    pub(crate) fn kind(&self, grid: &Grid) -> TableKind {
        let has = |role| self.column(role).is_some();
        let first = grid.header.cells.first().map_or_else(Vec::new, |cell| words(&cell.text));
        let names = |word: &str| first.iter().any(|known| known.starts_with(word));
        let is_once = |role| self.count(role) < 2;
        let is_list = [Role::Source, Role::Destination, Role::Event].into_iter().all(is_once);
        if names("state") && (names("event") || names("input")) {
            return TableKind::Matrix;
        }
        if has(Role::Destination) && has(Role::Source) && has(Role::Event) && is_list {
            return TableKind::Transitions;
        }
        let is_described = has(Role::About) || has(Role::Holds) || has(Role::Kind);
        let is_of_cells = has(Role::Event) || has(Role::Because);
        let is_alone = self.0.len() == 1;
        let first = self.0.iter().find(|role| **role != Role::Number);
        match first {
            Some(Role::State) if is_of_cells => TableKind::Other,
            Some(Role::State) if is_described || is_alone => TableKind::States,
            Some(Role::Event) if is_described => TableKind::Events,
            Some(Role::Actions) if is_described => TableKind::Actions,
            _ if self.0.len() > 1 && !grid.body.is_empty() => TableKind::Matrix,
            Some(_) | None => TableKind::Other,
        }
    }
}
