//! The links of requests and answers of a system of tables.

use turnstile_plain::Message;
use turnstile_spec::system::composition::{Composition, Receivers};
use turnstile_spec::system::{LinkKind, LinkSpec, System};

use crate::options::Refusal;
use crate::results::fault::FaultReport;

use super::system::Requests;

/// The requests and answers of a system.
///
/// # Errors
///
/// A message that fails in two ways: what its sender gets would not be known.
pub(super) fn requests(file: &System, composition: &Composition) -> Result<Requests, Refusal> {
    let mut requests = Requests::default();
    for link in file.links.iter().filter(|link| link.kind == LinkKind::RequestResponse) {
        let asked = sent(file, composition, (&link.from, &link.to));
        let answers = sent(file, composition, (&link.to, &link.from));
        requests.answers.extend(answers.iter().map(|event| (*event).to_owned()));
        let Some(failure) = &link.failure else { continue };
        let given = Message {
            event: failure.event.as_str().into(),
            payload: failure.payload.as_deref().map(Into::into),
        };
        for event in asked.into_iter().chain(answers) {
            let other = requests.failures.insert(event.to_owned(), given.clone());
            if other.is_some_and(|other| other != given) {
                return Err(ambiguous(file, link, event));
            }
        }
    }
    Ok(requests)
}

/// The events that a role sends to another.
fn sent<'c>(file: &System, composition: &'c Composition, (from, to): (&str, &str)) -> Vec<&'c str> {
    let role = |name: &str| file.roles.iter().position(|role| role.name == name);
    let (Some(from), Some(to)) = (role(from), role(to)) else { return Vec::new() };
    let goes = |receivers: Receivers| match receivers {
        Receivers::Every(role) => role == to,
        Receivers::Sender => true,
    };
    let sends = composition.sends[from].iter().filter(|send| goes(send.to));
    sends.map(|send| send.event.as_str()).collect()
}

fn ambiguous(file: &System, link: &LinkSpec, event: &str) -> Refusal {
    let what = format!("`{event}` would fail in two ways, by `{}` and by another link", link.name);
    let span = link.failure.as_ref().map_or(link.span, |failure| failure.span);
    let help = "write the same `on failure`, or give the requests two names";
    Refusal::Faults(vec![FaultReport::not_runnable(&file.source, span, &what, help)])
}
