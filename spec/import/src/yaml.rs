//! YAML as people write tables: one flow mapping a line, in columns. The libraries that write YAML
//! know neither.

use std::fmt::Write as _;

use turnstile_spec::scalar::scalar;

/// One line of a section.
#[derive(Debug, Default)]
pub(crate) struct Item {
    /// Comments above it.
    pub(crate) comments: Vec<String>,
    /// Its key; a line of a list has none.
    pub(crate) key: Option<String>,
    /// A value instead of a mapping.
    pub(crate) value: Option<String>,
    /// Keys with the text of their values.
    pub(crate) fields: Vec<(&'static str, String)>,
}

/// The widest column that others are aligned with.
const COLUMN: usize = 48;

/// A section: its key and its entries; nothing if there are none. The leading fields of these names
/// are columns.
pub(crate) fn section(name: &str, entries: &[Item], columns: &[&str]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let keys = entries.iter().filter_map(|entry| entry.key.as_ref());
    let key_width = keys.map(|key| width(key) + 1).filter(|w| *w <= COLUMN).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| {
            let fields = entries.iter().flat_map(|entry| &entry.fields);
            let of_column = fields.filter(|(key, _)| key == column);
            let sizes = of_column.map(|(key, value)| key.len() + 2 + width(value) + 1);
            sizes.filter(|size| *size <= COLUMN * 2).max().unwrap_or(0)
        })
        .collect();
    let mut text = format!("\n{name}:\n");
    for entry in entries {
        for comment in &entry.comments {
            let _ = writeln!(text, "  # {comment}");
        }
        text.push_str("  ");
        match &entry.key {
            Some(key) => pad(&mut text, &format!("{key}:"), key_width),
            None => text.push('-'),
        }
        let value = entry.value.clone();
        let value = value.unwrap_or_else(|| flow(&entry.fields, columns, &widths));
        if value.starts_with('\n') {
            text.truncate(text.trim_end().len());
        } else {
            text.push(' ');
        }
        text.push_str(&value);
        text.push('\n');
    }
    text
}

fn flow(fields: &[(&'static str, String)], columns: &[&str], widths: &[usize]) -> String {
    if fields.is_empty() {
        return "{}".to_owned();
    }
    let mut text = "{ ".to_owned();
    for (nth, (key, value)) in fields.iter().enumerate() {
        let is_last = nth + 1 == fields.len();
        let field = format!("{key}: {value}{}", if is_last { "" } else { "," });
        let column = columns.get(nth).filter(|column| *column == key && !is_last);
        pad(&mut text, &field, column.map_or(0, |_| widths[nth]));
        text.push(' ');
    }
    text + "}"
}

fn pad(text: &mut String, field: &str, width_min: usize) {
    text.push_str(field);
    for _ in width(field)..width_min {
        text.push(' ');
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A list of scalars.
pub(crate) fn list<'t>(items: impl IntoIterator<Item = &'t str>) -> String {
    let items: Vec<String> = items.into_iter().map(scalar).collect();
    format!("[{}]", items.join(", "))
}

/// One scalar, or a list of several.
pub(crate) fn one_or_list(items: &[&str]) -> String {
    match items {
        [only] => scalar(only),
        _ => list(items.iter().copied()),
    }
}
