//! The text of the table file, and its guesses as notes.

use std::collections::BTreeMap;

use turnstile_spec::Diagnostic;
use turnstile_spec::scalar::scalar;

use crate::code;
use crate::draft::{
    ActionDraft, CellDraft, CellMark, Draft, EventCause, EventDraft, Formula, Operation,
    ResourceClass, ResourceDraft, RowDraft, StateDraft,
};
use crate::fault::guess;
use crate::rows;
use crate::yaml::{Item, list, one_or_list, section};

/// The table file.
pub(crate) fn file(draft: &Draft) -> String {
    let mut text = format!(
        "# Made of {} by `turnstile import`. The document does not state what is\n\
         # under a comment that begins with \"guess\": correct it, and delete the comment.\n\
         language: 1\nmachine: {}\ndocument:\n  file: {}\n",
        draft.file.replace('\n', " "),
        scalar(&draft.machine),
        scalar(&draft.file)
    );
    for (key, value) in [("title", &draft.title), ("section", &draft.section)] {
        if !value.is_empty() {
            text += &format!("  {key}: {}\n", scalar(&value.replace('\n', " ")));
        }
    }
    let states: Vec<Item> = draft.states.iter().map(state).collect();
    text += &section("states", &states, &["about"]);
    let events: Vec<Item> = draft.events.iter().map(event).collect();
    text += &section("events", &events, &[]);
    let actions: Vec<Item> = draft.actions.iter().map(action).collect();
    text += &section("actions", &actions, &[]);
    let resources: Vec<Item> = draft.resources.iter().map(resource).collect();
    text += &section("resources", &resources, &[]);
    let guards = draft.guards.iter().map(|guard| {
        let fields = ident(guard.ident.as_ref()).into_iter().collect();
        entry(&guard.name.text, &guard.guesses, fields)
    });
    text += &section("guards", &guards.collect::<Vec<Item>>(), &[]);
    let rows: Vec<Item> = draft.rows.iter().map(row).collect();
    text += &section("transitions", &rows, &["from", "to", "event"]);
    text += &section("ignore", &cells(draft, CellMark::Ignored), &["state", "event"]);
    text + &section("impossible", &cells(draft, CellMark::Impossible), &["state", "event"])
}

fn entry(key: &str, guesses: &[String], fields: Vec<(&'static str, String)>) -> Item {
    let comments = guesses.iter().map(|guess| format!("guess: {guess}")).collect();
    Item { comments, key: Some(scalar(key)), value: None, fields }
}

fn about(text: &str) -> Option<(&'static str, String)> {
    (!text.is_empty()).then(|| ("about", scalar(text)))
}

fn ident(ident: Option<&String>) -> Option<(&'static str, String)> {
    ident.map(|ident| ("ident", scalar(ident)))
}

fn cite(lines: (u32, u32)) -> String {
    let (first, last) = lines;
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

fn state(state: &StateDraft) -> Item {
    let mut fields: Vec<(&'static str, String)> = about(&state.about).into_iter().collect();
    for (key, held) in [("holds", &state.holds), ("may hold", &state.may_hold)] {
        if !held.is_empty() {
            fields.push((key, list(held.iter().map(String::as_str))));
        }
    }
    let flags = [
        ("initial", state.is_initial),
        ("final", state.is_final),
        ("undeclared", state.is_undeclared),
    ];
    fields.extend(flags.iter().filter(|(_, is)| *is).map(|(key, _)| (*key, "true".to_owned())));
    fields.extend(ident(state.ident.as_ref()));
    fields.extend(state.cite.map(|lines| ("cite", cite(lines))));
    entry(&state.name.text, &state.guesses, fields)
}

fn event(event: &EventDraft) -> Item {
    let mut fields = Vec::new();
    match &event.cause {
        EventCause::Unknown | EventCause::Command => fields.push(("kind", "command".to_owned())),
        EventCause::Message => fields.push(("kind", "message".to_owned())),
        EventCause::Consumes(_) => {}
    }
    if let Some(payload) = &event.payload {
        let values = if payload.words.is_empty() {
            payload.range.clone()
        } else {
            list(payload.words.iter().map(String::as_str))
        };
        fields.push(("payload", format!("{{ {}: {values} }}", payload.field)));
    }
    if let EventCause::Consumes(resource) = &event.cause {
        fields.push(("consumes", scalar(resource)));
    }
    fields.extend(about(&event.about));
    fields.extend(ident(event.ident.as_ref()));
    entry(&event.name.text, &event.guesses, fields)
}

fn action(action: &ActionDraft) -> Item {
    let mut fields = Vec::new();
    if let Some((operation, resource)) = &action.operation {
        let key = match operation {
            Operation::Creates => "creates",
            Operation::Deletes => "deletes",
            Operation::Restarts => "restarts",
            Operation::Abandons => "abandons",
        };
        fields.push((key, scalar(resource)));
    }
    fields.extend(about(&action.about));
    fields.extend(ident(action.ident.as_ref()));
    entry(&action.name.text, &action.guesses, fields)
}

fn resource(resource: &ResourceDraft) -> Item {
    let kind = match &resource.class {
        ResourceClass::Timer => "timer",
        ResourceClass::Request => "request",
        ResourceClass::Note => "note",
        ResourceClass::AnyOf(names) => {
            let lines: String =
                names.iter().map(|name| format!("\n      - {}", scalar(name))).collect();
            let value = Some(format!("\n    any of:{lines}"));
            let entry = entry(&resource.name.text, &resource.guesses, Vec::new());
            return Item { value, ..entry };
        }
    };
    let entry = entry(&resource.name.text, &resource.guesses, Vec::new());
    match ident(resource.ident.as_ref()) {
        Some(ident) => Item { fields: vec![("kind", kind.to_owned()), ident], ..entry },
        None => Item { value: Some(kind.to_owned()), ..entry },
    }
}

fn row(row: &RowDraft) -> Item {
    let from: Vec<&str> = row.from.iter().map(|word| word.text.as_str()).collect();
    let mut fields = vec![("from", one_or_list(&from)), ("to", scalar(&row.to.text))];
    if !row.event.text.is_empty() {
        fields.push(("event", scalar(&row.event.text)));
    }
    fields.extend(row.guard.as_ref().map(|guard| ("if", formula(guard))));
    if !row.actions.is_empty() {
        fields.push(("do", list(row.actions.iter().map(|word| word.text.as_str()))));
    }
    fields.push(("cite", cite(row.cite)));
    let comments = row.guesses.iter().map(|guess| format!("guess: {guess}")).collect();
    Item { comments, fields, ..Item::default() }
}

fn formula(guard: &Formula) -> String {
    let all = |list: &[Formula]| list.iter().map(formula).collect::<Vec<String>>().join(", ");
    match guard {
        Formula::Is(name) => scalar(name),
        Formula::Not(one) => format!("{{ not: {} }}", formula(one)),
        Formula::All(list) => format!("{{ all: [{}] }}", all(list)),
        Formula::Any(list) => format!("{{ any: [{}] }}", all(list)),
    }
}

/// The cells of one kind; those of one event with one reason are one entry.
fn cells(draft: &Draft, mark: CellMark) -> Vec<Item> {
    let mut order: Vec<(String, &str)> = Vec::new();
    let mut groups: BTreeMap<(String, &str), Vec<&CellDraft>> = BTreeMap::new();
    for cell in draft.cells.iter().filter(|cell| cell.mark == mark) {
        let events: Vec<&str> = cell.events.iter().map(|word| word.text.as_str()).collect();
        let key = (one_or_list(&events), cell.because.as_str());
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push(cell);
    }
    let entry = |key: (String, &str)| {
        let cells = groups.get(&key).map_or(&[] as &[&CellDraft], Vec::as_slice);
        let mut states: Vec<&str> = Vec::new();
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for cell in cells {
            states.extend(cell.states.iter().map(|word| word.text.as_str()));
            lines.extend(cell.cite);
        }
        states.dedup();
        lines.sort_unstable();
        lines.dedup();
        let (event, because) = key;
        let mut fields =
            vec![("state", one_or_list(&states)), ("event", event), ("because", scalar(because))];
        match lines.as_slice() {
            [] => {}
            [only] => fields.push(("cite", cite(*only))),
            _ => {
                let lines: Vec<String> = lines.iter().map(|lines| cite(*lines)).collect();
                fields.push(("cite", format!("[{}]", lines.join(", "))));
            }
        }
        Item { fields, ..Item::default() }
    };
    order.into_iter().map(entry).collect()
}

/// Every guess, at the place of what it is about.
pub(crate) fn notes(draft: &Draft) -> Vec<Diagnostic> {
    let states = draft.states.iter().map(|one| (&one.name, &one.guesses));
    let events = draft.events.iter().map(|one| (&one.name, &one.guesses));
    let actions = draft.actions.iter().map(|one| (&one.name, &one.guesses));
    let resources = draft.resources.iter().map(|one| (&one.name, &one.guesses));
    let named = states.chain(events).chain(actions).chain(resources);
    let notes = named.flat_map(|(name, guesses)| {
        guesses.iter().map(|text| guess(code::GUESS, name.span, format!("`{}`: {text}", name.text)))
    });
    notes.chain(draft.rows.iter().flat_map(rows::notes)).collect()
}
