//! A typo gives one diagnostic: a use of a name in a table is misspelt, one at a time, and each
//! time exactly one diagnostic, with the code for that kind of name, must result. Every fifth use
//! is, and with `TURNSTILE_CASES`, as in `.ci/soak`, every one.

use std::collections::BTreeSet;

use granit_parser::{Event, Parser};
use turnstile_random::seeds::number;
use turnstile_spec::diagnostic::Span;
use turnstile_spec::{Diagnostic, Source, WrittenTable};

/// Sections whose keys are names.
const SECTIONS: [&str; 9] = [
    "states",
    "sets",
    "events",
    "actions",
    "resources",
    "guards",
    "predicates",
    "collections",
    "rules",
];

/// A place where a name stands, and the codes that fit a slip there.
struct Spot {
    span: Span,
    /// Whether nothing in the file need use the name: a core may ask a rule, no row a value, and no
    /// formula its variable.
    may_pass: bool,
    codes: &'static [&'static str],
}

/// The diagnostics of a text: what stops the reader, else what the amendments leave, else what a
/// reading leaves, else what the table as written has beside `known`.
fn diagnostics(text: String, known: &BTreeSet<String>) -> Vec<Diagnostic> {
    let literal = match WrittenTable::read(Source::new("slip.yaml", text)) {
        Err(diagnostics) => return diagnostics.list,
        Ok(literal) => literal,
    };
    if let Err(diagnostics) = literal.amended() {
        return diagnostics.list;
    }
    let in_readings: Vec<Diagnostic> = literal
        .readings
        .iter()
        .filter_map(|reading| literal.in_reading(&reading.id))
        .filter_map(|read| read.and_then(|read| read.amended()).err())
        .flat_map(|diagnostics| diagnostics.list)
        .collect();
    if !in_readings.is_empty() {
        return in_readings;
    }
    let is_new = |diagnostic: &Diagnostic| !known.contains(&diagnostic.message);
    literal.findings.into_iter().filter(is_new).collect()
}

/// What a scalar under these keys names.
fn codes(path: &[&str]) -> Option<&'static [&'static str]> {
    let last = *path.last()?;
    if path.ends_with(&["readings", "is"]) {
        return None; // its sentence
    }
    let selects = (path.contains(&"amendments") || path.contains(&"readings"))
        && ["row", "remove", "needs", "without"].iter().any(|key| path.contains(key));
    if selects {
        let is_name = !matches!(last, "cite" | "because" | "not" | "if" | "all" | "any");
        return is_name.then_some(&["T060", "T061", "T064"]);
    }
    match last {
        "from" | "to" | "state" => Some(&["T010"]),
        "event" | "tells" => Some(&["T011"]),
        "do" => Some(&["T012"]),
        "for each" => Some(&["T017"]),
        "holds" | "may hold" | "creates" | "deletes" | "restarts" | "abandons" | "consumes"
        | "any of" => Some(&["T013"]),
        _ if path.contains(&"payload") => Some(&["T009", "T024", "T026"]),
        _ if path.contains(&"if") => Some(&["T014"]),
        _ if path.contains(&"is") => Some(&["T010", "T017", "T018"]),
        _ if path.iter().rev().nth(1) == Some(&"sets") => Some(&["T010", "T017"]),
        _ => None,
    }
}

/// What a slip in a declaration's own name comes to: it is told where the name is used.
fn declared(section: &str, path: &[&str]) -> &'static [&'static str] {
    if path.contains(&"change") {
        return &["T060"];
    }
    match section {
        "states" | "sets" => &["T010", "T017"],
        "events" => &["T011"],
        "actions" => &["T012"],
        "guards" => &["T014"],
        "resources" => &["T013"],
        // An amendment may change the rule, and hit nothing then.
        "rules" => &["T017", "T060"],
        _ => &["T017"],
    }
}

/// An event of the parser, and where its text stands.
type Positioned<'t> = (Event<'t>, Span);

/// The places of a node where a name stands, in their order, by its first event and those after it.
/// The path has the keys that lead to it.
fn walk<'t>(
    text: &'t str,
    (first, span): Positioned<'t>,
    events: &mut impl Iterator<Item = Positioned<'t>>,
    path: &mut Vec<&'t str>,
    spots: &mut Vec<Spot>,
) {
    if matches!(first, Event::Scalar(..)) {
        let is_bound = matches!(path.last(), Some(&("every" | "some" | "none")));
        let may_pass = is_bound || path.contains(&"payload");
        spots.extend(codes(path).map(|codes| Spot { span, may_pass, codes }));
    } else if matches!(first, Event::SequenceStart(..)) {
        let is_item = |(event, _): &Positioned<'t>| !matches!(event, Event::SequenceEnd);
        while let Some(item) = events.next().filter(is_item) {
            walk(text, item, events, path, spots);
        }
    } else {
        assert!(matches!(first, Event::MappingStart(..)), "{first:?}");
        let section = path.last().copied().filter(|last| SECTIONS.contains(last));
        while let Some((Event::Scalar(..), span)) = events.next() {
            if let Some(section) = section {
                let (codes, may_pass) = (declared(section, path), section == "rules");
                spots.push(Spot { span, may_pass, codes });
            }
            path.push(&text[span.start as usize..span.end as usize]);
            let value = events.next().expect("a key has a value");
            walk(text, value, events, path, spots);
            path.pop();
        }
    }
}

/// The places of a text where a name stands, in their order.
fn spots(text: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    let events = Parser::new_from_str(text).map(|event| {
        let (event, span) = event.expect("YAML");
        (event, span.byte_range().map_or_else(Span::default, |range| Span::of(&range)))
    });
    let is_before = |(event, _): &Positioned<'_>| {
        matches!(event, Event::StreamStart | Event::DocumentStart(..))
    };
    let mut events = events.skip_while(is_before);
    let root = events.next().expect("the text is not empty");
    walk(text, root, &mut events, &mut Vec::new(), &mut spots);
    spots
}

/// Ways to misspell the second letter of a name.
const SLIPS: [fn(&mut String, usize); 3] = [
    |text, at| text.insert(at, 'q'),
    |text, at| text.replace_range(at..at + 1, ""),
    |text, at| text.replace_range(at..at + 1, "W"),
];

/// One of so many spots is tried; all of them, if the environment asks for more cases.
fn every() -> usize {
    if number("TURNSTILE_CASES").is_some() { 1 } else { 5 }
}

/// Misspells a table's names, each spot in one of the ways, in turn; how many were tried, and those
/// that do not come back as one diagnostic.
fn slips(name: &str, text: &str) -> (usize, Vec<String>) {
    let source = Source::new(name, text);
    let literal = WrittenTable::read(source.clone()).expect("readable");
    if let Err(diagnostics) = literal.amended() {
        panic!("{name} is not sound: {diagnostics}");
    }
    let known: BTreeSet<String> = literal.findings.iter().map(|f| f.message.clone()).collect();
    let words = &literal.vocabulary;
    let all = words.states.iter().chain(&words.actions).chain(&words.guards);
    let names: BTreeSet<&str> = all.map(|name| name.name.as_str()).collect();
    let (mut tried, mut wrong) = (0, Vec::new());
    for (nth, Spot { span, may_pass, codes }) in spots(text).iter().enumerate().step_by(every()) {
        let word = source.slice(*span);
        let first = usize::from(word.starts_with(['"', '\'']));
        // Of two names that differ only in case, either may be meant.
        let is_twin = |name: &&&str| name.to_lowercase() == word.to_lowercase();
        let is_double = names.iter().filter(is_twin).count() > 1;
        if word.len() < 4 || is_double || matches!(word, "any" | "same") {
            continue;
        }
        let slip = SLIPS[nth % SLIPS.len()];
        let (mut text, mut misspelt) = (text.to_owned(), word.to_owned());
        slip(&mut text, span.start as usize + first + 1);
        slip(&mut misspelt, first + 1);
        if text == source.text || names.contains(misspelt.as_str()) {
            continue;
        }
        tried += 1;
        let found = diagnostics(text, &known);
        let is_one = match &found[..] {
            [] => *may_pass,
            [one] => codes.contains(&one.code),
            _ => false,
        };
        if !is_one {
            let found: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code).collect();
            let (line, _) = source.position(*span);
            let what = format!("{name}:{line}: `{misspelt}`: {codes:?}, and not {found:?}");
            println!("{what}");
            wrong.push(what);
        }
    }
    println!("{name}: {} of {tried} slips are one diagnostic", tried - wrong.len());
    (tried, wrong)
}

#[test]
fn a_misspelt_name_is_one_diagnostic() {
    let own = [("session", include_str!("../tables/session.yaml"))];
    let bundled = turnstile_bundled::TABLES.iter().map(|table| (table.name, table.text));
    let (mut tried, mut wrong) = (0, Vec::new());
    std::thread::scope(|scope| {
        let tables = own.into_iter().chain(bundled);
        let judged: Vec<_> =
            tables.map(|(name, text)| scope.spawn(move || slips(name, text))).collect();
        for table in judged {
            let (more, of) = table.join().expect("no panic");
            tried += more;
            wrong.extend(of);
        }
    });
    println!("{} of {tried} slips are one diagnostic", tried - wrong.len());
    assert!(tried * every() > 4_000, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
}

/// Slips that are no names: each file, and the one code that comes back.
#[test]
fn one_slip_is_one_diagnostic() {
    let good = include_str!("../tables/session.yaml");
    assert!(diagnostics(good.to_owned(), &BTreeSet::new()).is_empty());
    let slips = [
        ("status: 100..599 }", "status: 100..199, 200..599 }", "T008"),
        ("status: 100..599 }", "status: 100..199, 200..299, 5xx }", "T008"),
        ("status: 100..599", "status: 100..5x9", "T009"),
        ("status: 100..599", "status: 100..499", "T024"),
        ("answer (5xx)", "answer (6xx)", "T024"),
        ("answer (5xx)", "answer (5yx)", "T026"),
        ("answer (5xx)", "answer (5xx, 404)", "T008"),
        ("answer (5xx)", "answer (5xx, 404, 403)", "T008"),
        ("answer (5xx)", "answer (5xx", "T011"),
        ("{ from: asking, to: open, ", "{ fro: asking, to: open, ", "T005"),
        ("{ from: asking, to: open, ", "{ from: asking, from: open, ", "T004"),
        ("{ from: asking, to: open, ", "{ from: asking, to open, ", "T008"),
        ("{ from: asking, to: open, ", "{ from: asking, ", "T006"),
        ("{ from: asking, to: open, ", "{ from: asking, to: zzzzz, ", "T010"),
        ("{ from: asking, to: open, ", "{ from: zzzzz, to: open, ", "T010"),
        ("do: [open it]", "do: [zzzzz]", "T012"),
        ("do: [open it]", "do: [Open It]", "T012"),
        ("do: [open it]", "do: open it, count it", "T008"),
        ("holds: [question]", "holds: [zzzzz]", "T013"),
        ("holds: [question]", "holdz: [question]", "T005"),
        ("close:  { kind: command }", "close:  { kin: command }", "T005"),
        ("close:  { kind: command }", "close:  { kind: comand }", "T007"),
        ("question:   request", "question:   requst", "T007"),
        ("event: [call, data]", "event: [call, dta]", "T011"),
        ("event: [call, data]", "event: [call, answer (5xx, 404)]", "T008"),
    ];
    for (from, to, code) in slips {
        assert!(good.contains(from), "{from}");
        let found = diagnostics(good.replacen(from, to, 1), &BTreeSet::new());
        let found: Vec<(&str, &str)> = found.iter().map(|f| (f.code, f.message.as_str())).collect();
        let is_one = matches!(found[..], [(one, _)] if one == code);
        assert!(is_one, "`{to}` wants {code} and gives {found:#?}");
    }
}
