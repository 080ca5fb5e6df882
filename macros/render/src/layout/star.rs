//! Boxes on both sides of one in the middle, each arrow level between a side and the middle, its
//! label above it.

use super::plan::{Placed, Plan, Point, Route, Size};

/// Room above and below what belongs to one arrow.
const SLOT_GAP: f64 = 8.0;

/// Room between two boxes of a side.
const BOX_GAP: f64 = 16.0;

/// Room between a label and the boxes beside it.
const LABEL_GAP: f64 = 10.0;

/// Lays a plan out around one of its boxes, to which and from which all of its arrows lead. What
/// the middle leads to stands on the right; what only leads to it, on the left. Where the arrows
/// of a side need a higher box, the plan's box becomes higher.
pub(crate) fn star(plan: &mut Plan, middle: usize) -> Placed {
    let is_right = |index: usize| plan.arrows.iter().any(|link| link.to == index);
    let others: Vec<usize> = (0..plan.boxes.len()).filter(|index| *index != middle).collect();
    let (right, left): (Vec<usize>, Vec<usize>) = others.iter().partition(|box_| is_right(**box_));
    let mut placed = Placed {
        boxes: vec![Point::default(); plan.boxes.len()],
        routes: vec![Route::default(); plan.arrows.len()],
        ..Placed::default()
    };
    for side in [&left, &right] {
        let widest = side.iter().map(|index| plan.boxes[*index].width).fold(0.0, f64::max);
        for index in side {
            let slots = slots(plan, *index).map(|arrow| slot(plan, arrow)).sum::<f64>();
            plan.boxes[*index].height = plan.boxes[*index].height.max(slots + SLOT_GAP);
            plan.boxes[*index].width = widest;
        }
    }
    let height = stack(plan, &left).max(stack(plan, &right)).max(plan.boxes[middle].height);
    plan.boxes[middle].height = height;
    let width = |side: &[usize]| side.first().map_or(0.0, |index| plan.boxes[*index].width);
    let left_edge = width(&left) + column(plan, &left);
    let right_edge = left_edge + plan.boxes[middle].width;
    let right_box = right_edge + column(plan, &right);
    placed.boxes[middle] = Point { x: (left_edge + right_edge) / 2.0, y: height / 2.0 };
    placed.size = Size { width: right_box + width(&right), height };
    let at_left = Side { states: &left, x: width(&left) / 2.0, ends: [width(&left), left_edge] };
    let x = right_box + width(&right) / 2.0;
    let at_right = Side { states: &right, x, ends: [right_box, right_edge] };
    put(plan, middle, &at_left, &mut placed);
    put(plan, middle, &at_right, &mut placed);
    placed
}

/// A side: its boxes, their middle, and where arrows end at them and at the middle.
struct Side<'a> {
    states: &'a [usize],
    x: f64,
    ends: [f64; 2],
}

/// Puts a side's boxes one below the other, and their arrows.
fn put(plan: &Plan, middle: usize, side: &Side<'_>, placed: &mut Placed) {
    let mut top = (placed.size.height - stack(plan, side.states)) / 2.0;
    for index in side.states {
        let height = plan.boxes[*index].height;
        placed.boxes[*index] = Point { x: side.x, y: top + height / 2.0 };
        let all: f64 = slots(plan, *index).map(|arrow| slot(plan, arrow)).sum();
        let mut y = top + (height - all) / 2.0;
        for arrow in slots(plan, *index) {
            y += slot(plan, arrow);
            let (link, line) = (plan.arrows[arrow], y - SLOT_GAP);
            let mut ends = side.ends.map(|x| Point { x, y: line });
            if link.from == middle {
                ends.reverse();
            }
            let label = Point {
                x: (side.ends[0] + side.ends[1]) / 2.0,
                y: line - link.label.height / 2.0 - 1.0,
            };
            placed.routes[arrow] = Route { points: ends.to_vec(), label };
        }
        top += height + BOX_GAP;
    }
}

/// The height of a side.
fn stack(plan: &Plan, side: &[usize]) -> f64 {
    let heights = side.iter().map(|index| plan.boxes[*index].height + BOX_GAP);
    (heights.sum::<f64>() - BOX_GAP).max(0.0)
}

/// The arrows of a box at the side.
fn slots(plan: &Plan, index: usize) -> impl Iterator<Item = usize> + '_ {
    let is_here =
        move |arrow: &usize| plan.arrows[*arrow].from == index || plan.arrows[*arrow].to == index;
    (0..plan.arrows.len()).filter(is_here)
}

/// How much height an arrow takes with its label.
fn slot(plan: &Plan, arrow: usize) -> f64 {
    plan.arrows[arrow].label.height + 2.0 * SLOT_GAP
}

/// Room between a side and the middle.
fn column(plan: &Plan, side: &[usize]) -> f64 {
    let labels = side.iter().flat_map(|index| slots(plan, *index));
    let widest = labels.map(|arrow| plan.arrows[arrow].label.width).fold(0.0, f64::max);
    if side.is_empty() { 0.0 } else { widest + 2.0 * LABEL_GAP }
}
