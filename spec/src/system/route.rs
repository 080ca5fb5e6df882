//! The receivers of the messages that actions send: the route of the file, or else the only role
//! that a link leads to and whose table has the event.

use crate::diagnostic::{Diagnostic, code};
use crate::read::variables::PAYLOAD;
use crate::system::formula::suggestion;
use crate::system::role_table::RoleTable;
use crate::system::{LinkKind, Receiver, Route, System};
use crate::table::{ActionId, PayloadDomain, Sends, VariableId};

/// A message that an action of a role sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// The action.
    pub action: ActionId,
    /// The event, in words.
    pub event: String,
    /// The value of its payload.
    pub payload: SentValue,
    /// Its receivers.
    pub to: Receivers,
}

/// The payload of a message that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentValue {
    /// The event has none.
    Nothing,
    /// This value, in words.
    Value(String),
    /// The value of a variable of the sender.
    Variable(VariableId),
    /// The payload of the event that the sender handles.
    Payload,
}

/// The receivers of a message, roles by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// Every node of a role, but the sender.
    Every(usize),
    /// The node whose message the sender handles.
    Sender,
}

/// The messages that a role's actions send.
pub(super) fn sends(
    system: &System,
    roles: &[RoleTable<'_>],
    role: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Send> {
    let of = Sender { system, roles, role };
    let sends = &roles[role].table.sends;
    let sent = sends.iter().filter_map(|sends| match of.send(sends) {
        Ok(send) => Some(send),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    });
    sent.collect()
}

/// Reports routes of events that no action sends.
pub(super) fn unused(system: &System, roles: &[RoleTable<'_>], diagnostics: &mut Vec<Diagnostic>) {
    for route in &system.routes {
        let is_sender =
            |role: &&RoleTable<'_>| route.from.as_ref().is_none_or(|from| *from == role.role.name);
        let senders = || roles.iter().filter(is_sender);
        let sends = || senders().flat_map(|role| &role.table.sends);
        if sends().all(|sends| sends.event != route.event) {
            let known = sends().map(|sends| sends.event.as_str());
            let help = suggestion(&route.event, known, "remove the route");
            let message = format!("no action sends `{}`", route.event);
            let diagnostic = Diagnostic::error(code::NO_ROUTE, message);
            diagnostics.push(diagnostic.label(route.span, "has no effect").help(help));
        }
    }
}

/// A role whose actions send messages.
struct Sender<'a> {
    system: &'a System,
    roles: &'a [RoleTable<'a>],
    role: usize,
}

impl Sender<'_> {
    fn send(&self, sends: &Sends) -> Result<Send, Box<Diagnostic>> {
        let name = &self.roles[self.role].role.name;
        let mut routes = self.system.routes.iter().filter(|route| route.event == sends.event);
        let own = routes.clone().find(|route| route.from.as_ref() == Some(name));
        let route = own.or_else(|| routes.find(|route| route.from.is_none()));
        let to = match route {
            Some(route) => self.routed(sends, route)?,
            None => Receivers::Every(self.only(sends)?),
        };
        let payload = self.payload(sends, to)?;
        Ok(Send { action: sends.action, event: sends.event.clone(), payload, to })
    }

    /// Whether a link carries messages to a role, answers to requests included.
    fn reaches(&self, to: usize) -> bool {
        let [from, to] = [self.role, to].map(|role| &self.roles[role].role.name);
        self.system.links.iter().any(|link| {
            link.from == *from && link.to == *to
                || link.kind == LinkKind::RequestResponse && link.from == *to && link.to == *from
        })
    }

    /// The roles that a link leads to and whose table has the event.
    fn candidates<'s>(&'s self, event: &'s str) -> impl Iterator<Item = usize> + 's {
        let is_one =
            move |role: &usize| self.reaches(*role) && self.roles[*role].event(event).is_some();
        (0..self.roles.len()).filter(is_one)
    }

    fn routed(&self, sends: &Sends, route: &Route) -> Result<Receivers, Box<Diagnostic>> {
        let (role, is_every) = match &route.to {
            Receiver::Sender if self.candidates(&sends.event).next().is_some() => {
                return Ok(Receivers::Sender);
            }
            Receiver::Sender => return Err(self.nobody(sends)),
            Receiver::Others => (self.role, true),
            Receiver::Every(name) => (self.place(name), true),
            Receiver::Role(name) => (self.place(name), false),
        };
        if self.candidates(&sends.event).all(|candidate| candidate != role) {
            return Err(self.nobody(sends));
        }
        if !is_every && !self.roles[role].is_one {
            return Err(self.several(sends, role));
        }
        Ok(Receivers::Every(role))
    }

    /// The position of a role, which the reader has looked up.
    fn place(&self, name: &str) -> usize {
        self.roles.iter().position(|role| role.role.name == name).unwrap_or(usize::MAX)
    }

    /// The only role that can receive the event, if it has one node.
    fn only(&self, sends: &Sends) -> Result<usize, Box<Diagnostic>> {
        let candidates: Vec<usize> = self.candidates(&sends.event).collect();
        match candidates[..] {
            [] => Err(self.nobody(sends)),
            [role] if self.roles[role].is_one => Ok(role),
            [role] => Err(self.several(sends, role)),
            [..] => {
                let names = candidates.iter().map(|role| self.roles[*role].role.name.as_str());
                let names: Vec<&str> = names.collect();
                let what = format!("it may go to {}", names.join(" or "));
                let help = format!("add a route: `{}: {{ to: {} }}`", sends.event, names[0]);
                Err(self.diagnostic(sends, &what, &help))
            }
        }
    }

    fn nobody(&self, sends: &Sends) -> Box<Diagnostic> {
        let event = &sends.event;
        let knows = |role: &&RoleTable<'_>| role.event(event).is_some();
        let knowing = self.roles.iter().filter(knows).map(|role| role.role.name.as_str());
        let knowing: Vec<&str> = knowing.collect();
        let from = &self.roles[self.role].role.name;
        if let Some(to) = knowing.first() {
            let what = format!("no link leads from `{from}` to `{}`", knowing.join("` or `"));
            let help = format!("add a link: `{from} to {to}: {{ kind: fifo, capacity: 2 }}`");
            return self.diagnostic(sends, &what, &help);
        }
        let events = self.roles.iter().flat_map(|role| &role.vocabulary.events);
        let events = events.map(|event| event.name.name.as_str());
        let help = suggestion(event, events, "declare the event in the receiver's table");
        self.diagnostic(sends, "no table has this event", &help)
    }

    fn several(&self, sends: &Sends, role: usize) -> Box<Diagnostic> {
        let to = &self.roles[role].role.name;
        let what = format!("`{to}` may be several nodes");
        let event = &sends.event;
        let help =
            format!("add a route: `{event}: {{ to: every {to} }}`, or `{event}: {{ to: sender }}`");
        self.diagnostic(sends, &what, &help)
    }

    /// The payload, which every receiver's table must take.
    fn payload(&self, sends: &Sends, to: Receivers) -> Result<SentValue, Box<Diagnostic>> {
        let receivers: Vec<usize> = match to {
            Receivers::Every(role) => vec![role],
            Receivers::Sender => self.candidates(&sends.event).collect(),
        };
        let mut sent = SentValue::Nothing;
        for receiver in receivers {
            let of = &self.roles[receiver];
            let Some(event) = of.event(&sends.event) else { continue };
            let payload = of.vocabulary.events[event.index()].payload.as_ref();
            let what = match (payload, &sends.payload) {
                (None, None) => continue,
                (None, Some(value)) => format!("`{}` has no payload `{value}`", sends.event),
                (Some(_), None) => format!("`{}` needs a value", sends.event),
                (Some(payload), Some(value)) => match self.value(&payload.domain, value) {
                    Some(value) => {
                        sent = value;
                        continue;
                    }
                    None => format!("`{value}` is no value of `{}`'s payload", sends.event),
                },
            };
            let help = match payload.map(|payload| payload.domain.words()) {
                Some(values) => {
                    format!("write `sends: {} (VALUE)`, a value of: {values}", sends.event)
                }
                None => format!("write `sends: {}`", sends.event),
            };
            return Err(self.diagnostic(sends, &what, &help));
        }
        Ok(sent)
    }

    /// A value of a receiver's payload: one of its own, the payload that is handled, or a variable
    /// all of whose values it has.
    fn value(&self, domain: &PayloadDomain, text: &str) -> Option<SentValue> {
        if domain.number(text).is_some() {
            return Some(SentValue::Value(text.to_owned()));
        }
        if text == PAYLOAD {
            return Some(SentValue::Payload);
        }
        let variables = &self.roles[self.role].vocabulary.variables;
        let place = variables.iter().position(|variable| variable.name.name == text)?;
        let fits = match (&variables[place].domain, domain) {
            (PayloadDomain::Number(own), PayloadDomain::Number(other)) => {
                other.contains(own.start()) && other.contains(own.end())
            }
            (PayloadDomain::Words(own), other) => {
                own.iter().all(|word| other.number(&word.name).is_some())
            }
            (PayloadDomain::Bool, other) => {
                ["false", "true"].iter().all(|value| other.number(value).is_some())
            }
            (PayloadDomain::Number(_), _) => false,
        };
        let id = u16::try_from(place).ok().map(VariableId)?;
        fits.then_some(SentValue::Variable(id))
    }

    /// At the link of the sender in the system file, or at the role: the action is in another
    /// file.
    fn diagnostic(&self, sends: &Sends, what: &str, help: &str) -> Box<Diagnostic> {
        let of = &self.roles[self.role];
        let action = &of.vocabulary.actions[sends.action.index()].name;
        let message = format!(
            "action `{action}` of `{}` sends `{}`: {what}",
            of.vocabulary.machine, sends.event
        );
        let route = self.system.routes.iter().find(|route| route.event == sends.event);
        let span = route.map_or(of.role.span, |route| route.span);
        Box::new(Diagnostic::error(code::NO_ROUTE, message).label(span, "from here").help(help))
    }
}
