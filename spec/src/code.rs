//! The stable codes of faults. A code is never reused for another fault.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $code;)*
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
    /// A comma that split a name in a flow row.
    COMMA = "T008";
    /// Another version of the language.
    LANGUAGE = "T009";
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
    /// A selector that hits no literal row.
    SELECTS_NOTHING = "T060";
    /// A selector that hits several.
    SELECTS_SEVERAL = "T061";
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
}
