//! The tables of a check: from their files to the rules that a core runs.

pub(crate) mod choice;
pub(crate) mod embedded;
pub(crate) mod machine_table;
pub(crate) mod reads;
pub mod rules;
pub(crate) mod source_file;
