//! Commands that do not wait for their lock.

use std::process::Stdio;

use super::group::{Group, code};
use turnstile_simulation::Running;

/// The commands of users that do not wait, one at each of these members, and how often each.
fn tries(group: &Group, members: &[usize]) -> Vec<Running> {
    let runs = (0..10).map(|run| {
        let words = ["run", "job", "--timeout", "0", "--", "cat"];
        let mut command = group.grouplock(members[run % members.len()], &words);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().expect("the program is built"))
    });
    runs.collect()
}

#[test]
fn of_ten_commands_at_once_that_do_not_wait_one_runs() {
    let group = Group::start();
    for members in [&[0][..], &[1], &[0, 1, 2]] {
        let mut runs = tries(&group, members);
        // The one that has the lock runs until its input ends.
        while runs.len() > 1 {
            let place = runs.iter_mut().position(|run| run.status().is_some());
            let Some(place) = place else { continue };
            assert_eq!(runs.swap_remove(place).ended(), Some(75), "members {members:?}");
        }
        let mut last = runs.pop().expect("one is left");
        assert_eq!(last.status(), None, "members {members:?}: it has the lock");
        drop(last.0.stdin.take());
        assert_eq!(last.ended(), Some(0), "members {members:?}");
    }
}

#[test]
fn a_command_that_does_not_wait_fails_while_one_of_the_same_member_runs_or_waits() {
    let group = Group::start();
    let mut holder = group.hold(0);
    let mut waiter = group.grouplock(1, &["run", "job", "--", "true"]);
    let mut waiter = Running(waiter.spawn().expect("the program is built"));
    group.await_status(1, |status| status["locks"][0]["waiters"] == 1);
    for one in 0..3 {
        let tried = group.output(one, &["run", "job", "--timeout", "0", "--", "true"]);
        assert_eq!(code(&tried), Some(75), "member {one}: {tried:?}");
    }
    drop(holder.0.stdin.take());
    assert_eq!((holder.ended(), waiter.ended()), (Some(0), Some(0)));
}

#[test]
fn a_command_that_does_not_wait_is_told_that_its_member_is_in_no_group() {
    let group = Group::prepare();
    // It looks for others for two periods.
    let words = ["member", "--name", "test", "--seed", "127.0.0.1:1", "--period", "60"];
    let mut member = group.grouplock(0, &words);
    member.args(["--listen", &group.address(0)]).stderr(Stdio::null());
    let _member = Running(member.spawn().expect("the program is built"));
    group.await_status(0, |status| status["in_group"] == false);
    let tried = group.output(0, &["run", "job", "--timeout", "0", "--", "true"]);
    assert_eq!(code(&tried), Some(69), "{tried:?}");
    let text = String::from_utf8_lossy(&tried.stderr).into_owned();
    assert!(text.contains("is in no group yet"), "{text}");
}
