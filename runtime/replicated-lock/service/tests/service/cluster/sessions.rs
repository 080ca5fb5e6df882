//! Sessions alone, without a log: which operations of a session count, and when it ends.

use std::time::Duration;

use turnstile_ids::number::Token;
use turnstile_replicated_lock::operation::{CommandResult, NewSession, Sent, SessionId};
use turnstile_replicated_lock::sessions::{Admission, REMEMBERED, Registration, Sessions};
use turnstile_replicated_lock::{Address, LockStatus};

const A: Address = Address(10);
const B: Address = Address(20);

const fn session(address: Address, epoch: u64) -> SessionId {
    SessionId { address, epoch }
}

fn register(sessions: &mut Sessions, session: SessionId, member: u64, after: u64) -> Registration {
    sessions.register(NewSession { session, member, lease: Duration::ZERO, after })
}

/// A RESET that is not late.
pub(crate) fn reset_at_once(sessions: &mut Sessions, list: &[Address]) {
    let sent = Sent { term: 1, after: sessions.count() };
    sessions.reset(sent, 1, list).expect("it is of the same term");
}

fn two() -> Sessions {
    let mut sessions = Sessions::default();
    assert_eq!(register(&mut sessions, session(A, 1), 1, 0), Registration::New);
    assert_eq!(register(&mut sessions, session(B, 1), 2, 0), Registration::New);
    sessions
}

#[test]
fn envelopes_are_applied_once_and_in_order() {
    let mut sessions = two();
    let a = session(A, 1);
    assert_eq!(sessions.admit(a, 2), Admission::Refused, "the first is missing");
    assert_eq!(sessions.admit(a, 1), Admission::Apply);
    let answer = [CommandResult {
        index: sessions.next_number(),
        status: LockStatus::Holding,
        token: Some(Token::new(3)),
    }];
    sessions.answered(a, &answer);
    assert_eq!(sessions.admit(a, 1), Admission::Repeated(answer.to_vec()));
    assert_eq!(sessions.admit(a, 2), Admission::Apply);
}

#[test]
fn an_excluded_session_stays_excluded() {
    let mut sessions = two();
    reset_at_once(&mut sessions, &[B]);
    assert_eq!(sessions.admit(session(A, 1), 1), Admission::Refused);
    assert_eq!(
        register(&mut sessions, session(A, 1), 1, 2),
        Registration::Refused,
        "a late copy begins nothing"
    );
    assert_eq!(register(&mut sessions, session(A, 2), 1, 2), Registration::New);
    assert_eq!(sessions.admit(session(A, 1), 1), Admission::Refused);
    assert_eq!(sessions.admit(session(A, 2), 1), Admission::Apply);
}

#[test]
fn a_reset_to_nobody_excludes_nobody() {
    let mut sessions = two();
    reset_at_once(&mut sessions, &[]);
    assert_eq!(sessions.live().count(), 2);
}

#[test]
fn a_reset_of_a_former_term_is_void() {
    let mut sessions = two();
    let sent = Sent { term: 2, after: sessions.count() };
    assert_eq!(sessions.reset(sent, 3, &[A]), None);
    assert!(sessions.is_live(session(B, 1)));
    assert_eq!(sessions.reset(sent, 2, &[A]), Some(vec![A]));
    assert!(!sessions.is_live(session(B, 1)));
}

#[test]
fn a_reset_excludes_no_session_that_has_begun_since() {
    let mut sessions = two();
    let sent = Sent { term: 1, after: sessions.count() };
    let again = session(A, 2);
    let count = sessions.count();
    assert_eq!(register(&mut sessions, again, 1, count), Registration::New);
    assert_eq!(sessions.reset(sent, 1, &[Address(30)]), Some(vec![A, Address(30)]));
    assert_eq!(sessions.live().collect::<Vec<_>>(), [(A, 1)]);
}

#[test]
fn a_reset_excludes_no_session_that_has_begun_since_however_late_it_is() {
    let mut sessions = two();
    let (sent, again) = (Sent { term: 1, after: sessions.count() }, session(A, 2));
    assert_eq!(register(&mut sessions, again, 1, sent.after), Registration::New);
    for _ in 0..=REMEMBERED {
        sessions.next_number();
    }
    let count = sessions.count();
    assert_eq!(register(&mut sessions, session(Address(30), 1), 3, count), Registration::New);
    sessions.reset(sent, 1, &[B]).expect("it is of the same term");
    assert!(sessions.is_live(again), "{sessions:?}");
}

#[test]
fn a_restarted_member_ends_the_session_of_its_former_address() {
    let mut sessions = two();
    let again = Address(11);
    assert_eq!(register(&mut sessions, session(again, 1), 1, 2), Registration::New);
    assert_eq!(sessions.live().collect::<Vec<_>>(), [(again, 1), (B, 2)]);
    assert_eq!(register(&mut sessions, session(A, 1), 1, 0), Registration::Refused);
}

#[test]
fn a_register_of_a_former_life_that_was_never_applied_is_void() {
    let mut sessions = two();
    // It was sent before the restart, from an address or in a session that nobody knows.
    let (never_applied, again) = (session(Address(12), 1), session(Address(11), 1));
    let after = sessions.count();
    assert_eq!(register(&mut sessions, again, 1, after), Registration::New);
    assert_eq!(register(&mut sessions, never_applied, 1, after), Registration::Refused);
    assert_eq!(register(&mut sessions, session(A, 2), 1, after), Registration::Refused);
    assert!(sessions.is_live(again));
    // Nor does it begin one when the new session has ended.
    reset_at_once(&mut sessions, &[B]);
    assert_eq!(register(&mut sessions, never_applied, 1, after), Registration::Refused);
    let count = sessions.count();
    assert_eq!(register(&mut sessions, session(again.address, 2), 1, count), Registration::New);
}

#[test]
fn a_late_register_is_refused_by_its_age_when_the_session_is_forgotten() {
    let later = |mut sessions: Sessions| {
        reset_at_once(&mut sessions, &[B]);
        while sessions.count() <= 2 * REMEMBERED + 2 {
            sessions.next_number();
        }
        let (other, count) = (session(Address(30), 1), sessions.count());
        assert_eq!(register(&mut sessions, other, 3, count), Registration::New);
        sessions
    };
    let mut sessions = later(two());
    let mut without = Sessions::default();
    without.next_number();
    assert_eq!(register(&mut without, session(B, 1), 2, 0), Registration::New);
    assert_eq!(sessions, later(without), "it forgets the ended ones");
    assert_eq!(sessions.known_epoch(A), None);
    let count = sessions.count();
    assert_eq!(register(&mut sessions, session(A, 1), 1, 2), Registration::Refused);
    assert_eq!(register(&mut sessions, session(A, 2), 1, count), Registration::New);
}
