//! Which row a box stands in and in which order: dagre's work. Heights are not yet final.

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::{Placed, Plan, Point, Route};

/// Room between two boxes or labels of a row.
const BETWEEN_BOXES: f64 = 20.0;

/// Room between two arrows that pass a row side by side.
const BETWEEN_ARROWS: f64 = 16.0;

/// Room between two rows; the routes make it what they need.
const BETWEEN_ROWS: f64 = 100.0;

/// Lays out with the arrows given in this order, which decides where dagre cuts cycles.
pub(crate) fn rank(plan: &Plan, order: &[usize]) -> Placed {
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
            ..EdgeLabel::default()
        };
        let name = index.to_string();
        graph.set_edge(link.from.to_string(), link.to.to_string(), Some(label), Some(&name));
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
