//! Coordinates and curves as SVG writes them.

use std::fmt;
use std::ops::Add;

use crate::layout::Point;

/// How round a corner is, at most.
const RADIUS: f64 = 12.0;

/// How long an arrow's head is.
const HEAD: f64 = 8.0;

/// A number of pixels, written to a tenth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Px(pub(crate) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let (sign, whole, part) =
            (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
        if part == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{part}") }
    }
}

impl Add<f64> for Px {
    type Output = Self;

    fn add(self, other: f64) -> Self {
        Self(self.0 + other)
    }
}

/// An arrow through its corners, each rounded, and its head.
pub(crate) fn arrow(points: &[Point]) -> (String, String) {
    let ([first, ..], [.., before, last]) = (points, points) else {
        return (String::new(), String::new());
    };
    let mut path = format!("M{} {}", Px(first.x), Px(first.y));
    for three in points.windows(3) {
        let radius = (distance(three[0], three[1]) / 2.0).min(distance(three[1], three[2]) / 2.0);
        let radius = radius.min(RADIUS);
        let (into, out) = (toward(three[1], three[0], radius), toward(three[1], three[2], radius));
        path += &format!("L{} {}Q{} {} ", Px(into.x), Px(into.y), Px(three[1].x), Px(three[1].y));
        path += &format!("{} {}", Px(out.x), Px(out.y));
    }
    let neck = toward(*last, *before, HEAD - 1.0);
    path += &format!("L{} {}", Px(neck.x), Px(neck.y));
    let back = |from: f64, to: f64| if to < from { HEAD } else { -HEAD };
    let tip = format!("M{} {}", Px(last.x), Px(last.y));
    let head = if (last.x - before.x).abs() > (last.y - before.y).abs() {
        format!("{tip}l{} -4.5v9z", Px(back(before.x, last.x)))
    } else {
        format!("{tip}l-4.5 {}h9z", Px(back(before.y, last.y)))
    };
    (path, head)
}

fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// The point so far from one toward another.
fn toward(from: Point, to: Point, far: f64) -> Point {
    let whole = distance(from, to);
    let part = if whole > 0.0 { (far / whole).min(1.0) } else { 0.0 };
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}
