//! How an arrow runs: a port at each end, a straight way through each row, a level in each gap.

use super::frame::frame;
use super::level::{levels, turns};
use super::narrow::narrow;
use super::port::{ports, snap};
use super::{Placed, Plan, Point};

/// Room between two levels of a gap.
const LEVEL_GAP: f64 = 10.0;

/// Room between a row and the nearest level: an arrow's head fits.
const LEVEL_MARGIN: f64 = 19.0;

/// A row of boxes and labels, in pixels from the top.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    top: f64,
    bottom: f64,
    /// What is added to everything in it, once the gaps are known.
    shift: f64,
}

/// Turns dagre's points into arrows that touch nothing, and closes the gaps to what they need.
pub(crate) fn route(plan: &Plan, placed: &mut Placed) {
    let mut rows = rows(plan, placed);
    straighten(placed, &rows);
    if let Some(width) = plan.width_max {
        narrow(plan, placed, &rows, width);
    }
    snap(placed, &ports(plan, placed));
    // Once more: a port follows its arrow where there is room.
    let ports = ports(plan, placed);
    let ways: Vec<Vec<(usize, f64)>> =
        (0..plan.arrows.len()).map(|arrow| way(plan, placed, &rows, arrow, ports[arrow])).collect();
    let mut turns = turns(&ways);
    let levels = levels(&mut turns, rows.len());
    close(&mut rows, &levels);
    let row_of = |y: f64| rows[row_at(&rows, y)];
    for at in &mut placed.boxes {
        at.y += row_of(at.y).shift;
    }
    for (arrow, way) in ways.iter().enumerate() {
        let link = &plan.arrows[arrow];
        let route = &mut placed.routes[arrow];
        route.label.y += row_of(route.label.y).shift;
        let down = way.first() < way.last();
        let end = |index: usize, below: bool| {
            let half = plan.boxes[index].height / 2.0;
            placed.boxes[index].y + if below { half } else { -half }
        };
        let mut points = vec![Point { x: ports[arrow][0], y: end(link.from, down) }];
        for pair in way.windows(2) {
            let gap = pair[0].0.min(pair[1].0);
            let turn = turns.iter().find(|turn| turn.arrow == arrow && turn.gap == gap);
            let Some(turn) = turn.filter(|turn| !turn.is_straight()) else { continue };
            let bottom = rows[gap].bottom + rows[gap].shift;
            let y = bottom + LEVEL_MARGIN + turn.level as f64 * LEVEL_GAP;
            points.extend([Point { x: pair[0].1, y }, Point { x: pair[1].1, y }]);
        }
        points.push(Point { x: ports[arrow][1], y: end(link.to, !down) });
        route.points = points;
    }
    frame(plan, placed);
}

/// The rows, from what stands in them.
fn rows(plan: &Plan, placed: &Placed) -> Vec<Row> {
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

/// Drops dagre's ends, and its points where there is no row.
fn straighten(placed: &mut Placed, rows: &[Row]) {
    for route in &mut placed.routes {
        let last = route.points.len().saturating_sub(1);
        let mut place = 0;
        route.points.retain(|at| {
            let is_inner = place > 0 && place < last;
            place += 1;
            is_inner && at.y <= rows[row_at(rows, at.y)].bottom
        });
    }
}

/// The rows an arrow passes, and where.
fn way(
    plan: &Plan,
    placed: &Placed,
    rows: &[Row],
    arrow: usize,
    ports: [f64; 2],
) -> Vec<(usize, f64)> {
    let link = &plan.arrows[arrow];
    let mut way = vec![(row_at(rows, placed.boxes[link.from].y), ports[0])];
    way.extend(placed.routes[arrow].points.iter().map(|at| (row_at(rows, at.y), at.x)));
    way.push((row_at(rows, placed.boxes[link.to].y), ports[1]));
    way
}

/// Moves the rows together or apart, so that each gap is as high as its levels.
fn close(rows: &mut [Row], levels: &[usize]) {
    let mut y = 0.0;
    for (row, levels) in rows.iter_mut().zip(levels) {
        row.shift = y - row.top;
        let gap = 2.0 * LEVEL_MARGIN + (levels.saturating_sub(1)) as f64 * LEVEL_GAP;
        y += row.bottom - row.top + gap;
    }
}
