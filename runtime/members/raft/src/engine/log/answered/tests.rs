//! Snapshots of a leader whose data are older than what this member has answered for.

use turnstile_host::store::Disk;

use crate::encoding::snapshot::SnapshotParts;
use crate::engine::log::answered::*;
use crate::engine::log::encoding::encode;
use crate::engine::snapshot_head::Meta;

fn id(term: u64, leader: u64, index: u64) -> Id {
    LogId::new(CommittedLeaderId::new(term, leader), index)
}

/// A member that has applied these entries.
async fn having_applied(entries: &[EntryHead]) -> Arc<Answered> {
    let log = Log::open(Box::new(Disk::default().open()), 1).expect("the store is empty");
    let answered = Answered::open(Arc::new(log)).expect("the store is empty");
    entries.iter().for_each(|entry| answered.add_author(entry));
    answered.note(entries.last().expect("there is one").id).await.expect("the disk works");
    answered
}

/// The snapshot of such entries.
fn snapshot(entries: &[EntryHead]) -> (Option<Id>, Bytes) {
    let mut authors = Authors::default();
    entries.iter().for_each(|entry| authors.add(entry));
    let last_log_id = entries.last().map(|entry| entry.id);
    let meta = Meta { last_log_id, ..Meta::default() };
    let meta = encode(&SnapshotHead { meta, version: 1, authors });
    (last_log_id, SnapshotParts { meta, state: Bytes::new() }.encode())
}

/// Entries by their leaders: the term, the member, the number of its process.
fn entries(leaders: &[(u64, u64, u64)]) -> Vec<EntryHead> {
    let numbered = leaders.iter().zip(1..);
    let head = |((term, leader, process), index): (&(u64, u64, u64), u64)| EntryHead {
        id: id(*term, *leader, index),
        process: *process,
    };
    numbered.map(head).collect()
}

#[tokio::test]
async fn a_snapshot_of_a_leader_that_lacks_what_is_applied_is_noticed() {
    let (one, again, two) = ((1, 1, 10), (1, 1, 11), (2, 1, 10));
    let lacks = "the leader lacks entry 2 of term 2";
    let rival = "member 1 has written two entries 2 in term 1";
    // What this member has applied, what the snapshot has, and what is noticed.
    let cases = [
        (vec![one, one], vec![one, one, one], None),
        (vec![one, two], vec![one, one], Some(lacks)),
        // Its last entry is before that of this member, and it has more of them.
        (vec![one, two], vec![one, one, one], Some(lacks)),
        (vec![one, two], vec![one, (3, 1, 12)], Some(lacks)),
        (vec![one, two], vec![(3, 1, 12)], Some(lacks)),
        (vec![one, two], vec![one], None),
        (vec![one, one], vec![one, again, again], Some(rival)),
    ];
    for (applied, sent, expected) in cases {
        let answered = having_applied(&entries(&applied)).await;
        let (upto, bytes) = snapshot(&entries(&sent));
        let checked = answered.check_snapshot(&CommittedLeaderId::new(9, 3), upto, &bytes);
        let case = format!("{applied:?}, {sent:?}: {checked:?}");
        let found = checked.err();
        assert_eq!(found.is_some(), expected.is_some(), "{case}");
        assert!(
            expected.is_none_or(|words| found.is_some_and(|why| why.contains(words))),
            "{case}"
        );
    }
}
