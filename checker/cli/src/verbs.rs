//! The verbs of the command line, one each.

pub(crate) mod amend;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod import;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod mutate;
pub(crate) mod new;
pub(crate) mod render;
pub(crate) mod replay;
pub(crate) mod schema;
