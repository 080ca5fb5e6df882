//! Arguments that the programs share, read from text.

/// The maximum length of a lock's id in bytes.
const ID_MAX: usize = 255;

/// Reads the id of a lock: 1 to 255 bytes without control characters.
///
/// # Errors
/// What is expected, in words.
pub fn lock_id(text: &str) -> Result<String, String> {
    match text.is_empty() || text.len() > ID_MAX || text.chars().any(char::is_control) {
        true => Err(format!("1 to {ID_MAX} bytes without control characters are expected")),
        false => Ok(text.to_owned()),
    }
}

/// Reads the maximum number of users of a member.
///
/// # Errors
/// Which numbers are possible, in words.
pub fn users(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| "1 to 100000 are possible".to_owned())
}
