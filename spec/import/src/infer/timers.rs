//! Resources, and the timers above all: what starts, restarts and stops them, and which events are
//! their expiry.

use std::collections::BTreeSet;

use crate::draft::{Draft, EventCause, Operation, ResourceClass, ResourceDraft};
use crate::grid::{Word, lower, words};

const STARTING: [&str; 11] = [
    "start", "create", "arm", "set", "launch", "begin", "schedule", "activate", "run", "enable",
    "add",
];
const RESTARTING: [&str; 7] = ["restart", "reset", "rearm", "re-arm", "renew", "refresh", "extend"];
const STOPPING: [&str; 13] = [
    "stop", "delete", "cancel", "clear", "disarm", "kill", "remove", "disable", "abort", "abandon",
    "halt", "release", "drop",
];

/// What an event ends with if a timer causes it.
const EXPIRY: [&str; 18] = [
    "has expired",
    "triggers",
    "triggered",
    "expires",
    "expired",
    "expire",
    "fires",
    "fired",
    "elapses",
    "elapsed",
    "times out",
    "timed out",
    "goes off",
    "runs out",
    "expiry",
    "expiration",
    "timeout",
    "time-out",
];
/// What such an event begins with.
const EXPIRY_OF: [&str; 6] =
    ["expiry of", "expiration of", "timeout of", "time-out of", "expire", "timeout"];

/// Words of timers.
const TIMERS: [&str; 6] = ["timer", "timers", "timeout", "alarm", "watchdog", "clock"];

pub(super) fn infer(draft: &mut Draft) {
    held(draft);
    let subjects: BTreeSet<String> =
        draft.events.iter().filter_map(|event| subject(&event.name.text)).collect();
    for at in 0..draft.actions.len() {
        operation(draft, at, &subjects);
    }
    for at in 0..draft.events.len() {
        expiry(draft, at);
    }
}

/// The resources that the document's states hold.
fn held(draft: &mut Draft) {
    let mut known = BTreeSet::new();
    let holds =
        draft.states.iter().flat_map(|state| state.holds.iter().map(move |one| (state, one)));
    for (state, name) in holds {
        if !known.insert(name.clone()) {
            continue;
        }
        let said = words(name);
        let has = |list: &[&str]| said.iter().any(|word| list.contains(&&**word));
        let (class, guess) = if has(&TIMERS) {
            (ResourceClass::Timer, None)
        } else if has(&["request", "requests", "query", "transaction"]) {
            (ResourceClass::Request, None)
        } else {
            let guess = "a note: it is called neither a timer nor a request";
            (ResourceClass::Note, Some(guess.to_owned()))
        };
        draft.resources.push(ResourceDraft {
            name: state.name.with(name.as_str()),
            class,
            ident: None,
            guesses: guess.into_iter().collect(),
        });
    }
}

/// What an action does to a timer, if its verb says so.
fn operation(draft: &mut Draft, at: usize, subjects: &BTreeSet<String>) {
    let name = draft.actions[at].name.clone();
    let Some((operation, object)) = verb(&name.text) else { return };
    // `HoldTimer` is one, too.
    let is_timer =
        words(&object).iter().any(|word| TIMERS.contains(&&**word) || word.ends_with("timer"));
    let is_fired = subjects.contains(&lower(&object));
    if is_timer && words(&object).iter().any(|word| ["all", "timers"].contains(&word.as_str())) {
        let guess = "it names no single timer: what it does to timers is left out";
        draft.actions[at].guesses.push(guess.to_owned());
        return;
    }
    let found = find(draft, &name, &object, false);
    let Some(resource) = found.or_else(|| {
        let is_new = (is_timer || is_fired) && operation != Operation::Abandons;
        is_new.then(|| declare(draft, &name, &object))
    }) else {
        return;
    };
    let class = draft.resource(&resource).map(|known| known.class.clone());
    let is_request = class == Some(ResourceClass::Request);
    let operation = match operation {
        Operation::Restarts if is_request => return,
        Operation::Deletes if is_request => Operation::Abandons,
        Operation::Creates | Operation::Deletes | Operation::Restarts | Operation::Abandons => {
            operation
        }
    };
    draft.actions[at].operation = Some((operation, resource));
}

/// The event that is a timer's expiry.
fn expiry(draft: &mut Draft, at: usize) {
    let name = draft.events[at].name.clone();
    let Some(subject) = subject(&name.text) else { return };
    let timers: Vec<&ResourceDraft> =
        draft.resources.iter().filter(|one| one.class == ResourceClass::Timer).collect();
    let is_bare = ["", "timer", "a timer", "timeout"].contains(&subject.as_str());
    let exact = timers.iter().find(|timer| lower(&timer.name.text) == subject);
    let resource = match (exact, timers.as_slice()) {
        (Some(timer), _) => timer.name.text.clone(),
        (None, []) => return,
        (None, [only]) if is_bare => only.name.text.clone(),
        (None, _) if is_bare => "timer".to_owned(),
        (None, _) => match find(draft, &name, &subject, true) {
            Some(resource) => resource,
            None => return,
        },
    };
    let guess = (lower(&resource) != subject).then(|| format!("the expiry of the {resource}"));
    let event = &mut draft.events[at];
    event.guesses.extend(guess);
    event.cause = EventCause::Consumes(resource);
}

/// The verb of an action and its object: `start the retry timer (5 s)`, `T1 stop`.
fn verb(text: &str) -> Option<(Operation, String)> {
    let text = lower(text);
    let (first, rest) = text.split_once([' ', ':']).unwrap_or((text.as_str(), ""));
    let (before, last) = text.rsplit_once(' ').unwrap_or(("", ""));
    let (operation, object) = match (of_verb(first), of_verb(last)) {
        (Some(operation), _) => (operation, rest),
        (None, Some(operation)) => (operation, before),
        (None, None) => return None,
    };
    let mut object = object.trim();
    for end in [" (", " to ", " for ", " with ", " at ", " of ", " =", ":="] {
        object = object.split(end).next().unwrap_or(object).trim();
    }
    for article in ["the ", "a ", "an ", "its "] {
        object = object.strip_prefix(article).unwrap_or(object);
    }
    (!object.is_empty()).then(|| (operation, object.to_owned()))
}

fn of_verb(word: &str) -> Option<Operation> {
    let plain = word.trim_start_matches('(').replace(")", "");
    let is = |list: &[&str]| {
        let mut forms = list.iter();
        forms.any(|verb| {
            plain == *verb || plain == format!("{verb}s") || plain == format!("{verb}ed")
        })
    };
    match () {
        () if is(&RESTARTING) => Some(Operation::Restarts),
        () if is(&STARTING) => Some(Operation::Creates),
        () if is(&STOPPING) => Some(Operation::Deletes),
        () => None,
    }
}

/// What expires, if an event reads like an expiry; empty: the document does not name it.
fn subject(text: &str) -> Option<String> {
    let text = lower(text);
    let text = text.trim();
    if ["timeout", "time-out", "time out", "timer"].contains(&text) {
        return Some(String::new());
    }
    let mark = [' ', '=', ':', '('];
    let after = EXPIRY_OF.iter().find_map(|start| text.strip_prefix(start)?.strip_prefix(mark));
    let after = after.map(|subject| subject.trim_end_matches(')'));
    let before =
        EXPIRY.iter().find_map(|end| text.strip_suffix(end)?.strip_suffix([' ', '_', '-']));
    let subject = before.or(after)?.trim();
    let subject = subject.strip_prefix("the ").unwrap_or(subject);
    Some(subject.to_owned())
}

/// The resource that a name means: its own, one with the same words, or several.
fn find(draft: &mut Draft, place: &Word, name: &str, expires: bool) -> Option<String> {
    let is_named = |resource: &&ResourceDraft| lower(&resource.name.text) == lower(name);
    if let Some(exact) = draft.resources.iter().find(is_named) {
        return Some(exact.name.text.clone());
    }
    let said: BTreeSet<String> = words(name).into_iter().collect();
    let own: Vec<&String> = said.iter().filter(|word| *word != "timer").collect();
    let is_timer = own.len() < said.len();
    // `stop T1` means the `T1 timer`, but `delete lock` no `lock timer`.
    let is_numbered = own.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    let may_be_timer = is_timer || is_numbered || expires;
    if own.is_empty() {
        let timers = draft.resources.iter().filter(|one| one.class == ResourceClass::Timer);
        let timers: Vec<String> = timers.map(|one| one.name.text.clone()).collect();
        return match timers.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some("timer".to_owned()),
        };
    }
    let has_all = |resource: &&ResourceDraft| {
        let known = words(&resource.name.text);
        let is_class = (resource.class == ResourceClass::Timer && may_be_timer)
            || (resource.class == ResourceClass::Request && !is_timer);
        is_class && own.iter().all(|word| known.contains(word))
    };
    let wide: Vec<String> =
        draft.resources.iter().filter(has_all).map(|one| one.name.text.clone()).collect();
    match wide.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        _ => {
            let guess = "which one is meant, the state of the row says".to_owned();
            draft.resources.push(ResourceDraft {
                name: place.with(name),
                class: ResourceClass::AnyOf(wide),
                ident: None,
                guesses: vec![guess],
            });
            Some(name.to_owned())
        }
    }
}

/// A timer that only the rows name.
fn declare(draft: &mut Draft, action: &Word, object: &str) -> String {
    // The action's own spelling; its verb is the only word before or after.
    let at = lower(&action.text).find(object).filter(|_| action.text.is_ascii());
    let spelled = at.map_or(object, |at| &action.text[at..at + object.len()]);
    let spelled = if lower(spelled) == "timer" { "state timer" } else { spelled };
    let guess = draft.has_holds.then(|| "no state of the document holds it".to_owned());
    draft.resources.push(ResourceDraft {
        name: action.with(spelled),
        class: ResourceClass::Timer,
        ident: None,
        guesses: guess.into_iter().collect(),
    });
    spelled.to_owned()
}
