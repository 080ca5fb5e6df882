//! How an arrow runs: a port at each end, a straight way through each row, a level in each gap.

use super::frame::frame;
use super::level::{levels, turns};
use super::narrow::narrow;
use super::plan::{Placed, Plan, Point};
use super::port::{ports, snap};
use super::row::{Row, row_at, rows};

/// Room between two levels of a gap.
const LEVEL_GAP: f64 = 10.0;

/// Room between a row and the nearest level: an arrow's head fits.
const LEVEL_MARGIN: f64 = 19.0;

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
