//! The limits of the reader. They are constants, not settings, so that a file is valid everywhere
//! or nowhere.

/// The largest file, in bytes.
pub const FILE_BYTES: usize = 1 << 20;
/// The maximum nesting depth of YAML collections.
pub const NESTING: usize = 24;
/// The longest name of a state, event, action, resource, guard or machine, in bytes.
pub const NAME_BYTES: usize = 200;
/// Entries of `states`, `events`, `actions`, `resources`, `guards` or `sets`, each.
pub const NAMES: usize = 1_000;
/// Rows of a table as written, including those of its amendments.
pub const ROWS: usize = 4_000;
/// Rows after lists in `from` and `event` are expanded.
pub const EXPANDED_ROWS: usize = 20_000;
/// Cells of `ignore` and `impossible`, expanded to one per state and event.
pub const CELLS: usize = 40_000;
/// Amendments of a table.
pub const AMENDMENTS: usize = 400;
/// Guards of the rows of one cell: conflicts are decided over all combinations of their values.
pub const CELL_GUARDS: usize = 10;
/// Comparisons of variables that are evaluated to relate the guards of some rows: one for each
/// combination of the values that matter. With more, each guard may be true or false by itself.
pub const COMPARED: usize = 50_000;
/// Diagnostics of one file that are reported; the rest are dropped.
pub const DIAGNOSTICS: usize = 400;
/// Rows of one state and event: conflicts are decided for every pair.
pub const CELL_ROWS: usize = 50;
/// Names and connectives of one condition.
pub const CONDITION: usize = 32;
/// Names, connectives and quantifiers of one rule or invariant.
pub const FORMULA: usize = 200;
/// Variables in the scope of one formula, including its parameters.
pub const VARIABLES: usize = 8;
/// Values, ranges and classes of one pattern.
pub const PATTERN: usize = 32;
/// Conditions inside one `do`.
pub const BRANCHES: usize = 4;
/// Entries of one `do`.
pub const ACTIONS: usize = 64;
/// Operations on resources of all rows, after lists and sets are expanded.
pub const OPS: usize = 100_000;
/// Entries of `uncited`, their lists of lines expanded.
pub const UNCITED: usize = 2_000;
/// Entries of `survivors`, their lists of rows and changes expanded.
pub const SURVIVORS: usize = 2_000;
/// Nodes of one role of a system.
pub const NODES: u32 = 8;
/// The capacity of one link of a system, in messages or requests.
pub const CAPACITY: u32 = 255;
/// Budgets of one world.
pub const BUDGETS: u32 = 16;
/// The largest number of a budget that is not `any`.
pub const BUDGET: u32 = 14;
/// States listed in the help of one diagnostic.
pub const LISTED: usize = 40;
