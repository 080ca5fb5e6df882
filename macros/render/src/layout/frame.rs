//! How big a layout is.

use super::plan::{Placed, Plan, Size};

/// Moves everything to the corner and measures it.
pub(crate) fn frame(plan: &Plan, placed: &mut Placed) {
    let mut spans = Vec::new();
    for (at, size) in placed.boxes.iter().zip(&plan.boxes) {
        spans.push((*at, *size));
    }
    for (route, link) in placed.routes.iter().zip(&plan.arrows) {
        spans.push((route.label, link.label));
        spans.extend(route.points.iter().map(|at| (*at, Size { width: 8.0, height: 0.0 })));
    }
    let left = spans.iter().map(|(at, size)| at.x - size.width / 2.0).fold(f64::INFINITY, f64::min);
    let top = spans.iter().map(|(at, size)| at.y - size.height / 2.0).fold(f64::INFINITY, f64::min);
    let (left, top) = if spans.is_empty() { (0.0, 0.0) } else { (left, top) };
    for (at, size) in &spans {
        placed.size.width = placed.size.width.max(at.x + size.width / 2.0 - left);
        placed.size.height = placed.size.height.max(at.y + size.height / 2.0 - top);
    }
    let points = placed
        .routes
        .iter_mut()
        .flat_map(|route| route.points.iter_mut().chain(std::iter::once(&mut route.label)));
    for at in points.chain(placed.boxes.iter_mut()) {
        at.x -= left;
        at.y -= top;
    }
}
