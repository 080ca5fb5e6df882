//! Where each box stands and how each arrow runs. Pure arithmetic: no text, no colour, no machine.
//!
//! Boxes and labels stand in rows, one below the other. An arrow goes straight down (or up) through
//! each row it passes and turns only in the gap between two rows, on a level that it shares with no
//! arrow it would touch. So no arrow crosses a box or a label of another arrow.

mod cost;
mod frame;
mod level;
mod narrow;
mod plan;
mod port;
mod rank;
mod route;
mod row;
mod star;

pub(crate) use plan::{Edge, Placed, Plan, Point, Size};
pub(crate) use star::star;

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
