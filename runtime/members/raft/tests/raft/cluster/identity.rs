//! Members that must not work together: of different groups, without their log, or with one id.

use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Member, Members, Status};

use super::group::{Group, PATIENCE, options};
use crate::register::Register;

fn list(ids: &[u64]) -> Members {
    ids.iter().map(|id| (*id, format!("member-{id}"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn members_that_began_with_different_lists_refuse_each_other() {
    let mut group = Group::empty(|_| {});
    for id in 1..=3 {
        group.join(id).await;
    }
    group.members[&2].initialize(&list(&[2])).await.expect("it is one of them");
    group.leader_among(&[2]).await;
    group.propose(2, "of the second").await;
    let first = group.members[&1].clone();
    let begins = tokio::spawn(async move { first.initialize(&list(&[1, 2, 3])).await });
    for (at, other) in [(1, 2), (2, 1)] {
        let why = group.refusal(at, other).await;
        assert!(why.contains("begun by 2=member-2"), "{why}");
        assert!(why.contains("begun by 1=member-1, 2=member-2, 3=member-3"), "{why}");
    }
    assert_eq!(group.members[&3].status().group, None, "it begins with all of them");
    group.propose(2, "and again").await;
    group.stop(1).await;
    begins.await.expect("it does not panic").expect_err("it has stopped");
    assert_eq!(group.registers[&2].operations(), ["of the second", "and again"]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_of_another_name_is_another_one() {
    let mut group = Group::empty(|options| options.group = format!("group {}", options.id % 2));
    for id in 1..=2 {
        group.join(id).await;
        let member = group.members[&id].clone();
        tokio::spawn(async move { member.initialize(&list(&[1, 2])).await });
    }
    let why = group.refusal(1, 2).await;
    assert!(why.contains("\"group 0\"") && why.contains("\"group 1\""), "{why}");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_to_be_of_another_group_is_not_added() {
    let mut group = Group::empty(|options| {
        options.group = match options.id {
            1 => "group",
            2 => "another",
            _ => "",
        }
        .into();
    });
    for id in 1..=3 {
        group.join(id).await;
    }
    group.members[&1].initialize(&list(&[1])).await.expect("it is one of them");
    group.leader_among(&[1]).await;
    let refused = group.members[&1].add_member(2, "member-2").await;
    let why = refused.expect_err("it has another name").to_string();
    assert!(why.contains("\"another\"") && why.contains("\"group\""), "{why}");
    assert_eq!(group.members[&2].status().group, None);
    // One that has no name for its group joins any.
    group.members[&1].add_member(3, "member-3").await.expect("it is there");
    group.propose(1, "a").await;
    let voters = group.members[&1].status().voters;
    assert_eq!(voters, [[1, 3].into()]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_does_not_start_with_the_data_of_a_group_of_another_name() {
    let (disk, hub) = (Disk::default(), Hub::new());
    let start = async |name: &str| {
        let options = turnstile_raft::Options { group: name.into(), ..options(1) };
        let register = Register::default();
        Member::start(options, Box::new(disk.open()), register, hub.join(1)).await
    };
    let member = start("group").await.expect("its disk is empty");
    member.initialize(&list(&[1])).await.expect("it is one of them");
    member.stop().await;
    let why = start("another").await.map(drop).expect_err("it has another name").to_string();
    assert!(why.contains("\"another\"") && why.contains("\"group\""), "{why}");
    for name in ["group", ""] {
        start(name).await.expect("it is its group").stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_another_application_is_refused_and_so_is_its_member() {
    let (disk, hub) = (Disk::default(), Hub::new());
    let start = async |id: u64, disk: &Disk, application: &'static str| {
        let mut register = Register::default();
        register.application = application;
        let store = Box::new(disk.open());
        Member::start(options(id), store, register, hub.join(id)).await
    };
    let why = |refused: std::io::Result<Member>| {
        refused.map(drop).expect_err("it is another application").to_string()
    };
    // A log that has no application yet gets one.
    for application in ["", "claims"] {
        let member = start(1, &disk, application).await.expect("its disk is empty");
        member.stop().await;
    }
    let text = why(start(1, &disk, "locks").await);
    assert_eq!(text, "the data are those of \"claims\", and not of \"locks\"");
    let member = start(1, &disk, "claims").await.expect("it is its own");
    member.initialize(&list(&[1])).await.expect("it is one of them");
    let leads = |status: &Status| status.role == turnstile_raft::Role::Leader;
    member.wait_for(PATIENCE, leads).await.expect("it leads");
    let other = start(2, &Disk::default(), "locks").await.expect("its disk is empty");
    let refused = member.add_member(2, "member-2").await.expect_err("it is another application");
    assert!(refused.to_string().contains("one of \"locks\""), "{refused}");
    let third = start(3, &Disk::default(), "").await.expect("its disk is empty");
    member.add_member(3, "member-3").await.expect("any application fits");
    for member in [member, other, third] {
        member.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_not_started_is_not_added() {
    let mut group = Group::empty(|options| options.timeout = std::time::Duration::from_secs(1));
    group.join(1).await;
    group.members[&1].initialize(&list(&[1])).await.expect("it is one of them");
    group.leader_among(&[1]).await;
    let why = group.members[&1].add_member(2, "member-2").await.expect_err("it is not there");
    assert!(
        why.to_string().contains("no member 2 answers at member-2, so start it first"),
        "{why}"
    );
    let status = group.members[&1].status();
    assert_eq!((status.voters, status.members), (vec![[1].into()], list(&[1])));
    assert!(status.syncs > 0 && status.sync_time < PATIENCE, "the log has been synced");
    group.propose(1, "goes on").await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_has_lost_its_log_is_refused_and_its_leader_goes_on() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.agree(leader).await;
    let lost = group.others(leader)[0];
    group.stop(lost).await;
    group.lose_disk(lost);
    group.join(lost).await;
    let why = group.refusal(leader, lost).await;
    assert!(why.contains(&format!("member {lost} has lost its log")), "{why}");
    let why = group.refusal(lost, leader).await;
    assert!(why.contains(&format!("member {lost} has lost its log")), "{why}");
    group.propose(leader, "b").await;
    assert_eq!(group.members[&leader].status().failure, None);
    assert_eq!(group.registers[&lost].operations(), [""; 0]);
    // The others know it after a restart, too.
    for id in group.others(lost) {
        group.stop(id).await;
        group.join(id).await;
    }
    let leader = group.leader_among(&group.others(lost)).await;
    group.refusal(leader, lost).await;
    // It is replaced.
    group.stop(lost).await;
    group.members[&leader].remove_member(lost).await.expect("a majority remains");
    group.join(4).await;
    group.members[&leader].add_member(4, "member-4").await.expect("it receives the log");
    group.agree(leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_disk_is_from_a_backup_is_refused_by_a_leader_that_knows_better() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let restored = group.others(leader)[0];
    group.propose(leader, "a").await;
    group.agree(leader).await;
    group.stop(restored).await;
    let backup = group.back_up(restored);
    group.join(restored).await;
    // The second tells that the first is committed.
    group.propose(leader, "b").await;
    group.propose(leader, "c").await;
    group.agree(leader).await;
    group.stop(restored).await;
    group.restore(restored, backup);
    group.join(restored).await;
    let why = group.refusal(leader, restored).await;
    assert!(why.contains("has lost entries that it had acknowledged"), "{why}");
    group.propose(leader, "d").await;
    let heard = group.registers[&restored].operations();
    assert!(!heard.contains(&"b".to_owned()), "it hears nothing: {heard:?}");
    // With the disk that it had it would not be refused: a restart is none of this.
    let other = group.others(leader).into_iter().find(|id| *id != restored).expect("a third");
    group.stop(other).await;
    group.join(other).await;
    group.propose(leader, "e").await;
    group.end().await;
}

/// No majority has the entry, so no commit tells of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_has_lost_what_it_acknowledged_to_a_leader_is_refused_by_it() {
    let mut group = Group::start(5, |_| {}).await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.agree(leader).await;
    let others = group.others(leader);
    let (restored, absent) = (others[0], &others[1..]);
    group.stop(restored).await;
    let backup = group.back_up(restored);
    group.join(restored).await;
    for id in absent {
        group.stop(*id).await;
    }
    let last = group.members[&restored].status().last_log_index;
    let acknowledged = async {
        let is_there = |status: &Status| status.last_log_index > last;
        group.members[&restored].wait_for(PATIENCE, is_there).await.expect("it is sent");
        // The first one may be to a request from before.
        let network = &group.networks[&leader];
        network.reach(restored, network.count(restored) + 2).await;
    };
    tokio::select! {
        done = group.members[&leader].propose("b") => panic!("no majority: {done:?}"),
        () = acknowledged => {}
    }
    group.stop(restored).await;
    group.restore(restored, backup);
    group.join(restored).await;
    let why = group.refusal(leader, restored).await;
    assert!(why.contains("has lost entries that it had acknowledged"), "{why}");
    for id in absent {
        group.join(*id).await;
    }
    let leader = group.leader_among(&[&[leader], absent].concat()).await;
    group.propose(leader, "goes on").await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_of_a_member_is_refused() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let twice = group.others(leader)[0];
    group.members[&twice].forward("by the first").await.expect("it is a member");
    // Else it could still acknowledge an entry that the second does not find on its disk.
    group.agree(leader).await;
    let first = group.members.remove(&twice).expect("it runs");
    group.join(twice).await;
    group.propose(leader, "to the second").await;
    group.agree(leader).await;
    // It hears of no leader any more, and stands for election.
    let is_refused = |status: &Status| status.refused.contains_key(&leader);
    let refused = first.wait_for(PATIENCE, is_refused).await.expect("it is refused").refused;
    let why = &refused[&leader];
    assert!(why.contains(&format!("two processes have the id {twice}")), "{why}");
    group.members[&twice].forward("by the second").await.expect("it is a member");
    group.agree(leader).await;
    first.stop().await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_is_known_after_a_restart() {
    let mut group = Group::start(2, |_| {}).await;
    for id in 1..=2 {
        group.stop(id).await;
        group.join(id).await;
    }
    group.leader().await;
    assert!(group.members[&2].status().group.expect("it is in one").contains("1=member-1"));
    group.end().await;
}
