//! What a reader must be able to rely on in every picture: nothing covers anything else, and on a
//! page no text is too small. Read from the SVG itself, as a browser reads it.

mod chance;
mod seen;

use turnstile_render::diagram::{Arrow, Cause, Diagram, Entry, Node, Phase, View};
use turnstile_render::docs::{OVERVIEW, Origin, pages};
use turnstile_render::{Format, Sheet, draw, focus, overview, svg};
use turnstile_spec::{Source, WrittenTable};

use seen::{Area, Picture};

/// The smallest text on a page, in pixels.
const TEXT_MIN: f64 = 11.0;

/// How wide a page shows a picture, in pixels.
const PAGE_WIDTH: f64 = 830.0;

fn tables() -> Vec<WrittenTable> {
    let read = |table: &turnstile_bundled::Bundled| {
        let source = Source::new(table.file, table.text);
        WrittenTable::read(source).unwrap_or_else(|faults| panic!("{faults}"))
    };
    turnstile_bundled::TABLES.iter().map(read).collect()
}

fn bundled() -> Vec<Diagram> {
    tables().iter().map(|table| draw(&Sheet::of(table))).collect()
}

/// Whether a page shows an overview of the table, since its picture is too big.
fn is_big(table: &WrittenTable) -> bool {
    let files = pages(std::slice::from_ref(table), &[Format::Svg], &Origin::known("it"));
    let files = files.expect("it is one table");
    files.keys().any(|name| name.contains(&format!(".{OVERVIEW}.")))
}

fn seen(diagram: &Diagram) -> Picture {
    Picture::read(&svg(diagram, "header"))
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
    for label in &picture.labels {
        let is_crossed = |arrow: &&seen::Arrow| label.is_crossed_by(&arrow.points);
        let through = picture.arrows.iter().filter(is_crossed).count();
        let own = usize::from(!matches!(diagram.view, View::Focus(_)));
        assert!(through <= own, "{title}: {through} arrows run through {label:?}");
    }
    check_arrows(diagram, picture);
}

/// Each arrow runs level and upright, crosses no box, and leads from its box to its box.
#[track_caller]
fn check_arrows(diagram: &Diagram, picture: &Picture) {
    let title = &diagram.title;
    for seen::Arrow { title: name, points } in &picture.arrows {
        for area in &picture.boxes {
            assert!(!area.is_crossed_by(points), "{title}: {name:?} crosses {area:?}");
        }
        for pair in points.windows(2) {
            assert!(seen::is_straight(pair), "{title}: {name:?} is askew at {pair:?}");
        }
    }
    let leads = |arrow: &seen::Arrow, from: &Area, to: &Area| {
        let (first, last) = (arrow.points[0], arrow.points[arrow.points.len() - 1]);
        assert!(from.touches(first), "{title}: {:?} does not leave its box", arrow.title);
        assert!(to.touches(last), "{title}: {:?} does not enter its box", arrow.title);
    };
    for Arrow { from, to, .. } in &diagram.arrows {
        let name = format!("{} → {} (", diagram.nodes[*from].name, diagram.nodes[*to].name);
        let mut named = picture.arrows.iter().filter(|arrow| arrow.title.starts_with(&name));
        let arrow = named.next().unwrap_or_else(|| panic!("{title}: no {name}"));
        leads(arrow, &picture.boxes[*from], &picture.boxes[*to]);
    }
    let initial = diagram.nodes.iter().zip(&picture.boxes).filter(|(node, _)| node.initial);
    let begins = picture.arrows.iter().filter(|arrow| arrow.title.is_empty());
    for ((arrow, dot), (_, to)) in begins.zip(&picture.dots).zip(initial) {
        leads(arrow, dot, to);
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
    std::thread::scope(|threads| {
        for table in tables() {
            threads.spawn(move || check_table(&table));
        }
    });
}

#[track_caller]
fn check_table(table: &WrittenTable) {
    let is_big = is_big(table);
    for view in views(&draw(&Sheet::of(table))) {
        let text = svg(&view, "header");
        let picture = Picture::read(&text);
        check(&view, &picture);
        check_legend(&view, &text);
        // A page shows the overview of a picture that is too big.
        if view.view != View::Whole || !is_big {
            check_page(&view, &picture);
        }
    }
}

/// The legend has every colour of an arrow.
fn check_legend(view: &Diagram, text: &str) {
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

#[test]
fn nothing_covers_anything_in_tables_by_chance() {
    for seed in 0..12 {
        let whole = chance::diagram(seed, 2 + seed as usize % 8);
        for view in views(&whole) {
            let picture = seen(&view);
            check(&view, &picture);
            // An overview of any table at all may have to be wider.
            if matches!(view.view, View::Focus(_)) {
                check_page(&view, &picture);
            }
        }
    }
}

#[test]
fn no_arrow_crosses_a_box_in_graphs_of_all_sizes() {
    for seed in 0..12 {
        let whole = chance::diagram(seed, 2 + seed as usize % 12);
        check(&whole, &seen(&whole));
        if seed % 4 == 0 {
            let narrow = overview(&whole);
            check(&narrow, &seen(&narrow));
            assert_eq!(svg(&narrow, "header"), svg(&narrow, "header"), "twice is not the same");
        }
    }
    let big = chance::diagram(7, 40);
    check(&big, &seen(&big));
}

#[test]
fn the_smallest_graphs_are_drawn_too() {
    let nothing = Diagram { title: "nothing".to_owned(), ..Diagram::default() };
    check(&nothing, &seen(&nothing));
    let with_arrow = |one: &Diagram| !one.arrows.is_empty();
    let small = (0..).map(|seed| chance::diagram(seed, 2)).find(with_arrow);
    let mut small = small.expect("some seed has one");
    for node in &mut small.nodes {
        (node.initial, node.loops) = (false, Vec::new());
    }
    let arrow = small.arrows.pop().expect("a state leads to the other");
    let one = Diagram { nodes: small.nodes[..1].to_vec(), arrows: Vec::new(), ..small.clone() };
    let picture = seen(&one);
    check(&one, &picture);
    let (alone, whole) = (picture.boxes[0], picture.whole);
    let beside = (alone.left - whole.left) - (whole.right - alone.right);
    assert!(beside.abs() < 1.0, "it is not in the middle: {picture:?}");
    let back = Arrow { from: arrow.to, to: arrow.from, ..arrow.clone() };
    let there_and_back = Diagram { arrows: vec![arrow, back], ..small };
    check(&there_and_back, &seen(&there_and_back));
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
