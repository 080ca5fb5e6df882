//! Writes a diagram as SVG: a picture that needs no program, no font and no network to be seen.
//!
//! Where things stand is the layout's; how they look is the template's.

mod arrange;
mod icon;
mod legend;
mod path;

use askama::Template;

use crate::block::{Block, Look};
use crate::diagram::{Arrow, Cause, Diagram, Entry, Node, Phase};
use crate::layout::{Placed, Point, Size};
use crate::measure::Font;

use arrange::{Arranged, MARGIN, PAGE_WIDTH, arrange};
use icon::Icon;
use legend::{Key, Sign};
use path::Px;

/// Room above and below the title.
const HEAD: f64 = 14.0;

/// The picture is at least so wide, for title and legend.
const WIDTH_MIN: f64 = 620.0;

/// How high a drawing may be to be followed without much scrolling.
const PAGE_HEIGHT: f64 = 1200.0;

/// Of the title and of the lines under it, as in the style sheet.
const TITLE: Font = Font { size: 24.0, bold: true };
const SUBTITLE: Font = Font { size: 13.0, bold: false };

#[derive(Template)]
#[template(path = "diagram.svg")]
struct Page<'a> {
    header: &'a str,
    title: &'a str,
    heading: Vec<(&'static str, Px, String)>,
    left: Px,
    width: Px,
    height: Px,
    ways: Vec<Way>,
    dots: Vec<(Px, Px)>,
    shapes: Vec<Shape>,
    plates: Vec<Plate>,
    legend: Vec<Key>,
}

struct Way {
    title: String,
    class: &'static str,
    path: String,
    head: String,
}

struct Text {
    class: String,
    text: String,
    x: Px,
    y: Px,
}

struct Shape {
    title: String,
    class: String,
    x: Px,
    y: Px,
    width: Px,
    height: Px,
    inner: Option<(Px, Px, Px, Px)>,
    bars: Vec<(Px, Px)>,
    /// What the notes begin with.
    icons: Vec<Icon>,
    lines: Vec<Text>,
}

struct Plate {
    class: &'static str,
    x: Px,
    y: Px,
    width: Px,
    height: Px,
    bars: Vec<(Px, Px)>,
    lines: Vec<Text>,
}

/// The picture. The header says in a comment where it comes from.
#[must_use]
pub fn svg(diagram: &Diagram, header: &str) -> String {
    drawn(diagram, header).0
}

/// The picture, and whether it is larger than a page shows it, so that an overview stands there
/// instead.
pub(crate) fn drawn(diagram: &Diagram, header: &str) -> (String, bool) {
    let Arranged { boxes, labels, mut placed } = arrange(diagram);
    let width = WIDTH_MIN.max(placed.size.width + 2.0 * MARGIN);
    let (heading, head) = heading(diagram, width - 2.0 * MARGIN);
    let left = (width - placed.size.width) / 2.0;
    shift(&mut placed, left, head);
    let foot = head + placed.size.height + MARGIN;
    let (legend, height) = legend::legend(diagram, MARGIN, foot, width - MARGIN);
    let page = Page {
        header,
        title: &diagram.title,
        heading,
        left: Px(MARGIN),
        width: Px(width),
        height: Px(height + MARGIN),
        ways: ways(diagram, &placed),
        dots: placed.boxes[boxes.len()..].iter().map(|at| (Px(at.x), Px(at.y))).collect(),
        shapes: shapes(diagram, &placed, &boxes),
        plates: plates(diagram, &placed, &labels),
        legend,
    };
    let is_big = width > PAGE_WIDTH || placed.size.height > PAGE_HEIGHT;
    (page.render().expect("writing to a string does not fail"), is_big)
}

/// The lines of the title and below it, each with its base line, and how far down they reach.
fn heading(diagram: &Diagram, width: f64) -> (Vec<(&'static str, Px, String)>, f64) {
    let title = TITLE.wrap(&diagram.title, width).into_iter().map(|line| ("title", 30.0, line));
    let subtitle = SUBTITLE.wrap(&diagram.subtitle, width).into_iter();
    let subtitle = subtitle.map(|line| ("subtitle", 20.0, line));
    let mut y = HEAD;
    let mut lines = Vec::new();
    for (class, height, line) in title.chain(subtitle) {
        y += height;
        lines.push((class, Px(y), line));
    }
    (lines, y + HEAD)
}

fn shift(placed: &mut Placed, x: f64, y: f64) {
    let ways = placed.routes.iter_mut();
    let ways = ways.flat_map(|route| route.points.iter_mut().chain([&mut route.label]));
    for at in ways.chain(placed.boxes.iter_mut()) {
        at.x += x;
        at.y += y;
    }
}

fn cause_class(cause: Option<Cause>) -> &'static str {
    match cause {
        Some(Cause::Answer) => "answer",
        Some(Cause::Time) => "time",
        Some(Cause::Command) => "command",
        Some(Cause::Completion) => "mixed",
        None => "mixed",
    }
}

fn phase_class(phase: Phase) -> &'static str {
    match phase {
        Phase::Answer => "answer",
        Phase::Time => "time",
        Phase::Rest => "rest",
        Phase::End => "end",
        Phase::Undeclared => "undeclared",
        Phase::Several => "several",
    }
}

fn ways(diagram: &Diagram, placed: &Placed) -> Vec<Way> {
    let mut ways: Vec<(bool, Way)> = Vec::new();
    for (index, route) in placed.routes.iter().enumerate() {
        let arrow = diagram.arrows.get(index);
        let dim = arrow.is_some_and(|arrow| diagram.is_dim(arrow));
        let class = if dim { "dim" } else { cause_class(arrow.and_then(Arrow::cause)) };
        let title = arrow.map_or(String::new(), |arrow| way_title(diagram, arrow));
        let (path, head) = path::arrow(&route.points);
        ways.push((!dim, Way { title, class, path, head }));
    }
    // Dimmed ones first, so that the others run over them.
    ways.sort_by_key(|(over, _)| *over);
    ways.into_iter().map(|(_, way)| way).collect()
}

fn way_title(diagram: &Diagram, arrow: &Arrow) -> String {
    let rows: Vec<&str> = arrow.entries.iter().map(|entry| entry.row.as_str()).collect();
    let (from, to) = (&diagram.nodes[arrow.from].name, &diagram.nodes[arrow.to].name);
    format!("{from} → {to} (row {})", rows.join(", "))
}

fn shapes(diagram: &Diagram, placed: &Placed, boxes: &[Block]) -> Vec<Shape> {
    let all = diagram.nodes.iter().zip(&placed.boxes).zip(boxes);
    all.map(|((node, at), block)| shape(node, *at, block)).collect()
}

fn shape(node: &Node, at: Point, block: &Block) -> Shape {
    let Size { width, height } = block.size;
    let (x, y) = (at.x - width / 2.0, at.y - height / 2.0);
    let amended = if node.amended { " amended" } else { "" };
    let inset = 3.5;
    let inner = (Px(x + inset), Px(y + inset), Px(width - 2.0 * inset), Px(height - 2.0 * inset));
    Shape {
        title: if node.about.is_empty() { node.name.clone() } else { node.about.clone() },
        class: format!("{}{amended}", phase_class(node.phase)),
        x: Px(x),
        y: Px(y),
        width: Px(width),
        height: Px(height),
        inner: node.is_final().then_some(inner),
        bars: bars(&node.loops, block, y),
        icons: icons(node, block, x, y),
        lines: lines(block, at, |_| None),
    }
}

fn icons(node: &Node, block: &Block, left: f64, top: f64) -> Vec<Icon> {
    let notes = node.notes.iter().zip(&block.notes);
    notes
        .map(|(note, line)| Icon { kind: note.kind, x: Px(left + 12.0), y: Px(top + line) })
        .collect()
}

fn plates(diagram: &Diagram, placed: &Placed, labels: &[Block]) -> Vec<Plate> {
    let all = diagram.arrows.iter().zip(&placed.routes).zip(labels);
    all.map(|((arrow, route), block)| {
        let Size { width, height } = block.size;
        let (x, y) = (route.label.x - width / 2.0, route.label.y - height / 2.0);
        Plate {
            class: if diagram.is_dim(arrow) { "dim" } else { "full" },
            x: Px(x),
            y: Px(y),
            width: Px(width),
            height: Px(height),
            bars: bars(&arrow.entries, block, y),
            lines: lines(block, route.label, |entry| Some(arrow.entries.get(entry)?.cause)),
        }
    })
    .collect()
}

/// What an amendment changes, as stretches from the top.
fn bars(entries: &[Entry], block: &Block, top: f64) -> Vec<(Px, Px)> {
    let spans = entries.iter().zip(&block.spans);
    let spans = spans.filter(|(entry, _)| entry.amended_by.is_some());
    spans.map(|(_, (from, to))| (Px(top + from), Px(to - from))).collect()
}

fn lines(block: &Block, middle: Point, cause: impl Fn(usize) -> Option<Cause>) -> Vec<Text> {
    let text = |line: &crate::block::Line| {
        let at = block.point(line, middle);
        let cause = if line.look == Look::Event { cause(line.entry) } else { None };
        let class = match cause {
            Some(cause) => format!("{} {}", line.look.class(), cause_class(Some(cause))),
            None => line.look.class().to_owned(),
        };
        Text { class, text: line.text.clone(), x: Px(at.x), y: Px(at.y) }
    };
    block.lines.iter().map(text).collect()
}
