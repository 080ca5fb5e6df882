//! JSON Schema of table and system files, for editors. Generated from the schema that the reader
//! checks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use turnstile_spec::camel;
use turnstile_spec::language::{Kind, Shape, TABLE};
use turnstile_spec::system::SYSTEM;

/// The schema of table files: JSON, draft 2020-12, two spaces a level, a newline at its end.
#[must_use]
pub fn table() -> String {
    write(&TABLE, "Turnstile table")
}

/// The schema of system files.
#[must_use]
pub fn system() -> String {
    write(&SYSTEM, "Turnstile system")
}

fn write(shape: &'static Shape, title: &str) -> String {
    let mut shapes = BTreeMap::new();
    collect(Kind::Map(shape), &mut shapes);
    let mut json = Json::default();
    json.open('{');
    json.field("$schema", "https://json-schema.org/draft/2020-12/schema");
    json.field("title", title);
    json.key("$ref");
    json.text(&reference(shape));
    json.key("$defs");
    json.open('{');
    for (name, shape) in &shapes {
        json.key(name);
        mapping(&mut json, shape);
    }
    json.close('}');
    json.close('}');
    json.text.push('\n');
    json.text
}

/// Every shape that a kind leads to, by its name.
fn collect(kind: Kind, shapes: &mut BTreeMap<String, &'static Shape>) {
    match kind {
        Kind::Map(shape) => {
            if shapes.insert(camel(shape.name), shape).is_none() {
                shape.keys.iter().for_each(|key| collect(key.kind, shapes));
            }
        }
        Kind::Names(kind) | Kind::List(kind) => collect(*kind, shapes),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| collect(*kind, shapes)),
        Kind::Text | Kind::Flag | Kind::Choice(_) | Kind::Number | Kind::Lines => {}
    }
}

fn reference(shape: &Shape) -> String {
    format!("#/$defs/{}", camel(shape.name))
}

fn mapping(json: &mut Json, shape: &Shape) {
    json.open('{');
    json.field("type", "object");
    json.key("additionalProperties");
    json.word("false");
    let required: Vec<&str> =
        shape.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        json.key("required");
        json.texts(&required);
    }
    let needs: Vec<_> = shape.keys.iter().filter_map(|key| Some((key.name, key.needs?))).collect();
    if !needs.is_empty() {
        json.key("dependentRequired");
        json.open('{');
        for (name, needs) in needs {
            json.key(name);
            json.texts(&[needs]);
        }
        json.close('}');
    }
    json.key("properties");
    json.open('{');
    for key in shape.keys {
        json.key(key.name);
        json.open('{');
        json.field("description", key.about);
        value(json, key.kind);
        json.close('}');
    }
    json.close('}');
    json.close('}');
}

/// The keywords of a kind, into a mapping that is open.
fn value(json: &mut Json, kind: Kind) {
    match kind {
        // A name that looks like a number or a flag is a name all the same.
        Kind::Text => {
            json.key("type");
            json.texts(&["string", "number", "boolean"]);
        }
        Kind::Flag => json.field("type", "boolean"),
        Kind::Choice(words) => {
            json.key("enum");
            json.open('[');
            for word in words {
                json.item();
                json.text(word);
                if word.parse::<u32>().is_ok() {
                    json.item();
                    json.word(word);
                }
            }
            json.close(']');
        }
        Kind::Number => {
            json.field("type", "integer");
            json.key("minimum");
            json.word("0");
        }
        Kind::Lines => lines(json),
        Kind::Map(shape) => json.field("$ref", &reference(shape)),
        Kind::Names(kind) => {
            json.field("type", "object");
            nested(json, "additionalProperties", *kind);
        }
        Kind::List(kind) => {
            json.field("type", "array");
            nested(json, "items", *kind);
        }
        Kind::Either(kinds) => {
            json.key("anyOf");
            json.open('[');
            for kind in kinds {
                json.item();
                json.open('{');
                value(json, *kind);
                json.close('}');
            }
            json.close(']');
        }
    }
}

fn nested(json: &mut Json, key: &str, kind: Kind) {
    json.key(key);
    json.open('{');
    value(json, kind);
    json.close('}');
}

/// 36, "36-41", or a list of such.
fn lines(json: &mut Json) {
    let one = |json: &mut Json| {
        json.item();
        json.open('{');
        json.field("type", "integer");
        json.key("minimum");
        json.word("1");
        json.close('}');
        json.item();
        json.open('{');
        json.field("type", "string");
        json.field("pattern", "^[0-9]+(-[0-9]+)?$");
        json.close('}');
    };
    json.key("anyOf");
    json.open('[');
    one(json);
    json.item();
    json.open('{');
    json.field("type", "array");
    json.key("items");
    json.open('{');
    json.key("anyOf");
    json.open('[');
    one(json);
    json.close(']');
    json.close('}');
    json.close('}');
    json.close(']');
}

/// JSON on its way, indented.
#[derive(Default)]
struct Json {
    text: String,
    depth: usize,
    is_begun: bool,
}

impl Json {
    fn open(&mut self, bracket: char) {
        self.text.push(bracket);
        self.depth += 1;
        self.is_begun = false;
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if self.is_begun {
            self.line();
        }
        self.text.push(bracket);
        self.is_begun = true;
    }

    fn line(&mut self) {
        let _ = write!(self.text, "\n{:1$}", "", self.depth * 2);
    }

    /// Begins an item of a list, or an entry of a mapping.
    fn item(&mut self) {
        if self.is_begun {
            self.text.push(',');
        }
        self.line();
        self.is_begun = true;
    }

    fn key(&mut self, key: &str) {
        self.item();
        self.text(key);
        self.text.push_str(": ");
    }

    fn field(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text(value);
    }

    fn word(&mut self, word: &str) {
        self.text.push_str(word);
    }

    /// The texts of shapes have quotes at most.
    fn text(&mut self, text: &str) {
        self.text.push('"');
        self.text.push_str(&text.replace('\\', "\\\\").replace('"', "\\\""));
        self.text.push('"');
    }

    fn texts(&mut self, texts: &[&str]) {
        self.text.push('[');
        for (nth, text) in texts.iter().enumerate() {
            if nth > 0 {
                self.text.push_str(", ");
            }
            self.text(text);
        }
        self.text.push(']');
    }
}
