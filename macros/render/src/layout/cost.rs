//! What a layout costs its reader: crossings most, then length, then paper.

use super::plan::{Placed, Plan, Point, Route};

/// What the crossing of two arrows of weight 1 costs, in pixels of length.
const CROSSING: f64 = 150.0;

/// Square pixels of paper that cost as much as one pixel of length.
const PAPER: f64 = 150.0;

/// What each pixel costs that the layout is wider than it may be.
const OVER: f64 = 10_000.0;

/// A straight piece of an arrow.
struct Piece {
    arrow: usize,
    from: Point,
    to: Point,
}

impl Piece {
    fn is_level(&self) -> bool {
        (self.from.y - self.to.y).abs() < 0.1
    }

    fn crosses(&self, other: &Self) -> bool {
        let (level, upright) = match (self.is_level(), other.is_level()) {
            (true, false) => (self, other),
            (false, true) => (other, self),
            _ => return false,
        };
        let within = |at: f64, a: f64, b: f64| a.min(b) < at && at < a.max(b);
        within(upright.from.x, level.from.x, level.to.x)
            && within(level.from.y, upright.from.y, upright.to.y)
    }
}

/// The cost; the smaller the better.
pub(crate) fn cost(plan: &Plan, placed: &Placed) -> f64 {
    let pieces: Vec<Piece> = placed.routes.iter().enumerate().flat_map(pieces).collect();
    let weight = |arrow: usize| f64::from(plan.arrows[arrow].weight);
    let length =
        |piece: &Piece| (piece.from.x - piece.to.x).abs() + (piece.from.y - piece.to.y).abs();
    let over = plan.width_max.map_or(0.0, |width| (placed.size.width - width).max(0.0));
    let mut cost = placed.size.width * placed.size.height / PAPER + over * OVER;
    for (place, piece) in pieces.iter().enumerate() {
        cost += length(piece) * weight(piece.arrow);
        for other in &pieces[place + 1..] {
            if piece.arrow != other.arrow && piece.crosses(other) {
                cost += CROSSING * (weight(piece.arrow) + weight(other.arrow)) / 2.0;
            }
        }
    }
    cost
}

fn pieces((arrow, route): (usize, &Route)) -> impl Iterator<Item = Piece> {
    route.points.windows(2).map(move |pair| Piece { arrow, from: pair[0], to: pair[1] })
}
