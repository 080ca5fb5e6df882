//! Messages of the cluster as text.

use turnstile_replicated_lock_core::message::Message;
use turnstile_scenario::Deliverable as _;

#[test]
fn a_message_of_the_cluster_parses_as_it_displays() {
    for words in [
        "members left, connected are 1, 3",
        "elected, for the coordinator changed",
        "another is elected",
        "at 3: LOCK lock 5 of address 1, call 2",
        "at 4: RESET to nobody of address 1",
        "snapshot",
        "snapshot at 4; lock 5 held by 1 since 3, waiting are 3, 2; lock 6 held by 2 since 4",
        "result of call 1, at 3: holding lock 5 with token 3",
        "failure of call 1, for lock 5",
    ] {
        let message = Message::parse(words).unwrap_or_else(|| panic!("{words}"));
        assert_eq!(message.to_string(), words);
    }
    for words in ["", "at 3: LOCK lock 5", "result of call 1, at 3: asleep lock 5", "elected"] {
        assert_eq!(Message::parse(words), None, "{words}");
    }
}
