//! Reads a text as a [`System`]: types of values first, then names. Every mistake is an error: an
//! invalid system is not searched.

use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, sort};
use crate::language::shape::{self, Kind};
use crate::limit;
use crate::raw::{cite, flag, named, text, word, words};
use crate::source::Source;
use crate::system::model::{
    Budget, Count, Failure, LinkKind, LinkSpec, Property, Receiver, Role, Route, Saved, Setting,
    System, TimeRelation, Timer, WhenFull, World,
};
use crate::system::shape::SYSTEM;
use crate::system::{exemptions, property, sense, time};
use crate::yaml::{self, Node, Tree, Value, Word};

/// Reads a system file's tree.
pub(super) fn system(source: Source, tree: Tree) -> Result<System, Diagnostics> {
    let Tree { root: tree, mut diagnostics, .. } = tree;
    if let Some(diagnostic) = tree.as_ref().and_then(|tree| shape::mistaken(tree, false)) {
        diagnostics = vec![diagnostic];
    } else if let Some(tree) = &tree {
        shape::check(&source, tree, Kind::Map(&SYSTEM), &mut diagnostics);
    } else if diagnostics.is_empty() {
        diagnostics.push(yaml::empty());
    }
    let system = match &tree {
        Some(tree) if diagnostics.is_empty() => {
            Some(Reader { diagnostics: &mut diagnostics }.all(tree, &source))
        }
        _ => None,
    };
    match system {
        Some(system) if diagnostics.is_empty() => Ok(system),
        _ => {
            sort(&mut diagnostics);
            diagnostics.truncate(limit::DIAGNOSTICS);
            Err(Diagnostics { source, list: diagnostics })
        }
    }
}

struct Reader<'f> {
    diagnostics: &'f mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn all(&mut self, node: &Node, source: &Source) -> System {
        let roles = node.at("roles").map(Node::entries).unwrap_or_default();
        let set = settings(node);
        let roles: Vec<Role> =
            roles.iter().map(|(word, node)| self.role(word, node, &set)).collect();
        let links = node.at("links").map(Node::entries).unwrap_or_default();
        let links = links.iter().filter_map(|(word, node)| self.link(word, node, &roles)).collect();
        let time = node.at("time").map(Node::items).unwrap_or_default();
        let time = time.iter().filter_map(|node| self.before(node, &roles)).collect();
        let routes = node.at("routes").map(Node::entries).unwrap_or_default();
        let routes =
            routes.iter().filter_map(|(word, node)| self.route(word, node, &roles)).collect();
        let properties = node.at("properties").map(Node::items).unwrap_or_default();
        let is_of_tables = roles.iter().any(|role| role.table.is_some());
        let read = |node| property::property(node, is_of_tables, self.diagnostics);
        let properties: Vec<Property> = properties.iter().filter_map(read).collect();
        property::twins(&properties, self.diagnostics);
        let worlds = node.at("worlds").map(Node::entries).unwrap_or_default();
        let worlds: Vec<World> =
            worlds.iter().map(|(word, node)| self.world(word, node, &set, &properties)).collect();
        let system = System {
            name: text(node, "system"),
            about: text(node, "about"),
            document: node.at("document").map(crate::raw::document).map(Into::into),
            roles,
            links,
            routes,
            time,
            worlds,
            set,
            properties,
            span: word(node, "system").map(|word| word.span).unwrap_or_default(),
            source: source.clone(),
            hash: source.hash(),
        };
        sense::check(node, &system, self.diagnostics);
        time::circles(&system, self.diagnostics);
        exemptions::check(node, &system, self.diagnostics);
        system
    }

    fn role(&mut self, name: &Word, node: &Node, set: &[Setting]) -> Role {
        let count =
            word(node, "count").unwrap_or_else(|| Word { text: "1".into(), span: name.span });
        let number = count.text.parse::<u32>();
        let is_key = set.iter().any(|setting| setting.name == count.text);
        if number.is_err() && !is_key {
            let message = format!("`{}` is neither a number nor a key of `set`", count.text);
            let diagnostic = Diagnostic::error(code::UNKNOWN_SETTING, message)
                .label(count.span, "not a count")
                .help(did_you_mean(
                    &count.text,
                    set.iter().map(|setting| setting.name.as_str()),
                    "a number",
                ));
            self.diagnostics.push(diagnostic);
        }
        let (machine, table) = (word(node, "machine"), word(node, "table"));
        if machine.is_some() == table.is_some() {
            let message = format!("role `{}` needs either `machine` or `table`", name.text);
            let found = if machine.is_some() { "it has both" } else { "it has neither" };
            let help = "write `table: FILE.yaml` for a table that runs without a core";
            let diagnostic = Diagnostic::error(code::MISSING_KEY, message);
            self.diagnostics.push(diagnostic.label(name.span, found).help(help));
        }
        Role {
            name: name.text.clone(),
            machine: machine.map(|word| word.text).unwrap_or_default(),
            table: table.map(|word| word.text),
            count: number.map_or(Count::Setting(count.text), Count::Number),
            symmetric: flag(node, "symmetric").unwrap_or(false),
            about: text(node, "about"),
            cite: cite(node, "cite"),
            span: name.span,
        }
    }

    fn link(&mut self, name: &Word, node: &Node, roles: &[Role]) -> Option<LinkSpec> {
        let Some((from, to)) = name.text.split_once(" to ") else {
            let message =
                format!("the link name `{}` does not have the form `FROM to TO`", name.text);
            let diagnostic = Diagnostic::error(code::INVALID_RELATION, message)
                .label(name.span, "` to ` is missing")
                .help("name the sending and the receiving role: `client to server`");
            self.diagnostics.push(diagnostic);
            return None;
        };
        for role in [from, to] {
            self.known_role(role.trim(), name.span, roles);
        }
        let capacity = word(node, "slots").or_else(|| word(node, "capacity"));
        let capacity = capacity.and_then(|word| word.text.parse().ok());
        if capacity.is_none_or(|capacity: u32| capacity == 0) {
            let message = format!("the link `{}` has no capacity", name.text);
            let found = match capacity {
                Some(_) => "a capacity is at least 1",
                None => "the number of messages in flight is unbounded",
            };
            let diagnostic = Diagnostic::error(code::NO_CAPACITY, message)
                .label(name.span, found)
                .help("add `slots: 2` or `capacity: 2`");
            self.diagnostics.push(diagnostic);
        }
        let kind = match text(node, "kind").as_str() {
            "fifo" => LinkKind::Fifo,
            "unordered" => LinkKind::Unordered,
            _ => LinkKind::RequestResponse,
        };
        Some(LinkSpec {
            name: name.text.clone(),
            from: from.trim().to_owned(),
            to: to.trim().to_owned(),
            kind,
            capacity: capacity.unwrap_or(0),
            when_full: match text(node, "when full").as_str() {
                "drop" => WhenFull::Drop,
                "block" => WhenFull::Block,
                _ => WhenFull::Fail,
            },
            failure: word(node, "on failure").map(failure),
            about: text(node, "about"),
            cite: cite(node, "cite"),
            span: name.span,
        })
    }

    fn route(&mut self, event: &Word, node: &Node, roles: &[Role]) -> Option<Route> {
        let (from, to) = (word(node, "from"), word(node, "to")?);
        if let Some(from) = &from {
            self.known_role(&from.text, from.span, roles);
        }
        let receiver = match to.text.as_str() {
            "sender" => Receiver::Sender,
            "every other" => Receiver::Others,
            role => match role.strip_prefix("every ") {
                Some(role) => Receiver::Every(role.trim().to_owned()),
                None => Receiver::Role(role.to_owned()),
            },
        };
        if let Receiver::Role(role) | Receiver::Every(role) = &receiver {
            self.known_role(role, to.span, roles);
        }
        let from = from.map(|word| word.text);
        Some(Route { event: event.text.clone(), from, to: receiver, span: event.span })
    }

    fn known_role(&mut self, role: &str, span: Span, roles: &[Role]) {
        if roles.iter().all(|known| known.name != role) {
            let known = roles.iter().map(|role| role.name.as_str());
            let diagnostic =
                Diagnostic::error(code::UNKNOWN_ROLE, format!("role `{role}` is not declared"))
                    .label(span, "no such role")
                    .help(did_you_mean(role, known, "a role of `roles`"));
            self.diagnostics.push(diagnostic);
        }
    }

    fn before(&mut self, node: &Node, roles: &[Role]) -> Option<TimeRelation> {
        let words = match &node.value {
            Value::Map(_) => word(node, "relation").unwrap_or_default(),
            Value::Absent | Value::Refused | Value::Scalar(_) | Value::List(_) => node.word(),
        };
        let (relation, counted) = words.text.split_once(',').unwrap_or((&words.text, ""));
        let timers = relation
            .split_once(" before ")
            .and_then(|(earlier, later)| Some((first(earlier.trim())?, timer(later.trim())?)));
        let Some((earlier, later)) = timers else {
            let message = format!("invalid time relation `{}`", words.text);
            let diagnostic = Diagnostic::error(code::INVALID_RELATION, message)
                .label(words.span, "cannot be parsed")
                .help(
                    "write `ROLE.TIMER before ROLE.TIMER`: `client.lease before server.ttl`; \
                     or `messages before ROLE.TIMER`",
                );
            self.diagnostics.push(diagnostic);
            return None;
        };
        if let Some(earlier) = &earlier {
            self.known_role(&earlier.role, words.span, roles);
        }
        self.known_role(&later.role, words.span, roles);
        Some(TimeRelation {
            earlier,
            later,
            counted: counted.trim().to_owned(),
            because: text(node, "because"),
            cite: cite(node, "cite"),
            span: words.span,
        })
    }

    fn world(
        &mut self,
        name: &Word,
        node: &Node,
        set: &[Setting],
        properties: &[Property],
    ) -> World {
        let own = node.at("set").map(Node::entries).unwrap_or_default();
        let is_known = |key: &Word| set.iter().any(|setting| setting.name == key.text);
        for (key, _) in own.iter().filter(|(key, _)| !is_known(key)) {
            let message = format!("`{}` is not a key of the system's `set`", key.text);
            let diagnostic = Diagnostic::error(code::UNKNOWN_SETTING, message)
                .label(key.span, "no such key")
                .help(did_you_mean(
                    &key.text,
                    set.iter().map(|one| one.name.as_str()),
                    "a key of `set`",
                ));
            self.diagnostics.push(diagnostic);
        }
        let checked = words(node, "properties").unwrap_or_default();
        for word in checked.iter().filter(|w| properties.iter().all(|p| p.name != w.text)) {
            let known = properties.iter().map(|property| property.name.as_str());
            let message = format!("property `{}` is not declared", word.text);
            let diagnostic = Diagnostic::error(code::UNKNOWN_PROPERTY, message)
                .label(word.span, "no such property")
                .help(did_you_mean(&word.text, known, "a property of this file"));
            self.diagnostics.push(diagnostic);
        }
        let budgets = node.at("budgets").map(Node::entries).unwrap_or_default();
        // `any` parses as no number.
        let count = |node: &Node| node.word().text.parse().ok();
        World {
            name: name.text.clone(),
            about: text(node, "about"),
            budgets: budgets
                .iter()
                .map(|(word, node)| Budget {
                    name: word.text.clone(),
                    limit: count(node),
                    span: word.span,
                })
                .collect(),
            saved: named(node, "saved", |node| node.words())
                .into_iter()
                .map(|(role, parts)| Saved {
                    role: role.text,
                    parts: parts.into_iter().map(|word| word.text).collect(),
                    span: role.span,
                })
                .collect(),
            set: settings(node),
            default: flag(node, "default").unwrap_or(true),
            properties: checked.into_iter().map(|word| word.text).collect(),
            span: name.span,
        }
    }
}

/// `response (503)`.
fn failure(word: Word) -> Failure {
    let (event, payload) = match word.text.split_once('(') {
        Some((event, payload)) => (event, Some(payload.trim_end_matches(')').trim().to_owned())),
        None => (&*word.text, None),
    };
    Failure { event: event.trim().to_owned(), payload, span: word.span }
}

/// The settings of a system or of one of its worlds.
fn settings(node: &Node) -> Vec<Setting> {
    let each = |(word, value): (Word, String)| Setting { name: word.text, value, span: word.span };
    named(node, "set", |node| node.word().text).into_iter().map(each).collect()
}

/// The first operand of a time relation: a timer, or messages.
#[expect(clippy::option_option, reason = "the outer one says whether it can be read")]
fn first(words: &str) -> Option<Option<Timer>> {
    if words == "messages" { Some(None) } else { timer(words).map(Some) }
}

fn timer(words: &str) -> Option<Timer> {
    let (role, name) = words.split_once('.')?;
    let is_full = !role.trim().is_empty() && !name.trim().is_empty();
    is_full.then(|| Timer { role: role.trim().to_owned(), name: name.trim().to_owned() })
}

pub(super) fn did_you_mean<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
    what: &str,
) -> String {
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write {what}"),
    }
}
