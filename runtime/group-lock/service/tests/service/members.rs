//! Members over TCP, in one process.

mod channel;
mod many;
mod router;
mod tries;

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use turnstile_group_lock::{GroupView, Member};

/// The timeout of all waits of a test: reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

async fn start(seeds: &[&Member]) -> Member {
    let mut builder = Member::builder("test").period(Duration::from_millis(200));
    for seed in seeds {
        builder = builder.seed(seed.address());
    }
    builder.start().await.expect("a port is free")
}

/// Waits for a view with so many members.
async fn view_of(member: &Member, count: usize) -> GroupView {
    let mut views = member.views();
    let reached = views.wait_for(|view| view.members.len() == count);
    let reached = timeout(PATIENCE, reached).await.expect("the group forms");
    reached.expect("the member runs").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn members_form_a_group_and_exclude_each_other() {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    let third = start(&[&first]).await;
    let all = [&first, &second, &third];
    for member in all {
        view_of(member, 3).await;
    }
    let counter = std::sync::Arc::new(tokio::sync::Mutex::new(0_u32));
    let mut callers = tokio::task::JoinSet::new();
    for member in all {
        for _ in 0..4 {
            let (member, counter) = (member.clone(), std::sync::Arc::clone(&counter));
            callers.spawn(async move {
                for _ in 0..10 {
                    let guard = member.lock("counter").await;
                    let mut count = counter.try_lock().expect("nobody else has the lock");
                    tokio::task::yield_now().await;
                    *count += 1;
                    drop(count);
                    assert!(guard.is_held());
                }
            });
        }
    }
    let done = async {
        while let Some(done) = callers.join_next().await {
            done.expect("it counts")
        }
    };
    timeout(PATIENCE, done).await.expect("each call is granted");
    assert_eq!(*counter.lock().await, 120);
    let held = first.lock("other").await;
    assert!(second.try_lock("other").await.is_none());
    drop(held);
    third.leave().await;
    for member in [&first, &second] {
        view_of(member, 2).await;
    }
    drop(timeout(PATIENCE, second.lock("other")).await.expect("it is free"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_locks_of_a_coordinator_that_is_gone_are_free() {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    view_of(&second, 2).await;
    let coordinator = view_of(&first, 2).await.members[0];
    let (coordinator, other) =
        if coordinator == first.address() { (first, second) } else { (second, first) };
    let held = coordinator.lock("job").await;
    assert!(other.try_lock("job").await.is_none());
    drop((held, coordinator));
    let held = timeout(PATIENCE, other.lock("job")).await.expect("it is free in the end");
    assert!(held.is_held());
    assert_eq!(view_of(&other, 1).await.members, [other.address()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_that_find_each_other_merge_and_one_holder_is_told() {
    let first = start(&[]).await;
    view_of(&first, 1).await;
    let one = first.lock("job").await;
    // It does not know the first one.
    let second = start(&[]).await;
    view_of(&second, 1).await;
    let other = second.lock("job").await;
    assert!(one.is_held() && other.is_held(), "there are two groups");
    // It knows both.
    let third = start(&[&first, &second]).await;
    for member in [&first, &second, &third] {
        view_of(member, 3).await;
    }
    let lost = async {
        tokio::select! {
            () = one.lost() => {}
            () = other.lost() => {}
        }
    };
    timeout(PATIENCE, lost).await.expect("one of them is told");
    assert!(one.is_held() != other.is_held());
    assert!(third.try_lock("job").await.is_none());
    drop((one, other));
    drop(timeout(PATIENCE, third.lock("job")).await.expect("it is free"));
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_of_another_group_are_not_heard() {
    let first = start(&[]).await;
    let builder = Member::builder("another").period(Duration::from_millis(200));
    let stranger = builder.seed(first.address()).start().await.expect("a port is free");
    assert_eq!(view_of(&stranger, 1).await.members, [stranger.address()]);
    assert_eq!(view_of(&first, 1).await.members, [first.address()]);
}

/// What the port of a member is told by who is none: bytes of any kind, a frame of 4 GiB, a member
/// of another protocol, and nothing at all.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_comes_to_its_port_a_member_serves() {
    let first = start(&[]).await;
    let mut rng = turnstile_host::Rng::from_entropy();
    let noise: Vec<u8> = (0..8192).flat_map(|_| rng.number().to_le_bytes()).collect();
    let huge = [&u32::MAX.to_be_bytes()[..], b"TSTL"].concat();
    let foreign = b"\0\0\0\x0cTSTL\0\x02\x05other".to_vec();
    let mut silent = Vec::new();
    for _ in 0..32 {
        for bytes in [&noise, &huge, &foreign] {
            let mut stream = TcpStream::connect(first.address()).await.expect("it listens");
            // It may close the connection before it has read all.
            let _refused = stream.write_all(bytes).await;
            let mut answer = Vec::new();
            let ended = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
            assert!(ended.is_ok() && answer.len() < 1024, "it ends such a connection");
        }
        silent.push(TcpStream::connect(first.address()).await.expect("it listens"));
    }
    let second = start(&[&first]).await;
    view_of(&second, 2).await;
    let locked = timeout(PATIENCE, second.lock("printer")).await;
    assert!(locked.is_ok(), "the group serves");
    drop(silent);
    second.leave().await;
    first.leave().await;
}

/// A coordinator whose users ask it without a pause still excludes a member that is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_under_load_finds_that_another_one_is_gone() {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    for member in [&first, &second] {
        view_of(member, 2).await;
    }
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..64 {
        let member = first.clone();
        callers.spawn(async move {
            let name = format!("lock {caller}");
            loop {
                drop(member.lock(&name).await);
            }
        });
    }
    drop(second);
    let begun = std::time::Instant::now();
    view_of(&first, 1).await;
    println!("excluded after {:?}", begun.elapsed());
    callers.shutdown().await;
    drop(timeout(PATIENCE, first.lock("other")).await.expect("it is free"));
}
