//! Requests: what sends each, by the requests that states hold behind the rows, and what answers
//! them.

use crate::draft::{Draft, EventCause, Operation, ResourceClass};
use crate::grid::words;

/// Verbs that send.
const SENDING: [&str; 8] =
    ["send", "sends", "issue", "transmit", "submit", "post", "request", "emit"];

/// Words of an answer.
const ANSWERS: [&str; 5] = ["response", "responses", "reply", "answer", "result"];

pub(super) fn infer(draft: &mut Draft) {
    let requests: Vec<String> = draft
        .resources
        .iter()
        .filter(|resource| resource.class == ResourceClass::Request)
        .map(|resource| resource.name.text.clone())
        .collect();
    if requests.is_empty() {
        return;
    }
    answers(draft, &requests);
    for at in 0..draft.actions.len() {
        let action = &draft.actions[at];
        let text = action.name.text.clone();
        let is_sending = words(&text).first().is_some_and(|word| SENDING.contains(&&**word));
        if action.operation.is_some() || !is_sending {
            continue;
        }
        let Some(request) = sent(draft, &text, &requests) else { continue };
        let guess =
            format!("sends the {request}: every row with it enters a state that holds that");
        let action = &mut draft.actions[at];
        action.operation = Some((Operation::Creates, request));
        action.guesses.push(guess);
    }
}

/// The one request that each row with the action must have sent.
fn sent(draft: &Draft, action: &str, requests: &[String]) -> Option<String> {
    let mut candidates: Option<Vec<&String>> = None;
    for row in draft.rows.iter().filter(|row| row.actions.iter().any(|word| word.text == action)) {
        // A state that the document does not declare says nothing of what it holds.
        let Some(to) = draft.state(&row.to.text).filter(|state| !state.is_undeclared) else {
            continue;
        };
        let is_answer = draft.events.iter().any(|event| {
            event.name.text == row.event_name && matches!(&event.cause, EventCause::Consumes(_))
        });
        let sources = draft.sources(row);
        let is_new = |request: &&String| {
            let held = sources.iter().filter_map(|name| draft.state(name));
            let mut held = held.flat_map(|state| &state.holds);
            to.holds.contains(request) && (is_answer || !held.any(|one| one == *request))
        };
        let of_row: Vec<&String> = requests.iter().filter(is_new).collect();
        candidates = Some(match candidates {
            Some(known) => known.into_iter().filter(|one| of_row.contains(one)).collect(),
            None => of_row,
        });
    }
    let candidates = candidates?;
    if let [only] = candidates.as_slice() {
        return Some((*only).clone());
    }
    // Of several, the one whose words the action has.
    let said = words(action);
    let shared =
        |request: &&&String| words(request).iter().filter(|word| said.contains(word)).count();
    let best = candidates.iter().map(|one| shared(&one)).max()?;
    let mut best = candidates.iter().filter(|one| shared(one) == best);
    let only = best.next()?;
    best.next().is_none().then(|| (*only).clone())
}

/// Events that are answers: to the request that they name, or to any that the state holds.
fn answers(draft: &mut Draft, requests: &[String]) {
    for event in &mut draft.events {
        let said = words(&event.name.text);
        if event.cause != EventCause::Unknown || !said.iter().any(|w| ANSWERS.contains(&&**w)) {
            continue;
        }
        let own: Vec<&String> = said.iter().filter(|word| !ANSWERS.contains(&&***word)).collect();
        let names = |request: &&String| {
            let known = words(request);
            !own.is_empty() && own.iter().all(|word| known.contains(word))
        };
        let named: Vec<&String> = requests.iter().filter(names).collect();
        let cause = match named.as_slice() {
            [only] => (*only).clone(),
            _ => "request".to_owned(),
        };
        event.guesses.push(match named.as_slice() {
            [only] => format!("answers the {only}"),
            _ => "answers the request that the state holds".to_owned(),
        });
        event.cause = EventCause::Consumes(cause);
    }
}
