//! A line of JSON.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Appends a line of JSON.
pub(super) fn put_line(lines: &mut Vec<u8>, line: &impl Serialize) {
    let mut serializer = Serializer::with_formatter(&mut *lines, OneLine);
    line.serialize(&mut serializer).expect("a line is plain data");
    lines.push(b'\n');
}

/// JSON that no reader takes for two lines, or shows in another order: what ends a line or controls
/// a terminal is escaped, as a name may have it.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        mut fragment: &str,
    ) -> io::Result<()> {
        let controls = |letter: char| {
            let is_format = matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            is_format || letter.is_control()
        };
        while let Some(at) = fragment.find(controls) {
            let (plain, rest) = fragment.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut rest = rest.chars();
            if let Some(letter) = rest.next() {
                write!(writer, "\\u{:04x}", u32::from(letter))?;
            }
            fragment = rest.as_str();
        }
        writer.write_all(fragment.as_bytes())
    }
}
