//! What a reader must be able to rely on in every picture: nothing covers anything else, and on a
//! page no text is too small. Read from the SVG itself, as a browser reads it.

mod chance;
mod seen;

use turnstile_spec::{Source, WrittenTable};

use super::drawn;
use crate::diagram::{Cause, Diagram, Entry, Node, Phase, View};
use crate::{Sheet, draw, focus, overview};

use seen::{Area, Picture};

/// The smallest text on a page, in pixels.
const TEXT_MIN: f64 = 11.0;

/// How wide a page shows a picture, in pixels.
const PAGE_WIDTH: f64 = 830.0;

fn bundled() -> Vec<Diagram> {
    let read = |table: &turnstile_bundled::Bundled| {
        let source = Source::new(table.file, table.text);
        WrittenTable::read(source).unwrap_or_else(|faults| panic!("{faults}"))
    };
    let tables = turnstile_bundled::TABLES.iter().map(read);
    tables.map(|table| draw(&Sheet::of(&table))).collect()
}

/// The whole, the overview, and each state.
fn views(whole: &Diagram) -> Vec<Diagram> {
    let states = whole.nodes.iter().map(|node| node.name.as_str());
    let each = states.map(|state| focus(whole, state).expect("it has this state"));
    [whole.clone(), overview(whole)].into_iter().chain(each).collect()
}

#[track_caller]
fn check(diagram: &Diagram, picture: &Picture) {
    let title = &diagram.title;
    let areas: Vec<&Area> = picture.boxes.iter().chain(&picture.labels).collect();
    for (place, area) in areas.iter().enumerate() {
        assert!(area.is_in(&picture.whole), "{title}: {area:?} is cut off");
        for other in &areas[place + 1..] {
            assert!(!area.meets(other), "{title}: {area:?} covers {other:?}");
        }
    }
    for (place, text) in picture.texts.iter().enumerate() {
        assert!(text.area.is_in(&picture.whole), "{title}: `{}` is cut off", text.words);
        assert!(text.area.is_in(&text.inside), "{title}: `{}` leaves its box", text.words);
        for other in &picture.texts[place + 1..] {
            let what = (&text.words, &other.words);
            assert!(!text.area.meets(&other.area), "{title}: {what:?} cover each other");
        }
    }
    for (place, arrow) in picture.arrows.iter().enumerate() {
        for area in &picture.boxes {
            assert!(!area.is_crossed_by(arrow), "{title}: arrow {place} crosses {area:?}");
        }
    }
    for label in &picture.labels {
        let through = picture.arrows.iter().filter(|arrow| label.is_crossed_by(arrow)).count();
        let own = usize::from(!matches!(diagram.view, View::Focus(_)));
        assert!(through <= own, "{title}: {through} arrows run through {label:?}");
    }
}

#[track_caller]
fn check_page(diagram: &Diagram, picture: &Picture) {
    let scale = (PAGE_WIDTH / picture.whole.right).min(1.0);
    for text in &picture.texts {
        let shown = text.size * scale;
        assert!(shown >= TEXT_MIN - 0.01, "{}: `{}` is {shown:.1}", diagram.title, text.words);
    }
}

#[test]
fn the_bundled_tables_can_be_read_on_a_page() {
    for table in bundled() {
        for view in views(&table) {
            let (text, is_big) = drawn(&view, "header");
            let picture = Picture::read(&text);
            check(&view, &picture);
            // A page shows the overview of a picture that is too big.
            if view.view != View::Whole || !is_big {
                check_page(&view, &picture);
            }
        }
    }
}

#[test]
fn the_legend_has_every_colour_of_an_arrow() {
    for view in bundled().iter().flat_map(views) {
        let (text, _) = drawn(&view, "header");
        let (picture, legend) = text.split_once("class=\"legend\"").expect("it has a legend");
        let arrows = picture.split("class=\"way ").skip(1);
        let classes = arrows.filter_map(|arrow| arrow.split('"').next());
        // The arrow from the dot of an initial state has the colour of several kinds.
        let starts = view.nodes.iter().filter(|node| node.initial).count();
        let (mixed, others): (Vec<&str>, Vec<&str>) = classes.partition(|class| *class == "mixed");
        for class in others.into_iter().chain(mixed.into_iter().skip(starts)) {
            let is_told = legend.contains(&format!("class=\"way {class}\""));
            assert!(is_told, "{}: no {class} in the legend", view.title);
        }
    }
}

#[test]
fn nothing_covers_anything_in_tables_by_chance() {
    for seed in 0..12 {
        let whole = chance::diagram(seed, 2 + seed as usize % 8);
        for view in views(&whole) {
            let picture = Picture::read(&drawn(&view, "header").0);
            check(&view, &picture);
            // An overview of any table at all may have to be wider.
            if matches!(view.view, View::Focus(_)) {
                check_page(&view, &picture);
            }
        }
    }
}

#[test]
fn an_overview_has_every_event() {
    let drawn: Vec<Diagram> = (0..40).map(|seed| chance::diagram(seed, 12)).collect();
    for whole in bundled().iter().chain(&drawn) {
        let small = overview(whole);
        let shown = small.arrows.iter().flat_map(|arrow| &arrow.entries).map(|entry| &entry.event);
        let noted = small.nodes.iter().flat_map(|node| &node.notes).map(|note| &note.text);
        let shown: Vec<&String> = shown.chain(noted).collect();
        let has = |part: &str| shown.iter().any(|text| text.contains(part));
        let says = |event: &str| match event.split_once(" (") {
            Some((name, payload)) => has(name) && has(payload),
            None => has(event),
        };
        let is_drawn = |node: &Node| small.nodes.iter().any(|drawn| drawn.name == node.name);
        // From any other state the machine can only end.
        let has_rows = |node: &Node| is_drawn(node) || node.phase == Phase::Time;
        for arrow in whole.arrows.iter().filter(|arrow| has_rows(&whole.nodes[arrow.from])) {
            let to = &whole.nodes[arrow.to];
            // A retry is told by the events that lead there.
            let is_back = !is_drawn(&whole.nodes[arrow.from]) && arrow.cause() == Some(Cause::Time);
            assert!(is_drawn(to) || has(&to.name), "{}: no {}", small.title, to.name);
            for Entry { event, .. } in arrow.entries.iter().filter(|_| !is_back) {
                assert!(says(event), "{}: no {event}", small.title);
            }
        }
        for node in whole.nodes.iter().filter(|node| has_rows(node)) {
            for Entry { event, .. } in &node.loops {
                assert!(says(event), "{}: no {event}", small.title);
            }
        }
    }
}
