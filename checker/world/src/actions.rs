//! The actions of a state: which are enabled, and what they do.

pub(crate) mod apply;
pub(crate) mod calls;
pub(crate) mod discharge;
pub(crate) mod enabled;
pub(crate) mod successors;
pub(crate) mod time_relations;
pub(crate) mod transitions;
