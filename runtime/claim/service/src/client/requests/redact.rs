//! Hides what may be secret in the text of a URL. Nothing is sent: only messages use it.

/// Stands for what is hidden.
const HIDDEN: &str = "***";

/// A text that was given as a URL, without user and password, query and fragment. What stands in
/// the place of a port and is no number is hidden, too: it may be a password whose host is missing.
#[must_use]
pub fn redacted(url: &str) -> String {
    let (scheme, rest) = url.find("://").map_or(("", url), |end| url.split_at(end + 3));
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| (HIDDEN, rest));
    let at = if user.is_empty() { "" } else { "@" };
    let (rest, query) = match rest.find(['?', '#']) {
        Some(end) => (&rest[..end], [&rest[end..=end], HIDDEN].concat()),
        None => (rest, String::new()),
    };
    let (authority, path) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    match port {
        Some(port) if port.parse::<u16>().is_err() => {
            format!("{scheme}{user}{at}{host}:{HIDDEN}")
        }
        _ => format!("{scheme}{user}{at}{authority}{path}{query}"),
    }
}

/// A word of a command line, in which user and password of each URL are hidden.
pub(crate) fn without_passwords(word: &str) -> String {
    let mut shown = String::new();
    let mut rest = word;
    while let Some(end) = rest.find("://") {
        let (before, after) = rest.split_at(end + 3);
        let is_end = |letter: char| letter.is_whitespace() || "/?#\"'<>".contains(letter);
        let authority = &after[..after.find(is_end).unwrap_or(after.len())];
        shown += before;
        rest = match authority.rfind('@') {
            Some(at) => {
                shown += HIDDEN;
                &after[at..]
            }
            None => after,
        };
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use crate::client::requests::redact::*;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(redacted(url), expected, "{url}");
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        check("http://h:5000", "http://h:5000");
        check("https://[::1]:81/locks/", "https://[::1]:81/locks/");
        check("http://[::1]", "http://[::1]");
        check("nowhere", "nowhere");
        check("http://user:secret@h:5000/a", "http://***@h:5000/a");
        check("user:secret@h", "***@h");
        check("http://user:se/cr?e#t@h", "http://***@h");
        check("http://h/?token=secret", "http://h/?***");
        check("http://h#secret", "http://h#***");
        check("http://user:secret", "http://user:***");
        check("http://user:sec/ret", "http://user:***");
        check("", "");
    }

    #[test]
    fn a_command_line_is_shown_without_passwords() {
        let shown = without_passwords("a --url=http://u:p@h/x '//q' ftp://v@i?c=d@e https://j");
        assert_eq!(shown, "a --url=http://***@h/x '//q' ftp://***@i?c=d@e https://j");
    }
}
