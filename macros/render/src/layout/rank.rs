//! Which row a box stands in and in which order: dagre's work. Heights are not yet final.

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::plan::{Placed, Plan, Point, Route};

/// Room between two boxes or labels of a row.
const BETWEEN_BOXES: f64 = 20.0;

/// Room between two arrows that pass a row side by side.
const BETWEEN_ARROWS: f64 = 16.0;

/// Room between two rows; the routes make it what they need.
const BETWEEN_ROWS: f64 = 100.0;

/// Lays out with the arrows given in this order, which decides where dagre cuts cycles.
pub(crate) fn rank(plan: &Plan, order: &[usize], trial: usize) -> Placed {
    let mut graph: Graph<NodeLabel, EdgeLabel> =
        Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
    for (index, size) in plan.boxes.iter().enumerate() {
        let (width, height) = (size.width, size.height);
        graph
            .set_node(index.to_string(), Some(NodeLabel { width, height, ..NodeLabel::default() }));
    }
    for index in order {
        let link = &plan.arrows[*index];
        let label = EdgeLabel {
            width: link.label.width,
            height: link.label.height,
            labelpos: LabelPos::Center,
            weight: i32::from(link.weight),
            minlen: rows(plan, *index, trial),
            ..EdgeLabel::default()
        };
        let name = index.to_string();
        graph.set_edge(link.from.to_string(), link.to.to_string(), Some(label), Some(&name));
    }
    for (above, below) in &plan.below {
        let (above, below) = (above.to_string(), below.to_string());
        graph.set_edge(above, below, Some(EdgeLabel::default()), Some("below"));
    }
    let options = LayoutOptions {
        nodesep: BETWEEN_BOXES,
        edgesep: BETWEEN_ARROWS,
        ranksep: BETWEEN_ROWS,
        ..LayoutOptions::default()
    };
    dagre::layout(&mut graph, Some(options));
    read(plan, &graph)
}

/// How many rows an arrow spans at least: where the layout is to be narrow, in every other trial
/// some span two, so that their labels need not stand side by side.
fn rows(plan: &Plan, arrow: usize, trial: usize) -> i32 {
    let is_shuffled = plan.width_max.is_some() && trial % 2 == 1;
    let mixed = (arrow * 7919 + trial * 104_729) / 13 % 7;
    if is_shuffled && mixed > 3 { 2 } else { 1 }
}

fn read(plan: &Plan, graph: &Graph<NodeLabel, EdgeLabel>) -> Placed {
    let point = |x: Option<f64>, y: Option<f64>| Point {
        x: x.unwrap_or_default(),
        y: y.unwrap_or_default(),
    };
    let boxes = (0..plan.boxes.len())
        .map(|index| graph.node(&index.to_string()).map_or(Point::default(), |n| point(n.x, n.y)))
        .collect();
    let routes = plan.arrows.iter().enumerate().map(|(index, link)| {
        let (from, to) = (link.from.to_string(), link.to.to_string());
        let Some(edge) = graph.edge(&from, &to, Some(&index.to_string())) else {
            return Route::default();
        };
        let points = edge.points.iter().map(|at| Point { x: at.x, y: at.y }).collect();
        Route { points, label: point(edge.x, edge.y) }
    });
    Placed { boxes, routes: routes.collect(), ..Placed::default() }
}
