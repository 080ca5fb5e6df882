//! A diagram around one state: its rows complete, and of the other states those that they lead
//! from and to.

use crate::diagram::{Diagram, Node, View};

/// What is drawn around a state; `None` where the diagram has no state of that name.
#[must_use]
pub fn focus(diagram: &Diagram, state: &str) -> Option<Diagram> {
    let middle = diagram.nodes.iter().position(|node| node.name == state)?;
    let mut arrows = diagram.arrows.clone();
    arrows.retain(|arrow| arrow.from == middle || arrow.to == middle);
    let is_drawn = |index: usize| {
        index == middle || arrows.iter().any(|arrow| arrow.from == index || arrow.to == index)
    };
    let drawn: Vec<usize> = (0..diagram.nodes.len()).filter(|index| is_drawn(*index)).collect();
    let place = |state: usize| drawn.binary_search(&state).expect("both ends are drawn");
    let neighbour = |node: &Node| Node {
        holds: Vec::new(),
        loops: Vec::new(),
        initial: false,
        amended: false,
        ..node.clone()
    };
    for arrow in &mut arrows {
        (arrow.from, arrow.to) = (place(arrow.from), place(arrow.to));
    }
    let nodes = drawn.iter().map(|index| match &diagram.nodes[*index] {
        node if *index == middle => node.clone(),
        node => neighbour(node),
    });
    Some(Diagram {
        title: format!("{}: the state {state}", diagram.title),
        nodes: nodes.collect(),
        arrows,
        view: View::Focus(place(middle)),
        ..diagram.clone()
    })
}
