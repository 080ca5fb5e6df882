//! Percent-encoding of names and values.

/// Decodes percent-encoding, with `+` for a space.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (high, low) = (rest.next()?, rest.next()?);
                let digit = |byte: u8| char::from(byte).to_digit(16);
                (digit(high)? * 16 + digit(low)?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Percent-encodes a value for a query string.
#[must_use]
pub fn encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes() {
        let name = "a/b c+ü%&=";
        assert_eq!(decode(&encode(name)).as_deref(), Some(name));
    }
}
