//! Where arrows leave and enter a box: side by side on its upper and lower edge.

use super::plan::{Placed, Plan, Point, Size};

/// Room between two ports of a box, at most.
const PORT_GAP: f64 = 14.0;

/// Room between a box's corner and its first port.
const PORT_MARGIN: f64 = 10.0;

/// A turn no wider than this is left out; two arrows or labels that both move so far stay apart.
const HAIR: f64 = 6.0;

/// A port: the arrow, which end of it, where it wants to be, where it is.
#[derive(Clone, Copy, Debug)]
struct Port {
    at: usize,
    below: bool,
    wish: f64,
    arrow: usize,
    enters: bool,
}

/// Where each arrow leaves and enters: beside one another, straight on where there is room.
pub(crate) fn ports(plan: &Plan, placed: &Placed) -> Vec<[f64; 2]> {
    let mut all = Vec::new();
    for (arrow, link) in plan.arrows.iter().enumerate() {
        let points = &placed.routes[arrow].points;
        let (from, to) = (placed.boxes[link.from], placed.boxes[link.to]);
        let next = points.first().copied().unwrap_or(to);
        let prior = points.last().copied().unwrap_or(from);
        let below = |at: Point, other: Point| other.y > at.y;
        all.push(Port {
            at: link.from,
            below: below(from, next),
            wish: next.x,
            arrow,
            enters: false,
        });
        all.push(Port { at: link.to, below: below(to, prior), wish: prior.x, arrow, enters: true });
    }
    all.sort_by(|a, b| {
        (a.at, a.below)
            .cmp(&(b.at, b.below))
            .then(a.wish.total_cmp(&b.wish))
            .then(a.arrow.cmp(&b.arrow))
    });
    let mut ports = vec![[0.0; 2]; plan.arrows.len()];
    for side in all.chunk_by(|a, b| (a.at, a.below) == (b.at, b.below)) {
        let (at, size) = (placed.boxes[side[0].at], plan.boxes[side[0].at]);
        for (port, x) in side.iter().zip(spread(side, at, size)) {
            ports[port.arrow][usize::from(port.enters)] = x;
        }
    }
    ports
}

/// Where the ports of one side go: where they wish, but a gap apart and on the box.
fn spread(side: &[Port], at: Point, size: Size) -> Vec<f64> {
    let steps = (side.len() as f64 - 1.0).max(1.0);
    let room = (size.width - 2.0 * PORT_MARGIN).max(0.0);
    let gap = (room / steps).min(PORT_GAP);
    let (low, high) = (at.x - room / 2.0, at.x + room / 2.0);
    let mut least = low;
    let places = side.iter().enumerate().map(|(place, port)| {
        let most = high - (side.len() - 1 - place) as f64 * gap;
        let x = port.wish.max(least).min(most);
        least = x + gap;
        x
    });
    places.collect()
}

/// Moves an arrow that would turn by a hair straight over its port, its label with it: over the
/// farther one where both are near, since that one could not come nearer.
pub(crate) fn snap(placed: &mut Placed, ports: &[[f64; 2]]) {
    for (route, [from, to]) in placed.routes.iter_mut().zip(ports) {
        let last = route.points.len().saturating_sub(1);
        let label = route.label.y;
        for (place, at) in route.points.iter_mut().enumerate() {
            let ends = [(place == 0, *from), (place == last, *to)];
            let far = |x: f64| (at.x - x).abs();
            let near = ends.into_iter().filter(|(is_next, x)| *is_next && far(*x) <= HAIR);
            let Some((_, x)) = near.max_by(|(_, a), (_, b)| far(*a).total_cmp(&far(*b))) else {
                continue;
            };
            at.x = x;
            if (at.y - label).abs() < 0.5 {
                route.label.x = x;
            }
        }
    }
}
