//! The stable codes of diagnostics. A code is never reused with another meaning. turnstile-manual
//! has a page on each.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*
        /// Every code, in order.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

codes! {
    /// Invalid YAML.
    NOT_YAML = "T001";
    /// Limit exceeded.
    LIMIT = "T002";
    /// An anchor, alias, merge key or tag.
    ANCHOR = "T003";
    /// Duplicate key.
    DUPLICATE_KEY = "T004";
    /// Unknown key.
    UNKNOWN_KEY = "T005";
    /// Missing key.
    MISSING_KEY = "T006";
    /// Value of the wrong type.
    WRONG_TYPE = "T007";
    /// Unquoted comma.
    UNQUOTED_COMMA = "T008";
    /// Invalid payload.
    INVALID_PAYLOAD = "T009";
    /// Undeclared state.
    UNDECLARED_STATE = "T010";
    /// Undeclared event.
    UNDECLARED_EVENT = "T011";
    /// Undeclared action.
    UNDECLARED_ACTION = "T012";
    /// Undeclared resource.
    UNDECLARED_RESOURCE = "T013";
    /// Undeclared guard.
    UNDECLARED_GUARD = "T014";
    /// Two names with one Rust identifier.
    COLLISION = "T015";
    /// Invalid name.
    INVALID_NAME = "T016";
    /// Undeclared name in a formula or a loop.
    UNDECLARED_PREDICATE = "T017";
    /// Unbound or shadowed variable.
    VARIABLE = "T018";
    /// Wrong number of arguments.
    ARGUMENTS = "T019";
    /// Duplicate row.
    DUPLICATE_ROW = "T020";
    /// Conflicting rows.
    CONFLICTING_ROWS = "T021";
    /// Unhandled event.
    UNHANDLED_EVENT = "T022";
    /// Cell declared twice.
    DUPLICATE_CELL = "T023";
    /// Pattern out of range.
    PATTERN_RANGE = "T024";
    /// Empty pattern.
    EMPTY_PATTERN = "T025";
    /// Invalid pattern.
    INVALID_PATTERN = "T026";
    /// Invalid formula.
    INVALID_FORMULA = "T027";
    /// Invalid entry of `do`.
    INVALID_ACTIONS = "T028";
    /// `any` covers cells that may lack a row.
    COVERED_CELLS = "T029";
    /// Unreachable state.
    UNREACHABLE = "T030";
    /// Non-final state without an exit.
    NO_EXIT = "T031";
    /// Row from a final state.
    ROW_FROM_FINAL = "T032";
    /// No initial state.
    INITIAL_STATE = "T033";
    /// Command declared impossible.
    IMPOSSIBLE_COMMAND = "T034";
    /// Cells that the document leaves open.
    UNSPECIFIED = "T035";
    /// Cycle of rows without an event.
    COMPLETION_CYCLE = "T036";
    /// Row or cell of a state that rows without an event leave at once.
    LEFT_AT_ONCE = "T037";
    /// Rows without an event leave an initial state.
    INITIAL_LEFT = "T038";
    /// Resource leak.
    RESOURCE_LEAK = "T040";
    /// Resource used but not held.
    NOT_HELD = "T041";
    /// Resource created while held.
    CREATED_WHILE_HELD = "T042";
    /// Generic resource name matches none or several.
    AMBIGUOUS_RESOURCE = "T043";
    /// Resource held but not created.
    NOT_CREATED = "T044";
    /// Resource listed twice by a state.
    HOLDS_TWICE = "T045";
    /// Unhandled timer.
    UNHANDLED_TIMER = "T046";
    /// Unused declaration.
    UNUSED = "T050";
    /// Line cited and listed as uncited.
    CITED_AND_UNCITED = "T051";
    /// Amendment matches nothing.
    MATCHES_NOTHING = "T060";
    /// Amendment matches several rows.
    MATCHES_SEVERAL = "T061";
    /// Conflicting amendments.
    CONFLICTING_AMENDMENTS = "T062";
    /// Amendment without effect.
    NO_EFFECT = "T063";
    /// Unknown or cyclic `needs`.
    INVALID_NEEDS = "T064";
    /// Duplicate amendment id.
    DUPLICATE_ID = "T065";
    /// Amendment adds an existing name.
    ADDS_EXISTING = "T066";
    /// Formula or loop without an evaluator.
    NO_EVALUATOR = "T067";
    /// Invalid use of a variable.
    INVALID_VARIABLE = "T068";
    /// Placeholder instead of a reason.
    PLACEHOLDER = "T069";
    /// Undeclared role.
    UNKNOWN_ROLE = "T080";
    /// Invalid link name or time relation.
    INVALID_RELATION = "T081";
    /// Unknown setting.
    UNKNOWN_SETTING = "T082";
    /// Link without a capacity.
    NO_CAPACITY = "T083";
    /// Property without exactly one kind.
    PROPERTY_KIND = "T084";
    /// Duplicate property name.
    DUPLICATE_PROPERTY = "T085";
    /// Undeclared property.
    UNKNOWN_PROPERTY = "T086";
    /// Unknown budget.
    UNKNOWN_BUDGET = "T087";
    /// Nothing to check.
    NOTHING_TO_CHECK = "T088";
    /// `without` has no effect.
    WITHOUT_EFFECT = "T089";
    /// A name unknown to the compiled core. The checker reports it, never the reader.
    NOT_COMPILED = "T090";
    /// A value that a setting does not accept. The checker reports it, never the reader.
    INVALID_SETTING = "T091";
    /// An entry of `survivors` that does not survive. The checker reports it, never the reader.
    NOT_SURVIVING = "T092";
    /// Message without a receiver, or with several.
    NO_ROUTE = "T093";
    /// A table or a world that no search can run. The checker reports it, never the reader.
    NOT_RUNNABLE = "T094";
}

/// Those that the checker reports, and never the reader.
pub const OF_THE_CHECKER: [&str; 5] =
    [NOT_COMPILED, INVALID_SETTING, NOT_SURVIVING, NO_ROUTE, NOT_RUNNABLE];
