//! What a table has for one state and event: rows and cells.

use crate::table::{Cell, Row};
use crate::vec_map::VecSet;

/// The rows and cells of one state and event, each with its position in the table.
#[derive(Clone, Debug, Default)]
pub struct CellEntry<'t> {
    /// With their positions in [`Table::rows`](crate::table::Table::rows).
    pub rows: Vec<(usize, &'t Row)>,
    /// With their positions in [`Table::cells`](crate::table::Table::cells).
    pub cells: Vec<(usize, &'t Cell)>,
}

impl CellEntry<'_> {
    /// Splits a range of payload numbers, both ends included, wherever a pattern begins or ends:
    /// within a piece every number matches the same rows and cells.
    #[must_use]
    pub fn pieces(&self, (least, greatest): (u16, u16)) -> Vec<(u16, u16)> {
        let rows = self.rows.iter().map(|(_, row)| &row.pattern);
        let patterns = rows.chain(self.cells.iter().map(|(_, cell)| &cell.pattern));
        let mut starts = VecSet::of([least]);
        for range in patterns.flat_map(|pattern| &pattern.0) {
            starts.add(*range.start());
            starts.add_all(range.end().checked_add(1));
        }
        let mut starts = starts.into_keys();
        starts.retain(|start| (least..=greatest).contains(start));
        let ends = starts.iter().skip(1).map(|next| next - 1).chain([greatest]);
        starts.iter().copied().zip(ends).collect()
    }
}
