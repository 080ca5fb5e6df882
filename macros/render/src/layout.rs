//! Where each box stands and how each arrow runs. Pure arithmetic: no text, no colour, no machine.
//!
//! Boxes and labels stand in rows, one below the other. An arrow goes straight down (or up) through
//! each row it passes and turns only in the gap between two rows, on a level that it shares with no
//! arrow it would touch. So no arrow crosses a box or a label of another arrow.

mod cost;
mod frame;
mod level;
mod narrow;
mod port;
mod rank;
mod route;
mod star;
#[cfg(test)]
mod tests;

pub(crate) use star::star;

/// A point, in pixels from the left and from the top.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    /// From the left.
    pub(crate) x: f64,
    /// From the top.
    pub(crate) y: f64,
}

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    /// From left to right.
    pub(crate) width: f64,
    /// From top to bottom.
    pub(crate) height: f64,
}

/// What is to be laid out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The size of each box.
    pub(crate) boxes: Vec<Size>,
    /// The arrows.
    pub(crate) arrows: Vec<Link>,
    /// How wide the whole should be at most.
    pub(crate) width_max: Option<f64>,
    /// Whether it is worth more trials that it is not wider.
    pub(crate) must_fit: bool,
    /// Pairs of boxes of which the second should stand below the first, though no arrow is drawn.
    pub(crate) below: Vec<(usize, usize)>,
}

/// An arrow to be laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The box it leaves.
    pub(crate) from: usize,
    /// The box it enters, another one.
    pub(crate) to: usize,
    /// The size of its label; zero where it has none.
    pub(crate) label: Size,
    /// How much it matters that the arrow is short and crosses no other.
    pub(crate) weight: u8,
}

/// An arrow in its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Route {
    /// From the source's border to the destination's, with a corner at each point between.
    pub(crate) points: Vec<Point>,
    /// The middle of its label.
    pub(crate) label: Point,
}

/// Everything in its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    /// The size of the whole.
    pub(crate) size: Size,
    /// The middle of each box.
    pub(crate) boxes: Vec<Point>,
    /// The arrows, in the order of the plan.
    pub(crate) routes: Vec<Route>,
}

/// A small graph is laid out so many times, each time with its arrows in another order.
const TRIALS_MAX: usize = 40;

/// All trials together look at about so many arrows.
const TRIAL_ARROWS: usize = 2_400;

/// Where none of the trials is narrow enough, there are so many times more.
const MORE_TRIALS: usize = 3;

/// Where the best of the first trials is so many times too wide, no other will do.
const HOPELESS: f64 = 1.2;
const HOPELESS_TRIALS: usize = 8;

/// The best of many ways to lay a plan out; always the same one.
pub(crate) fn place(plan: &Plan) -> Placed {
    best_of(plan, (TRIAL_ARROWS / plan.arrows.len().max(1)).clamp(1, TRIALS_MAX))
}

fn best_of(plan: &Plan, trials: usize) -> Placed {
    let mut best: Option<(f64, Placed)> = None;
    for trial in 0..trials * if plan.must_fit { MORE_TRIALS } else { 1 } {
        let over = best.as_ref().map_or(0.0, |(_, placed)| over(plan, placed));
        if (trial >= HOPELESS_TRIALS && over > HOPELESS) || (trial >= trials && over <= 1.0) {
            break;
        }
        let mut placed = rank::rank(plan, &shuffled(plan.arrows.len(), trial), trial);
        route::route(plan, &mut placed);
        let cost = cost::cost(plan, &placed);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, placed));
        }
    }
    best.map(|(_, placed)| placed).unwrap_or_default()
}

/// How many times as wide a layout is as it may be.
fn over(plan: &Plan, placed: &Placed) -> f64 {
    plan.width_max.map_or(0.0, |width| placed.size.width / width)
}

/// The order of arrows in a trial: as drawn, backwards, then shuffled by a fixed sequence.
fn shuffled(arrows: usize, trial: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..arrows).collect();
    if trial == 1 {
        order.reverse();
    }
    if trial < 2 {
        return order;
    }
    let mut state = trial as u64;
    for place in (1..order.len()).rev() {
        // Knuth's MMIX generator; its upper bits are the good ones.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = (state >> 33) as usize % (place + 1);
        order.swap(place, other);
    }
    order
}
