//! What a diagram's boxes and labels contain and where they stand: within the width at which a
//! page shows a picture, if they can.

use crate::block::{Block, Widths};
use crate::diagram::{Arrow, Diagram, Phase, View};
use crate::layout::{self, Edge, Placed, Plan, Size};

/// Room around the drawing.
pub(crate) const MARGIN: f64 = 24.0;

/// How wide a page on a forge shows a picture; a wider one is shown smaller.
pub(crate) const PAGE_WIDTH: f64 = 830.0;

/// The dot that a machine begins at.
const DOT: Size = Size { width: 14.0, height: 14.0 };

/// A diagram with everything in its place.
pub(crate) struct Arranged {
    pub(crate) boxes: Vec<Block>,
    pub(crate) labels: Vec<Block>,
    /// The boxes, then a dot for each initial state.
    pub(crate) placed: Placed,
}

/// The first layout that is narrow enough: with long lines, then with short lines. If none is,
/// a whole table has the layout with the least cost, any other view the narrowest one.
pub(crate) fn arrange(diagram: &Diagram) -> Arranged {
    let room = Some(PAGE_WIDTH - 2.0 * MARGIN);
    let is_narrow = |one: &Arranged| one.placed.size.width + 2.0 * MARGIN <= PAGE_WIDTH;
    let tries: &[(Widths, Option<f64>)] = match diagram.view {
        View::Whole => &[(Widths::LONG, room), (Widths::MIXED, room), (Widths::LONG, None)],
        View::Overview => &[(Widths::SHORT, room), (Widths::SHORTEST, room)],
        View::Focus(_) => &[(Widths::LONG, room), (Widths::SHORT, room), (Widths::SHORTEST, room)],
    };
    let mut last = None;
    for (widths, width_max) in tries {
        let arranged = with(diagram, *widths, *width_max);
        if is_narrow(&arranged) {
            return arranged;
        }
        last = Some(arranged);
    }
    last.expect("each view has its tries")
}

fn with(diagram: &Diagram, widths: Widths, width_max: Option<f64>) -> Arranged {
    let labels: Vec<Block> =
        diagram.arrows.iter().map(|arrow| Block::of_arrow(arrow, widths)).collect();
    let boxes = diagram.nodes.iter().enumerate();
    let boxes = boxes.map(|(index, node)| Block::of_node(node, ports(diagram, index), widths));
    let mut boxes: Vec<Block> = boxes.collect();
    let must_fit = diagram.view == View::Overview && widths != Widths::MIXED;
    let mut plan = Plan { width_max, must_fit, below: below(diagram), ..Plan::default() };
    plan.boxes.extend(boxes.iter().map(|block| block.size));
    for (arrow, label) in diagram.arrows.iter().zip(&labels) {
        let weight = if diagram.is_dim(arrow) { 1 } else { 3 };
        plan.arrows.push(Edge { from: arrow.from, to: arrow.to, label: label.size, weight });
    }
    if let View::Focus(middle) = diagram.view {
        let placed = layout::star(&mut plan, middle);
        for (block, size) in boxes.iter_mut().zip(&plan.boxes) {
            block.grow(*size);
        }
        return Arranged { boxes, labels, placed };
    }
    for (start, node) in diagram.nodes.iter().enumerate() {
        if node.initial {
            let from = plan.boxes.len();
            plan.boxes.push(DOT);
            plan.arrows.push(Edge { from, to: start, label: Size::default(), weight: 3 });
        }
    }
    Arranged { boxes, labels, placed: layout::place(&plan) }
}

/// How wide a box must be for its arrows to stand side by side.
fn ports(diagram: &Diagram, index: usize) -> f64 {
    if matches!(diagram.view, View::Focus(_)) {
        return 0.0;
    }
    let leaving = diagram.arrows.iter().filter(|arrow| arrow.from == index).count();
    let entering = diagram.arrows.iter().filter(|arrow| arrow.to == index).count();
    leaving.max(entering) as f64 * 11.0 + 12.0
}

/// A box that names several states stands below the one of them that is farthest from the
/// beginning.
fn below(diagram: &Diagram) -> Vec<(usize, usize)> {
    let depth = depths(diagram);
    let several = diagram.nodes.iter().enumerate();
    let several = several.filter(|(_, node)| node.phase == Phase::Several);
    let deepest = |names: &[String]| {
        let states = (0..depth.len()).filter(|at| names.contains(&diagram.nodes[*at].name));
        states.max_by_key(|state| depth[*state])
    };
    several.filter_map(|(index, node)| Some((deepest(&node.holds)?, index))).collect()
}

/// How many arrows lead to each state from the nearest initial one.
fn depths(diagram: &Diagram) -> Vec<usize> {
    let mut depth: Vec<Option<usize>> =
        diagram.nodes.iter().map(|node| node.initial.then_some(0)).collect();
    for far in 0..depth.len() {
        for Arrow { from, to, .. } in &diagram.arrows {
            if depth[*from] == Some(far) && depth[*to].is_none() {
                depth[*to] = Some(far + 1);
            }
        }
    }
    depth.into_iter().map(Option::unwrap_or_default).collect()
}
