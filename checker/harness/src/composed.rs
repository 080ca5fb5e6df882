//! Systems of tables alone: every node runs the plain core over the table of its role, and the
//! properties are formulas of the file.
//!
//! No Rust belongs to such a system: guards without a formula are tried both ways, and what no
//! table says does not happen.

mod entry;
mod inherent;
mod predicate;
mod requests;
mod role_table;
mod system;
mod world;

pub use entry::entry;
pub use inherent::INHERENT;
pub use role_table::table_path;
