//! Words, lines and links as Markdown has them, in a cell or in a heading.

use turnstile_spec::table::Lines;

/// Lines as the document's reader looks them up: `36, 40-41`.
pub(crate) fn lines(cite: &[Lines]) -> String {
    let one = |lines: &Lines| match (lines.start(), lines.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    cite.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A reference to an amendment's part of the page; nothing for none.
pub(crate) fn link(amendment: &str) -> String {
    if amendment.is_empty() {
        return String::new();
    }
    format!("[{}](#{})", escaped(amendment).replace(']', "\\]"), anchor(amendment))
}

/// What a heading is called where a page is referred to: small letters, digits and hyphens.
fn anchor(heading: &str) -> String {
    let keep = |letter: char| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    };
    heading.to_lowercase().chars().filter_map(keep).collect()
}

/// A file's name as the target of a link.
pub(crate) fn target(file: &str) -> String {
    let mut target = String::new();
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                target.push(char::from(byte));
            }
            _ => target += &format!("%{byte:02X}"),
        }
    }
    target
}

/// A dash for nothing.
pub(crate) fn dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

/// A sentence, which may name things in backquotes, as it stands in a cell.
pub(crate) fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('\n', " ")
}

/// A name as it stands in a cell of a Markdown table.
pub(crate) fn escaped(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '*' | '_' | '`' | '<' | '[' | '\\' => {
                plain.push('\\');
                plain.push(letter);
            }
            '\n' => plain.push(' '),
            _ => plain.push(letter),
        }
    }
    plain
}
