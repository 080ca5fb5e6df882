//! The value of a Rust string literal.

use std::str::Chars;

/// The text of a literal as it is written, `"tables\\door.yaml"` or `r"tables\door.yaml"`; nothing
/// where it is no string.
pub(crate) fn text(written: &str) -> Option<String> {
    if let Some(raw) = written.strip_prefix('r') {
        let inner = raw.trim_start_matches('#');
        let close = format!("\"{}", &raw[..raw.len() - inner.len()]);
        let inner = inner.strip_prefix('"')?;
        return inner.rfind(&close).map(|end| inner[..end].to_owned());
    }
    let inner = written.strip_prefix('"')?;
    let mut rest = inner[..inner.rfind('"')?].chars();
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.extend(escaped(&mut rest)),
            c => text.push(c),
        }
    }
    Some(text)
}

/// What stands behind a backslash; nothing where a line goes on. The compiler has read it before,
/// so it is one of these.
fn escaped(rest: &mut Chars<'_>) -> Option<char> {
    match rest.next()? {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '0' => Some('\0'),
        'x' => number(&rest.by_ref().take(2).collect::<String>()),
        'u' => number(&rest.by_ref().skip(1).take_while(|c| *c != '}').collect::<String>()),
        '\n' => {
            let line = rest.as_str().trim_start();
            *rest = line.chars();
            None
        }
        c => Some(c),
    }
}

fn number(digits: &str) -> Option<char> {
    u32::from_str_radix(&digits.replace('_', ""), 16).ok().and_then(char::from_u32)
}
