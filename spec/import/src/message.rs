//! The words by which a document speaks of messages.

/// Words of messages.
pub(crate) const MESSAGES: [&str; 19] = [
    "receive",
    "receives",
    "received",
    "rcv",
    "recv",
    "reception",
    "receipt",
    "arrives",
    "arrival",
    "message",
    "msg",
    "packet",
    "frame",
    "pdu",
    "segment",
    "reply",
    "response",
    "answer",
    "ack",
];

/// Whether a word is one of messages.
pub(crate) fn is_of_message(word: &str) -> bool {
    MESSAGES.contains(&word)
}
