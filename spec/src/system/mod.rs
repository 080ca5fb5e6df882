//! System files: how machines are composed for model checking. The checker defines the predicates
//! of the properties and the meaning of the budgets.

pub mod composition;
mod exemptions;
mod formula;
mod model;
mod property;
mod read;
mod requests;
mod role_table;
mod route;
pub mod saved;
mod sense;
pub(crate) mod shape;
mod time;

use crate::diagnostic::Diagnostics;
use crate::source::Source;
use crate::yaml::{self, Tree};

pub use shape::SYSTEM;

pub use model::{
    Budget, Count, Failure, LinkKind, LinkSpec, Property, PropertyKind, Receiver, Role, Route,
    Saved, Setting, System, TableVersion, TimeRelation, Timer, WhenFull, World,
};

impl System {
    /// Reads a system file: the system, or all its errors.
    pub fn read(source: Source) -> Result<Self, Diagnostics> {
        let tree = yaml::parse(&source);
        Self::of(source, tree)
    }

    /// The system of a file's tree.
    pub(crate) fn of(source: Source, tree: Tree) -> Result<Self, Diagnostics> {
        read::system(source, tree)
    }
}
