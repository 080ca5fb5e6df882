//! What the files of a machine are called.

/// What stands in the name of a file that holds an overview.
pub const OVERVIEW: &str = "overview";

/// What a machine's files are called, without what tells the format: its name, but for letters
/// that mean something in a path or to a shell.
#[must_use]
pub fn stem(machine: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let plain = |letter: char| if is_plain(letter) { letter } else { '-' };
    let stem: String = machine.chars().map(plain).collect();
    // A file that begins with a full stop is hidden.
    if stem.starts_with('.') { stem.replacen('.', "-", 1) } else { stem }
}
