//! An SVG as its reader sees it: areas, texts and lines, in pixels.

use std::collections::BTreeMap;

use turnstile_render::measure::Font;

/// A smaller difference, in pixels, is not visible.
const HAIR: f64 = 0.6;

/// Coordinates are written to a tenth of a pixel.
const TENTH: f64 = 0.15;

/// A point, from the left and from the top.
type Point = (f64, f64);

/// A rectangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    /// Whether the two share more than a border.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.left + HAIR < other.right
            && other.left + HAIR < self.right
            && self.top + HAIR < other.bottom
            && other.top + HAIR < self.bottom
    }

    pub(super) fn is_in(&self, whole: &Self) -> bool {
        whole.left <= self.left + HAIR
            && self.right <= whole.right + HAIR
            && whole.top <= self.top + HAIR
            && self.bottom <= whole.bottom + HAIR
    }

    /// Whether a line of level and upright pieces runs through the inside.
    pub(super) fn is_crossed_by(&self, line: &[Point]) -> bool {
        line.windows(2).any(|pair| {
            let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
            ax.min(bx) < self.right - HAIR
                && self.left + HAIR < ax.max(bx)
                && ay.min(by) < self.bottom - HAIR
                && self.top + HAIR < ay.max(by)
        })
    }

    /// Whether a point is in it or on its border.
    pub(super) fn touches(&self, (x, y): Point) -> bool {
        (self.left - HAIR..=self.right + HAIR).contains(&x)
            && (self.top - HAIR..=self.bottom + HAIR).contains(&y)
    }
}

/// Whether a piece of a line runs level or upright.
pub(super) fn is_straight(pair: &[Point]) -> bool {
    let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
    (ax - bx).abs() < HAIR || (ay - by).abs() < TENTH
}

/// A line of text.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) words: String,
    pub(super) size: f64,
    pub(super) area: Area,
    /// The box or label that it belongs to, or the whole.
    pub(super) inside: Area,
}

/// An arrow from its beginning to its tip.
#[derive(Debug)]
pub(super) struct Arrow {
    /// Empty where it begins at a dot.
    pub(super) title: String,
    pub(super) points: Vec<Point>,
}

/// A picture.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) whole: Area,
    pub(super) boxes: Vec<Area>,
    pub(super) labels: Vec<Area>,
    pub(super) texts: Vec<Text>,
    pub(super) arrows: Vec<Arrow>,
    /// Where a machine begins.
    pub(super) dots: Vec<Area>,
}

impl Picture {
    /// Reads what `svg` writes: one element after the other, groups not nested.
    pub(super) fn read(svg: &str) -> Self {
        let (head, body) = svg.split_once("</style>").expect("a picture has a style");
        let light = head.split("@media").next().expect("split gives one part at least");
        let (mut inside, mut is_legend, mut title) = (None, false, String::new());
        let root = head.split("<svg ").nth(1).expect("a picture has a root");
        let whole = area(&attributes(&format!("x=\"0\" y=\"0\" {root}")));
        let mut picture = Self {
            whole,
            boxes: Vec::new(),
            labels: Vec::new(),
            texts: Vec::new(),
            arrows: Vec::new(),
            dots: Vec::new(),
        };
        for element in body.split('<').skip(1) {
            let (tag, words) = element.split_once('>').expect("a tag ends");
            let attributes = attributes(tag);
            let class = attributes.get("class").copied().unwrap_or_default();
            let first = class.split(' ').next().expect("split gives one part at least");
            match (tag.split(' ').next().expect("split gives one part at least"), first) {
                ("g", _) => (inside, is_legend) = (None, class == "legend"),
                ("rect", "box") if !is_legend && inside.is_none() => {
                    inside = Some(area(&attributes));
                    picture.boxes.extend(inside);
                }
                ("rect", "plate") => {
                    inside = Some(area(&attributes));
                    picture.labels.extend(inside.filter(|area| area.right > area.left));
                }
                ("title", _) => title = unescaped(words),
                ("path", "way") if !is_legend => {
                    let (title, points) = (title.clone(), points(attributes["d"]));
                    picture.arrows.push(Arrow { title, points });
                }
                ("path", "head") if !is_legend => {
                    let (tip, _) = attributes["d"].split_once('l').expect("a head has sides");
                    let arrow = picture.arrows.last_mut().expect("a head ends an arrow");
                    arrow.points.extend(points(tip));
                }
                ("circle", "dot") if !is_legend => picture.dots.push(dot(&attributes)),
                ("text", _) => {
                    let inside = inside.unwrap_or(whole);
                    picture.texts.push(text(light, &attributes, words, inside));
                }
                _ => {}
            }
        }
        picture
    }
}

fn attributes(tag: &str) -> BTreeMap<&str, &str> {
    let mut attributes = BTreeMap::new();
    let mut rest = tag;
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        let name = name.rsplit(' ').next().expect("split gives one part at least");
        attributes.entry(name).or_insert(value);
        rest = after;
    }
    attributes
}

fn number(attributes: &BTreeMap<&str, &str>, name: &str) -> f64 {
    attributes[name].parse().expect("a number of pixels")
}

fn area(attributes: &BTreeMap<&str, &str>) -> Area {
    let [left, top, width, height] =
        ["x", "y", "width", "height"].map(|name| number(attributes, name));
    Area { left, top, right: left + width, bottom: top + height }
}

fn dot(attributes: &BTreeMap<&str, &str>) -> Area {
    let [x, y, radius] = ["cx", "cy", "r"].map(|name| number(attributes, name));
    Area { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
}

/// A text as large as the style sheet makes it.
fn text(style: &str, attributes: &BTreeMap<&str, &str>, words: &str, inside: Area) -> Text {
    let classes: Vec<&str> = attributes["class"].split(' ').collect();
    let rules: Vec<&str> = style.lines().filter(|rule| applies(rule, &classes)).collect();
    let size = rules.iter().find_map(|rule| {
        let (_, after) = rule.split_once("font-size: ")?;
        after.split_once("px")?.0.parse::<f64>().ok()
    });
    let size = size.unwrap_or_else(|| panic!("no size for {classes:?}"));
    let bold = rules.iter().any(|rule| rule.contains("font-weight: bold"));
    let starts = rules.iter().any(|rule| rule.contains("text-anchor: start"));
    let words = unescaped(words);
    let width = Font { size, bold }.width(&words);
    let (x, y) = (number(attributes, "x"), number(attributes, "y"));
    let left = if starts { x } else { x - width / 2.0 };
    let area = Area { left, top: y - 0.72 * size, right: left + width, bottom: y + 0.15 * size };
    Text { words, size, area, inside }
}

/// Whether a rule is for one of these classes: `.name {`, `.holds, .does {` or `.tag.left {`.
fn applies(rule: &str, classes: &[&str]) -> bool {
    let Some((selectors, _)) = rule.split_once(" {") else { return false };
    selectors.split(", ").any(|selector| {
        let mut names = selector.split('.').skip(1).peekable();
        selector.starts_with('.') && names.peek().is_some() && names.all(|n| classes.contains(&n))
    })
}

fn unescaped(words: &str) -> String {
    let signs = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    signs.iter().fold(words.to_owned(), |words, (sign, letter)| words.replace(sign, letter))
}

/// The corners of a path; a curve is taken through the corner that it rounds.
fn points(path: &str) -> Vec<Point> {
    let plain = path.replace(['M', 'L', 'Q'], " ");
    let numbers: Vec<f64> =
        plain.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}
