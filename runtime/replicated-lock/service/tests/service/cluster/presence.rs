//! Histories of members with explicit times. A world of the three without Raft: the test decides
//! who leads and who hears whom.

use std::collections::BTreeSet;
use std::time::Duration;

use turnstile_replicated_lock::Address;
use turnstile_replicated_lock::operation::NewSession;
use turnstile_replicated_lock::presence::{Presence, RaftView, Reply};
use turnstile_replicated_lock::sessions::{Registration, Sessions};
use turnstile_replicated_lock_core::message::{Connectivity, ElectionReason, Message};

use crate::cluster::sessions::reset_at_once;

const LEASE: u64 = 1000;
const MARGIN: u64 = 100;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn address(member: u64) -> Address {
    Address(member * 10)
}

fn presence(member: u64) -> Presence {
    Presence::new(address(member), ms(LEASE), ms(MARGIN))
}

fn register(sessions: &mut Sessions, of: &Presence) {
    let after = sessions.count();
    let (session, member, lease) = (of.session(), of.session().address.0 / 10, of.lease());
    let begun = sessions.register(NewSession { session, member, lease, after });
    assert_eq!(begun, Registration::New);
}

fn leads(term: u64, quorum_age: Option<u64>) -> RaftView {
    let quorum_age = quorum_age.map(ms);
    RaftView { term, is_leader: true, is_caught_up: true, quorum_age }
}

fn follows(term: u64) -> RaftView {
    let (is_leader, is_caught_up) = (false, false);
    RaftView { term, is_leader, is_caught_up, quorum_age: None }
}

fn view(is: Connectivity, members: &[u64]) -> Message {
    Message::View { is, members: members.iter().copied().map(address).collect() }
}

/// A follower reports to the leader at this time, and gets the reply at once.
fn report(
    at: u64,
    from: &mut Presence,
    to: &mut Presence,
    sessions: &Sessions,
) -> Option<Vec<Message>> {
    let report = from.report(sessions);
    let reply: Reply = to.heard(ms(at), report, sessions)?;
    Some(from.replied(ms(at), report, reply, sessions))
}

/// Three members: the first leads term 1, and the others have joined it, at time 10.
fn three() -> (Sessions, [Presence; 3]) {
    let mut sessions = Sessions::default();
    let [mut one, mut two, mut three] = [1, 2, 3].map(presence);
    register(&mut sessions, &one);
    let elected = one.tick(ms(0), &leads(1, Some(0)), &sessions);
    let because = ElectionReason::MajorityIsJustReached;
    assert_eq!(elected, [view(Connectivity::Joined, &[1]), Message::Elected(because)]);
    one.has_reset(&[]);
    for other in [&mut two, &mut three] {
        assert_eq!(other.tick(ms(0), &follows(1), &sessions), []);
        register(&mut sessions, other);
        one.registered(ms(5), other.session().address, sessions.count());
    }
    let joined = one.tick(ms(10), &leads(1, Some(0)), &sessions);
    assert_eq!(joined, [view(Connectivity::Joined, &[1, 2, 3])]);
    for other in [&mut two, &mut three] {
        let told = report(10, other, &mut one, &sessions);
        assert_eq!(told, Some(vec![view(Connectivity::Joined, &[1, 2, 3])]));
    }
    (sessions, [one, two, three])
}

#[test]
fn a_follower_resigns_before_the_leader_excludes_it() {
    let (sessions, [mut one, mut two, mut three]) = three();
    assert_eq!(report(900, &mut three, &mut one, &sessions), Some(vec![]));
    let last = 10 + LEASE;
    assert_eq!(two.tick(ms(last), &follows(1), &sessions), []);
    let epoch = two.session().epoch;
    let resigned = two.tick(ms(last + 1), &follows(1), &sessions);
    assert_eq!(resigned, [view(Connectivity::Minority, &[2])]);
    assert_eq!(two.session().epoch, epoch + 1);
    assert!(two.is_unregistered(&sessions));
    assert_eq!(one.tick(ms(last + MARGIN), &leads(1, Some(0)), &sessions), []);
    let left = one.tick(ms(last + MARGIN + 1), &leads(1, Some(0)), &sessions);
    assert_eq!(left, [view(Connectivity::Left, &[1, 3])]);
    assert_eq!(one.tick(ms(last + MARGIN + 2), &leads(1, Some(0)), &sessions), []);
}

#[test]
fn a_slow_member_that_is_excluded_resigns_and_joins_again() {
    let (mut sessions, [mut one, mut two, _]) = three();
    // The leader has not heard of it for long, but it has heard of the leader.
    reset_at_once(&mut sessions, &[address(1), address(3)]);
    assert_eq!(two.sessions_changed(&sessions), [view(Connectivity::Minority, &[2])]);
    assert_eq!(two.sessions_changed(&sessions), []);
    assert_eq!(report(50, &mut two, &mut one, &sessions), Some(vec![]), "it has no session");
    register(&mut sessions, &two);
    one.registered(ms(60), two.session().address, sessions.count());
    let told = report(70, &mut two, &mut one, &sessions).expect("it leads");
    assert_eq!(told, [view(Connectivity::Joined, &[1, 2, 3])]);
}

#[test]
fn a_member_that_hears_of_its_exclusion_before_it_applies_it_resigns() {
    let (mut sessions, [mut one, mut two, _]) = three();
    let behind = sessions.clone();
    sessions.next_number();
    reset_at_once(&mut sessions, &[address(1), address(3)]);
    let asked = two.report(&behind);
    let reply = one.heard(ms(50), asked, &sessions).expect("it leads");
    let resigned = two.replied(ms(50), asked, reply, &behind);
    assert_eq!(resigned, [view(Connectivity::Minority, &[2])]);
}

#[test]
fn a_leader_that_has_applied_less_excludes_nobody() {
    let (mut sessions, [mut one, mut two, _]) = three();
    let behind = Sessions::default();
    let asked = two.report(&sessions);
    let reply = one.heard(ms(50), asked, &behind).expect("it leads");
    assert!(!reply.is_live);
    sessions.next_number();
    assert_eq!(two.replied(ms(50), asked, reply, &sessions), []);
    assert!(two.is_joined());
}

#[test]
fn the_next_leader_keeps_the_members_that_stayed() {
    let (sessions, [_, mut two, mut three]) = three();
    // It waits for the members with a session, of which one does not report.
    assert_eq!(two.tick(ms(500), &leads(2, Some(0)), &sessions), []);
    assert_eq!(report(510, &mut three, &mut two, &sessions), Some(vec![]));
    assert_eq!(report(1500, &mut three, &mut two, &sessions), Some(vec![]));
    let since = 500 + LEASE + MARGIN;
    assert_eq!(two.tick(ms(since), &leads(2, Some(0)), &sessions), []);
    let elected = two.tick(ms(since + 1), &leads(2, Some(0)), &sessions);
    let because = ElectionReason::TheLeaderLeft;
    assert_eq!(elected, [view(Connectivity::Left, &[2, 3]), Message::Elected(because)]);
    // The RESET of the election is not applied yet: there is no other one for the same loss.
    assert_eq!(two.tick(ms(since + 2), &leads(2, Some(0)), &sessions), []);
}

#[test]
fn a_leader_that_is_elected_again_tells_of_a_loss_once() {
    let (sessions, [mut one, _, mut three]) = three();
    assert_eq!(one.tick(ms(400), &follows(2), &sessions), []);
    assert_eq!(one.tick(ms(500), &leads(3, Some(0)), &sessions), []);
    let since = 500 + LEASE + MARGIN;
    assert_eq!(report(1500, &mut three, &mut one, &sessions), Some(vec![]));
    let left = one.tick(ms(since + 1), &leads(3, Some(0)), &sessions);
    assert_eq!(left, [view(Connectivity::Left, &[1, 3])]);
    assert_eq!(one.tick(ms(since + 2), &leads(3, Some(0)), &sessions), []);
}

/// The second has left; its RESET is on its way.
fn after_a_loss() -> (Sessions, [Presence; 3]) {
    let (sessions, [mut one, two, mut three]) = three();
    assert_eq!(report(900, &mut three, &mut one, &sessions), Some(vec![]));
    let left = one.tick(ms(10 + LEASE + MARGIN + 1), &leads(1, Some(0)), &sessions);
    assert_eq!(left, [view(Connectivity::Left, &[1, 3])]);
    (sessions, [one, two, three])
}

#[test]
fn a_late_report_of_a_member_that_has_left_changes_nothing() {
    let (mut sessions, [mut one, mut two, _]) = after_a_loss();
    let asked = two.report(&sessions);
    let reply = one.heard(ms(1200), asked, &sessions).expect("it leads");
    assert!(!reply.is_current);
    assert_eq!(two.replied(ms(1200), asked, reply, &sessions), []);
    assert_eq!(two.tick(ms(1200), &follows(1), &sessions).len(), 1, "its lease is over");
    assert_eq!(one.tick(ms(1201), &leads(1, Some(0)), &sessions), []);
    reset_at_once(&mut sessions, &[address(1), address(3)]);
    one.has_reset(&[address(1), address(3)]);
    assert_eq!(one.tick(ms(1202), &leads(1, Some(0)), &sessions), []);
}

#[test]
fn a_member_that_registers_before_the_reset_of_its_loss_gets_no_second_one() {
    let (mut sessions, [mut one, mut two, _]) = after_a_loss();
    assert_eq!(two.tick(ms(1200), &follows(1), &sessions).len(), 1, "its lease is over");
    register(&mut sessions, &two);
    one.registered(ms(1201), two.session().address, sessions.count());
    let joined = one.tick(ms(1202), &leads(1, Some(0)), &sessions);
    assert_eq!(joined, [view(Connectivity::Joined, &[1, 2, 3])]);
    reset_at_once(&mut sessions, &[address(1), address(3)]);
    one.has_reset(&[address(1), address(3)]);
    assert_eq!(one.tick(ms(1203), &leads(1, Some(0)), &sessions), []);
}

#[test]
fn a_former_leader_that_is_present_is_deposed() {
    let (sessions, [mut one, mut two, mut three]) = three();
    assert_eq!(two.tick(ms(500), &leads(2, Some(0)), &sessions), []);
    assert_eq!(one.tick(ms(500), &follows(2), &sessions), []);
    let deposed = report(510, &mut one, &mut two, &sessions);
    assert_eq!(deposed, Some(vec![Message::AnotherIsElected]));
    assert_eq!(report(510, &mut three, &mut two, &sessions), Some(vec![]));
    let elected = two.tick(ms(520), &leads(2, Some(0)), &sessions);
    assert_eq!(elected, [Message::Elected(ElectionReason::TheCoordinatorChanged)]);
}

#[test]
fn a_leader_that_is_elected_again_was_never_deposed() {
    let (sessions, [mut one, mut two, mut three]) = three();
    assert_eq!(one.tick(ms(400), &follows(2), &sessions), []);
    assert_eq!(one.tick(ms(500), &leads(3, Some(0)), &sessions), []);
    for other in [&mut two, &mut three] {
        assert_eq!(report(510, other, &mut one, &sessions), Some(vec![]));
    }
    let elected = one.tick(ms(520), &leads(3, Some(0)), &sessions);
    assert_eq!(elected, [Message::Elected(ElectionReason::TheCoordinatorChanged)]);
}

#[test]
fn a_leader_without_a_quorum_resigns_and_is_elected_again_for_a_majority() {
    let (mut sessions, [mut one, mut two, mut three]) = three();
    let resigned = one.tick(ms(2000), &leads(1, Some(LEASE + 1)), &sessions);
    assert_eq!(resigned, [view(Connectivity::Minority, &[1])]);
    for other in [&mut two, &mut three] {
        assert_eq!(report(2000, other, &mut one, &sessions), None, "it reaches no majority");
        assert_eq!(other.tick(ms(2000), &follows(1), &sessions).len(), 1);
    }
    for member in [&mut one, &mut two, &mut three] {
        register(&mut sessions, member);
    }
    assert_eq!(one.tick(ms(3000), &leads(1, Some(0)), &sessions), []);
    for other in [&mut two, &mut three] {
        assert_eq!(report(3010, other, &mut one, &sessions), Some(vec![]));
    }
    let elected = one.tick(ms(3020), &leads(1, Some(0)), &sessions);
    let because = ElectionReason::MajorityIsJustReached;
    assert_eq!(elected, [view(Connectivity::Joined, &[1, 2, 3]), Message::Elected(because)]);
}

#[test]
fn a_resigned_leader_of_a_majority_that_stayed_clears_nothing() {
    let (mut sessions, [_, mut two, mut three]) = three();
    // The second was cut off, has resigned, and is elected before it hears of the first again.
    let mut cut = presence(1);
    assert_eq!(cut.abandon(cut.session()), []);
    register(&mut sessions, &cut);
    assert_eq!(cut.tick(ms(500), &leads(2, Some(0)), &sessions), []);
    for other in [&mut two, &mut three] {
        assert_eq!(report(510, other, &mut cut, &sessions), Some(vec![]));
    }
    let elected = cut.tick(ms(520), &leads(2, Some(0)), &sessions);
    let because = ElectionReason::TheLeaderLeft;
    assert_eq!(elected, [view(Connectivity::Joined, &[1, 2, 3]), Message::Elected(because)]);
}

#[test]
fn one_member_that_stayed_keeps_its_locks_when_a_majority_has_restarted() {
    let (mut sessions, [_, _, mut three]) = three();
    let again = |member: u64| Presence::new(Address(member * 10 + 1), ms(LEASE), ms(MARGIN));
    let [mut one, mut two] = [1, 2].map(again);
    for other in [&one, &two] {
        register(&mut sessions, other);
    }
    assert_eq!(one.tick(ms(500), &leads(2, Some(0)), &sessions), []);
    for other in [&mut two, &mut three] {
        assert_eq!(report(510, other, &mut one, &sessions), Some(vec![]));
    }
    assert!(three.is_joined() && !two.is_joined());
    let elected = one.tick(ms(520), &leads(2, Some(0)), &sessions);
    let all = [&one, &two, &three].map(|member| member.session().address);
    let joined = BTreeSet::from(all).into_iter().collect();
    let joined = Message::View { is: Connectivity::Joined, members: joined };
    assert_eq!(elected, [joined, Message::Elected(ElectionReason::TheLeaderLeft)]);
}

#[test]
fn a_session_that_never_reports_is_excluded() {
    let (mut sessions, [mut one, mut two, mut three]) = three();
    let dead = presence(4);
    register(&mut sessions, &dead);
    // The leader has not seen it begin: it was elected later.
    for other in [&mut two, &mut three] {
        assert_eq!(report(1000, other, &mut one, &sessions), Some(vec![]));
    }
    let left = one.tick(ms(LEASE + MARGIN + 1), &leads(1, Some(0)), &sessions);
    assert_eq!(left, [view(Connectivity::Left, &[1, 2, 3])]);
}

#[test]
fn nobody_joins_before_the_reset_of_the_election_is_applied() {
    let mut sessions = Sessions::default();
    let [mut one, mut two] = [1, 2].map(presence);
    register(&mut sessions, &one);
    assert_eq!(one.tick(ms(0), &leads(1, Some(0)), &sessions).len(), 2);
    register(&mut sessions, &two);
    one.registered(ms(5), two.session().address, sessions.count());
    assert_eq!(report(10, &mut two, &mut one, &sessions), Some(vec![]));
    one.has_reset(&[]);
    assert_eq!(report(20, &mut two, &mut one, &sessions).expect("it leads").len(), 1);
}

#[test]
fn a_leader_is_elected_once_it_has_applied_the_log_of_former_terms() {
    let mut sessions = Sessions::default();
    let mut one = presence(1);
    register(&mut sessions, &one);
    let behind = RaftView { is_caught_up: false, ..leads(1, Some(0)) };
    assert_eq!(one.tick(ms(0), &behind, &sessions), []);
    assert_eq!(one.tick(ms(1), &leads(1, Some(0)), &sessions).len(), 2);
}

#[test]
fn a_reply_is_no_newer_a_contact_than_that_of_the_leader_with_its_majority() {
    let (sessions, [mut one, mut two, _]) = three();
    assert_eq!(one.tick(ms(1000), &leads(1, Some(900)), &sessions), []);
    assert_eq!(report(1009, &mut two, &mut one, &sessions), Some(vec![]));
    let contact = 100;
    assert_eq!(two.tick(ms(contact + LEASE), &follows(1), &sessions), []);
    assert_eq!(two.tick(ms(contact + LEASE + 1), &follows(1), &sessions).len(), 1);
    assert_eq!(report(1200, &mut two, &mut one, &sessions), None, "its own contact is too old");
}

#[test]
fn a_member_with_a_longer_lease_is_excluded_later() {
    let (mut sessions, [mut one, mut two, mut three]) = three();
    let slow = Presence::new(address(4), ms(3 * LEASE), ms(MARGIN));
    register(&mut sessions, &slow);
    one.registered(ms(10), slow.session().address, sessions.count());
    let tick = |one: &mut Presence, at| one.tick(ms(at), &leads(1, Some(0)), &sessions);
    assert_eq!(tick(&mut one, 11), [view(Connectivity::Joined, &[1, 2, 3, 4])]);
    for at in [1000, 2000, 3000] {
        assert_eq!(tick(&mut one, at), []);
        for other in [&mut two, &mut three] {
            assert!(report(at, other, &mut one, &sessions).is_some());
        }
    }
    let last = 10 + 3 * LEASE + MARGIN;
    assert_eq!(tick(&mut one, last), []);
    assert_eq!(tick(&mut one, last + 1), [view(Connectivity::Left, &[1, 2, 3])]);
}

/// Its disk hangs, for example: its tasks run, and its log does not.
#[test]
fn a_member_that_applies_nothing_resigns_and_is_excluded() {
    let (mut sessions, [mut one, mut two, mut three]) = three();
    let hung = sessions.clone();
    let lead = |one: &mut Presence, at, sessions: &Sessions| {
        one.tick(ms(at), &leads(1, Some(0)), sessions)
    };
    let report_hung = |at, two: &mut Presence, one: &mut Presence, sessions: &Sessions| {
        let asked = two.report(&hung);
        let reply = one.heard(ms(at), asked, sessions).expect("it leads");
        two.replied(ms(at), asked, reply, &hung)
    };
    // There is nothing to apply: it follows.
    assert_eq!(report_hung(1000, &mut two, &mut one, &sessions), []);
    assert_eq!(report(1000, &mut three, &mut one, &sessions), Some(vec![]));
    assert_eq!(lead(&mut one, 1100, &sessions), []);
    sessions.next_number();
    // The first report after the command may have crossed it.
    assert_eq!(report_hung(1100, &mut two, &mut one, &sessions), []);
    for at in [1500, 2000, 2100] {
        assert_eq!(report_hung(at, &mut two, &mut one, &sessions), []);
        assert_eq!(report(at, &mut three, &mut one, &sessions), Some(vec![]));
        assert_eq!(lead(&mut one, at, &sessions), []);
    }
    let last = 1100 + LEASE;
    assert_eq!(two.tick(ms(last), &follows(1), &hung), []);
    assert_eq!(two.tick(ms(last + 1), &follows(1), &hung), [view(Connectivity::Minority, &[2])]);
    assert_eq!(lead(&mut one, last + MARGIN, &sessions), []);
    let left = lead(&mut one, last + MARGIN + 1, &sessions);
    assert_eq!(left, [view(Connectivity::Left, &[1, 3])]);
}

#[test]
fn a_member_that_lags_a_little_is_present() {
    let (mut sessions, [mut one, mut two, mut three]) = three();
    // Always one report behind.
    for at in (100..3000).step_by(100) {
        let behind = sessions.clone();
        sessions.next_number();
        assert_eq!(report(at, &mut three, &mut one, &sessions), Some(vec![]));
        let asked = two.report(&behind);
        let reply = one.heard(ms(at), asked, &sessions).expect("it leads");
        assert_eq!(two.replied(ms(at), asked, reply, &behind), []);
        assert_eq!(one.tick(ms(at), &leads(1, Some(0)), &sessions), []);
        assert_eq!(two.tick(ms(at), &follows(1), &behind), []);
    }
}
