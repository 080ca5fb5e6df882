//! What the importer makes of documents: whole ones, the one of a bundled table, cells, and noise.

mod cells;
mod claim;
mod documents;
mod robust;
