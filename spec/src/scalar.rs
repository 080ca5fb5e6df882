//! A name as YAML has it, with quotes where it needs them.

use std::fmt::Write as _;

/// A scalar inside of braces or as a key, with quotes if it needs them.
#[must_use]
pub fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "none"];
    let first = text.chars().next().unwrap_or(' ');
    let is_number = text.parse::<f64>().is_ok() || first.is_ascii_digit();
    first.is_alphanumeric()
        && !is_number
        && !WORDS.contains(&text.to_lowercase().as_str())
        && !text.contains([',', '[', ']', '{', '}', '"', '\\', '\u{feff}'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && !text.chars().any(char::is_control)
}

fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() || c == '\u{feff}' => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
