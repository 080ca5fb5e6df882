//! The rows that boxes and labels stand in.

use super::plan::{Placed, Plan};

/// A row of boxes and labels, in pixels from the top.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// What is added to everything in it, once the gaps are known.
    pub(crate) shift: f64,
}

/// The rows, from what stands in them.
pub(crate) fn rows(plan: &Plan, placed: &Placed) -> Vec<Row> {
    let boxes = plan.boxes.iter().zip(&placed.boxes).map(|(size, at)| (at.y, size.height));
    let labels = plan.arrows.iter().zip(&placed.routes);
    let labels = labels.filter(|(link, _)| link.label.height > 0.0);
    let labels = labels.map(|(link, route)| (route.label.y, link.label.height));
    let mut spans: Vec<(f64, f64)> =
        boxes.chain(labels).map(|(y, height)| (y - height / 2.0, y + height / 2.0)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rows: Vec<Row> = Vec::new();
    for (top, bottom) in spans {
        match rows.last_mut() {
            Some(row) if top < row.bottom => row.bottom = row.bottom.max(bottom),
            _ => rows.push(Row { top, bottom, shift: 0.0 }),
        }
    }
    rows
}

/// The row at a height, or the nearest one above it.
pub(crate) fn row_at(rows: &[Row], y: f64) -> usize {
    rows.partition_point(|row| row.top <= y).saturating_sub(1)
}
