//! What every layout must be, tried on graphs of all sizes and on chance.

use super::{Link, Placed, Plan, Point, Size, best_of, place};

/// Every trial must be right, not only the best of many.
const TRIALS: usize = 3;

/// A rectangle.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn of(at: Point, size: Size) -> Self {
        let (half_width, half_height) = (size.width / 2.0, size.height / 2.0);
        Self {
            left: at.x - half_width,
            top: at.y - half_height,
            right: at.x + half_width,
            bottom: at.y + half_height,
        }
    }

    fn between(a: Point, b: Point) -> Self {
        Self { left: a.x.min(b.x), top: a.y.min(b.y), right: a.x.max(b.x), bottom: a.y.max(b.y) }
    }

    /// Whether the two share more than an edge.
    fn meets(&self, other: &Self) -> bool {
        let hair = 0.01;
        self.left < other.right - hair
            && other.left < self.right - hair
            && self.top < other.bottom - hair
            && other.top < self.bottom - hair
    }

    fn touches(&self, at: Point) -> bool {
        let hair = 0.01;
        (self.left - hair..=self.right + hair).contains(&at.x)
            && (self.top - hair..=self.bottom + hair).contains(&at.y)
    }
}

#[track_caller]
fn check(plan: &Plan, what: &str) {
    let placed = best_of(plan, TRIALS);
    let boxes = areas(plan, &placed);
    for (index, area) in boxes.iter().enumerate() {
        let whole =
            Area { left: 0.0, top: 0.0, right: placed.size.width, bottom: placed.size.height };
        assert!(
            whole.left <= area.left + 0.01 && area.right <= whole.right + 0.01,
            "{what}: {index}"
        );
        assert!(
            whole.top <= area.top + 0.01 && area.bottom <= whole.bottom + 0.01,
            "{what}: {index}"
        );
        for (other, area_of_other) in boxes.iter().enumerate().skip(index + 1) {
            assert!(!area.meets(area_of_other), "{what}: {index} and {other} overlap");
        }
    }
    for (arrow, (route, link)) in placed.routes.iter().zip(&plan.arrows).enumerate() {
        let (first, last) = (route.points[0], route.points[route.points.len() - 1]);
        assert!(boxes[link.from].touches(first), "{what}: {arrow} does not leave its box");
        assert!(boxes[link.to].touches(last), "{what}: {arrow} does not enter its box");
        for pair in route.points.windows(2) {
            let piece = Area::between(pair[0], pair[1]);
            let upright = (pair[0].x - pair[1].x).abs() < 0.5;
            assert!(upright || (pair[0].y - pair[1].y).abs() < 0.01, "{what}: {arrow} is askew");
            for (index, area) in boxes.iter().enumerate() {
                let own = index == plan.boxes.len() + arrow;
                assert!(own || !crosses(&piece, area), "{what}: {arrow} crosses {index}");
            }
        }
    }
    let again = best_of(plan, TRIALS);
    assert_eq!(placed.routes, again.routes, "{what}: twice is not the same");
}

/// Whether a line runs through the inside; along the border is no crossing.
fn crosses(line: &Area, area: &Area) -> bool {
    let border = 0.5;
    line.left < area.right - border
        && area.left + border < line.right
        && line.top < area.bottom - border
        && area.top + border < line.bottom
}

/// Boxes, then labels.
fn areas(plan: &Plan, placed: &Placed) -> Vec<Area> {
    let boxes = placed.boxes.iter().zip(&plan.boxes).map(|(at, size)| Area::of(*at, *size));
    let labels = placed.routes.iter().zip(&plan.arrows);
    boxes.chain(labels.map(|(route, link)| Area::of(route.label, link.label))).collect()
}

/// A plan by chance: a fixed sequence from a seed.
fn chance(seed: u64, boxes: usize, arrows: usize) -> Plan {
    let mut state = seed;
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut size = |wide: usize, high: usize| Size {
        width: 30.0 + next(wide) as f64,
        height: 16.0 + next(high) as f64,
    };
    let boxes_of: Vec<Size> = (0..boxes).map(|_| size(120, 50)).collect();
    let mut plan = Plan { boxes: boxes_of, ..Plan::default() };
    let sizes: Vec<Size> = (0..arrows).map(|_| size(120, 60)).collect();
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    for label in sizes {
        let (from, step) = (next(boxes), next(boxes - 1) + 1);
        let to = (from + step) % boxes;
        let is_known = |link: &Link| (link.from, link.to) == (from, to);
        if !plan.arrows.iter().any(is_known) {
            plan.arrows.push(Link { from, to, label, weight: 1 + u8::from(next(2) == 0) });
        }
    }
    plan
}

#[test]
fn nothing_to_lay_out_is_laid_out() {
    check(&Plan::default(), "nothing");
}

#[test]
fn a_box_alone_stands_in_the_corner() {
    let plan = Plan { boxes: vec![Size { width: 40.0, height: 20.0 }], ..Plan::default() };
    check(&plan, "one");
    assert_eq!(place(&plan).boxes, [Point { x: 20.0, y: 10.0 }]);
}

#[test]
fn arrows_there_and_back_do_not_meet() {
    let size = Size { width: 60.0, height: 30.0 };
    let link = |from, to| Link { from, to, label: size, weight: 1 };
    let plan =
        Plan { boxes: vec![size, size], arrows: vec![link(0, 1), link(1, 0)], ..Plan::default() };
    check(&plan, "two");
}

#[test]
fn no_arrow_crosses_a_box_or_a_label() {
    for seed in 0..40 {
        let boxes = 2 + seed as usize % 12;
        let plan = chance(seed, boxes, boxes * 2);
        check(&plan, &format!("seed {seed}"));
        let narrow = Plan { width_max: Some(400.0), must_fit: seed % 2 == 0, ..plan };
        check(&narrow, &format!("seed {seed}, narrow"));
    }
}

#[test]
fn a_big_graph_is_laid_out_too() {
    check(&chance(7, 40, 90), "big");
}
