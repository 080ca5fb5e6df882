//! Moves what stands in the rows nearer together, where a layout is wider than it may be.
//!
//! The order in each row stays, and so do the crossings. An upright stretch of an arrow stays
//! upright: it moves as one block.

use super::plan::{Placed, Plan};
use super::row::{Row, row_at};

/// Room between two boxes or labels of a row, and beside an arrow that passes.
const BESIDE: [f64; 2] = [16.0, 8.0];

/// Two points of an arrow that differ by less stand one below the other.
const UPRIGHT: f64 = 0.5;

/// Something that stands in a row.
#[derive(Clone, Copy, Debug)]
struct Item {
    row: usize,
    x: f64,
    width: f64,
    /// Half of the room on each side of it.
    beside: f64,
    part: Movable,
    block: usize,
}

#[derive(Clone, Copy, Debug)]
enum Movable {
    Box(usize),
    Point(usize, usize),
}

/// Makes a layout narrower, as near to a width as the order of its rows allows.
pub(crate) fn narrow(plan: &Plan, placed: &mut Placed, rows: &[Row], width: f64) {
    let mut items = items(plan, placed, rows);
    let left = items.iter().map(|item| item.x - item.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = items.iter().map(|item| item.x + item.width / 2.0).fold(0.0, f64::max);
    if items.is_empty() || right - left <= width {
        return;
    }
    items.sort_by(|a, b| a.row.cmp(&b.row).then(a.x.total_cmp(&b.x)));
    for item in &mut items {
        item.x = (item.x - left) * width / (right - left);
    }
    let x = Blocks::of(&items).within(width);
    for item in &items {
        let x = x[item.block];
        match item.part {
            Movable::Box(index) => placed.boxes[index].x = x,
            Movable::Point(arrow, place) => {
                let route = &mut placed.routes[arrow];
                if (route.points[place].y - route.label.y).abs() < UPRIGHT {
                    route.label.x = x;
                }
                route.points[place].x = x;
            }
        }
    }
}

/// What moves as one.
struct Blocks {
    /// Where each should be.
    wish: Vec<f64>,
    /// Half of its width.
    half: Vec<f64>,
    /// From left to right.
    order: Vec<usize>,
    /// What stands next to it on the left and on the right, and how far off at least.
    left: Vec<Vec<(usize, f64)>>,
    right: Vec<Vec<(usize, f64)>>,
}

impl Blocks {
    fn of(items: &[Item]) -> Self {
        let count = items.iter().map(|item| item.block).max().map_or(0, |most| most + 1);
        let mut blocks = Self {
            wish: vec![0.0; count],
            half: vec![0.0; count],
            order: (0..count).collect(),
            left: vec![Vec::new(); count],
            right: vec![Vec::new(); count],
        };
        for item in items {
            blocks.wish[item.block] = item.x;
            blocks.half[item.block] = blocks.half[item.block].max(item.width / 2.0);
        }
        for pair in items.windows(2).filter(|pair| pair[0].row == pair[1].row) {
            let far = (pair[0].width + pair[1].width) / 2.0 + pair[0].beside + pair[1].beside;
            blocks.right[pair[0].block].push((pair[1].block, far));
            blocks.left[pair[1].block].push((pair[0].block, far));
        }
        let wish = &blocks.wish;
        blocks.order.sort_by(|a, b| wish[*a].total_cmp(&wish[*b]));
        blocks
    }

    /// Where each stands, in a room of this width, or of the least that they need.
    fn within(&self, width: f64) -> Vec<f64> {
        let least = self.packed(|block| self.half[block]);
        let need = (0..least.len()).map(|block| least[block] + self.half[block]);
        let width = need.fold(width, f64::max);
        let mut most: Vec<f64> = self.half.iter().map(|half| width - half).collect();
        for block in self.order.iter().rev() {
            let room = self.right[*block].iter().map(|(right, far)| most[*right] - far);
            most[*block] = room.fold(most[*block], f64::min);
        }
        self.packed(|block| self.wish[block].min(most[block]).max(self.half[block]))
    }

    /// Where each stands that is put there, or as much farther right as those before it need.
    fn packed(&self, put: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut x = vec![0.0; self.order.len()];
        for block in &self.order {
            let least = self.left[*block].iter().map(|(left, far)| x[*left] + far);
            x[*block] = least.fold(put(*block), f64::max);
        }
        x
    }
}

fn items(plan: &Plan, placed: &Placed, rows: &[Row]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut block = 0;
    for (index, (at, size)) in placed.boxes.iter().zip(&plan.boxes).enumerate() {
        let (row, part) = (row_at(rows, at.y), Movable::Box(index));
        items.push(Item { row, x: at.x, width: size.width, beside: BESIDE[0] / 2.0, part, block });
        block += 1;
    }
    for (arrow, (route, link)) in placed.routes.iter().zip(&plan.arrows).enumerate() {
        for (place, at) in route.points.iter().enumerate() {
            if place > 0 && (at.x - route.points[place - 1].x).abs() > UPRIGHT {
                block += 1;
            }
            let is_label = link.label.width > 0.0 && (at.y - route.label.y).abs() < UPRIGHT;
            let width = if is_label { link.label.width } else { 0.0 };
            let (row, part) = (row_at(rows, at.y), Movable::Point(arrow, place));
            items.push(Item { row, x: at.x, width, beside: BESIDE[1] / 2.0, part, block });
        }
        block += 1;
    }
    // Each block's number is used: those of arrows without a point go.
    let mut used: Vec<usize> = items.iter().map(|item| item.block).collect();
    used.sort_unstable();
    used.dedup();
    for item in &mut items {
        item.block = used.binary_search(&item.block).expect("it is among them");
    }
    items
}
