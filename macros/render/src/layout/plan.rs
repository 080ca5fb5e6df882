//! What is to be laid out, and what a layout is: points, sizes and ways.

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
    pub(crate) arrows: Vec<Edge>,
    /// How wide the whole should be at most.
    pub(crate) width_max: Option<f64>,
    /// Whether it is worth more trials that it is not wider.
    pub(crate) must_fit: bool,
    /// Pairs of boxes of which the second should stand below the first, though no arrow is drawn.
    pub(crate) below: Vec<(usize, usize)>,
}

/// An arrow to be laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
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
