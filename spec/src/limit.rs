//! Every bound of the reader, by name. Never read from the environment: a file means the same to
//! all.

/// The largest file, in bytes.
pub const FILE_BYTES: usize = 1 << 20;
/// How deep YAML collections may nest.
pub const NESTING: usize = 24;
/// The longest name of a state, event, action, resource, guard or machine, in bytes.
pub const NAME_BYTES: usize = 200;
/// Entries of `states`, `events`, `actions`, `resources`, `guards` or `sets`, each.
pub const NAMES: usize = 1_000;
/// Written rows of a table, those of its amendments included.
pub const ROWS: usize = 4_000;
/// Rows after `from` and `event` lists are written out.
pub const EXPANDED_ROWS: usize = 20_000;
/// Entries of `ignore` and `impossible`, each written out per state and event.
pub const CELLS: usize = 40_000;
/// Amendments of a table.
pub const AMENDMENTS: usize = 400;
/// Guards that one cell's rows may ask together: conflicts are decided over all their answers.
pub const CELL_GUARDS: usize = 10;
/// Faults of one file that are kept; the rest are counted.
pub const FAULTS: usize = 400;
/// Rows that one state and event may have: conflicts are decided for every two of them.
pub const CELL_ROWS: usize = 50;
/// Names and connectives of one condition.
pub const CONDITION: usize = 32;
/// Names, connectives and quantifiers of one rule or invariant.
pub const FORMULA: usize = 200;
/// Things that one formula speaks of at once: parameters and variables.
pub const VARIABLES: usize = 8;
/// Values, ranges and classes of one pattern.
pub const PATTERN: usize = 32;
/// Conditions inside one `do`.
pub const BRANCHES: usize = 4;
/// Entries of one `do`.
pub const ACTIONS: usize = 64;
/// Resources that the rows, lists and sets written out, consume, create and delete.
pub const OPS: usize = 100_000;
/// Entries of `uncited`, their lists of lines written out.
pub const UNCITED: usize = 2_000;
/// Entries of `survivors`, their lists of rows and changes written out.
pub const SURVIVORS: usize = 2_000;
/// Nodes of one role of a system.
pub const NODES: u32 = 8;
/// Messages, or calls, that one link of a system may carry at once.
pub const CAPACITY: u32 = 255;
/// Budgets of one world.
pub const BUDGETS: u32 = 16;
/// How often a budget may let something happen, where that is bounded.
pub const BUDGET: u32 = 14;
/// States that the help of one fault lists.
pub const LISTED: usize = 40;
