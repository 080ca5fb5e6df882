//! The stable codes of faults. A code is never reused for another fault; [`crate::explain`] has a
//! page on each.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*
        /// Every code, in order.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

codes! {
    /// The text is not YAML, or not one document.
    NOT_YAML = "T001";
    /// More than a named limit allows.
    LIMIT = "T002";
    /// An anchor, alias, merge key or tag.
    ANCHOR = "T003";
    /// A key written twice.
    DUPLICATE_KEY = "T004";
    /// A key that the language does not know.
    UNKNOWN_KEY = "T005";
    /// A key that must be there.
    MISSING_KEY = "T006";
    /// A value of another kind.
    WRONG_SHAPE = "T007";
    /// A comma that cut a value in two.
    COMMA = "T008";
    /// A payload whose values cannot be read.
    BAD_PAYLOAD = "T009";
    /// A state that nothing declares.
    UNDECLARED_STATE = "T010";
    /// An event that nothing declares.
    UNDECLARED_EVENT = "T011";
    /// An action that nothing declares.
    UNDECLARED_ACTION = "T012";
    /// A resource that nothing declares.
    UNDECLARED_RESOURCE = "T013";
    /// A guard that nothing declares.
    UNDECLARED_GUARD = "T014";
    /// Two names with one Rust spelling.
    COLLISION = "T015";
    /// A name without a Rust spelling, or one that means something else.
    BAD_NAME = "T016";
    /// A predicate, collection, rule, state or set of a formula that nothing declares.
    UNDECLARED_PREDICATE = "T017";
    /// A variable that stands for nothing, or for two things.
    VARIABLE = "T018";
    /// A predicate, collection or rule that is given more or fewer things than it speaks of.
    ARGUMENTS = "T019";
    /// A row written twice.
    DUPLICATE_ROW = "T020";
    /// Two rows that take the same event.
    CONFLICT = "T021";
    /// Cells of which nothing is said.
    MISSING_CELL = "T022";
    /// A cell that is said twice.
    CELL_TWICE = "T023";
    /// A pattern with values that the event cannot carry.
    OUTSIDE = "T024";
    /// A pattern without a value.
    EMPTY = "T025";
    /// A pattern that says nothing.
    UNREADABLE = "T026";
    /// A formula that cannot be read or that asks for itself.
    FORMULA = "T027";
    /// An entry of `do` that is no action, condition or loop, or a loop that cannot be.
    LOOP = "T028";
    /// Cells that `any` covers, and that look forgotten.
    COVERED = "T029";
    /// A state that no run comes to.
    UNREACHABLE = "T030";
    /// A state that nothing leaves and that is not final.
    NO_WAY_OUT = "T031";
    /// A row out of a final state.
    OUT_OF_FINAL = "T032";
    /// No state to begin in, or several.
    INITIAL = "T033";
    /// A resource that is left behind.
    LEAK = "T040";
    /// A resource that is taken and not held.
    NOT_HELD = "T041";
    /// A resource that is created and held already.
    CREATED_TWICE = "T042";
    /// A general word that means none or several.
    AMBIGUOUS = "T043";
    /// A resource that the destination holds and the row does not bring.
    NOT_BROUGHT = "T044";
    /// A resource that a state lists twice.
    HELD_TWICE = "T045";
    /// A timer that a state holds and whose firing no row of the state takes.
    TIMER_NOT_TAKEN = "T046";
    /// A declaration that nothing uses.
    UNUSED = "T050";
    /// A line that is cited and excused.
    CITED = "T051";
    /// A selector that hits nothing.
    SELECTS_NOTHING = "T060";
    /// A selector that hits several rows.
    SELECTS_SEVERAL = "T061";
    /// Two amendments of one thing.
    AMENDED_TWICE = "T062";
    /// An amendment that changes nothing.
    NO_EFFECT = "T063";
    /// An amendment that needs what is not there, or itself.
    NEEDS = "T064";
    /// Two amendments of one name.
    ID_TWICE = "T065";
    /// An amendment that adds what is there.
    ADDS_KNOWN = "T066";
    /// A formula or a loop that asks what nobody can answer.
    ASKED_OF = "T067";
    /// A role that a system does not declare.
    UNKNOWN_ROLE = "T080";
    /// A link or a time relation that does not name two roles or timers.
    BAD_RELATION = "T081";
    /// A key that is not in a system's `set`.
    UNKNOWN_SETTING = "T082";
    /// A link that nothing bounds.
    NO_CAPACITY = "T083";
    /// A property without its kind, or with several.
    PROPERTY_KIND = "T084";
    /// Two properties of one name.
    PROPERTY_TWICE = "T085";
    /// A property that the system does not declare.
    UNKNOWN_PROPERTY = "T086";
    /// A budget that a property speaks of and no world has.
    UNKNOWN_BUDGET = "T087";
    /// A system with nothing to search, or a property that no world checks.
    UNCHECKED = "T088";
    /// A `without` that can excuse nothing.
    EXCUSE = "T089";
    /// A name that the compiled core does not know: the checker's to say, never the reader's.
    NOT_COMPILED = "T090";
    /// A value of a setting that the system cannot take: the checker's to say, never the reader's.
    BAD_SETTING = "T091";
    /// A survivor that is none: the checker's to say, never the reader's.
    NO_SURVIVOR = "T092";
}
