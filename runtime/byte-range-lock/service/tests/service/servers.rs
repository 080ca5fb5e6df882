//! What a manager does with the answers of its file server: late ones, refusals, none.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use turnstile_byte_range_lock::{
    Access, ByteRange, File, FileServer, LockError, LockRequest, LockType, Manager, Options, Owner,
    Reply, ServerLock,
};

/// A call to the server of a test.
#[derive(Debug)]
enum Call {
    Lock(ServerLock, Reply),
    Extend(Reply),
    Release(Reply),
}

/// A server whose answers the test gives.
#[derive(Debug)]
struct Scripted(Sender<Call>);

impl FileServer for Scripted {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        self.0.send(Call::Lock(lock, reply)).expect("the test reads it");
    }

    fn extend(&self, reply: Reply) {
        self.0.send(Call::Extend(reply)).expect("the test reads it");
    }

    fn release(&self, reply: Reply) {
        self.0.send(Call::Release(reply)).expect("the test reads it");
    }
}

/// The outcome of an owner's request.
type Told = (u64, Result<(), LockError>);

/// A manager with one file, its calls, and the owners that lose locks.
struct Scene {
    manager: Manager,
    file: File,
    calls: Receiver<Call>,
    losses: Receiver<Owner>,
    told: Sender<Told>,
    outcomes: Receiver<Told>,
}

const CHECK: Duration = Duration::from_millis(20);
const TEN: ByteRange = match ByteRange::new(0, 10) {
    Ok(range) => range,
    Err(_) => panic!("it has bytes"),
};

impl Scene {
    fn new(check: Duration) -> Self {
        let (lost, losses) = mpsc::channel();
        let options = Options::new(check).on_lost(move |_, owner| {
            // The test may have ended.
            let _unheard = lost.send(owner);
        });
        let manager = Manager::start(options);
        let (call, calls) = mpsc::channel();
        let file = manager.open(Scripted(call));
        let (told, outcomes) = mpsc::channel();
        Self { manager, file, calls, losses, told, outcomes }
    }

    fn lock(&self, owner: u64, kind: LockType, waits: bool) {
        let told = self.told.clone();
        let request = LockRequest { owner: Owner(owner), process: 0, range: TEN, kind, waits };
        self.manager.request(&self.file, request, move |outcome| {
            // The test may have ended.
            let _unheard = told.send((owner, outcome));
        });
    }

    fn outcome(&self) -> Option<Told> {
        self.outcomes.try_recv().ok()
    }

    fn call(&self) -> Option<Call> {
        self.calls.try_recv().ok()
    }

    /// The next call, which asks for this lock.
    fn asked(&self, lock: ServerLock) -> Reply {
        match self.call() {
            Some(Call::Lock(asked, reply)) if asked == lock => reply,
            other => panic!("{other:?}, and not a call for {lock}"),
        }
    }

    /// A call that comes by a timer.
    async fn next(&self) -> Call {
        let next = async {
            loop {
                match self.call() {
                    Some(call) => return call,
                    None => tokio::task::yield_now().await,
                }
            }
        };
        timeout(Duration::from_secs(20), next).await.expect("a timer fires")
    }

    fn may_write(&self, owner: u64) -> bool {
        self.manager.has_kept(&self.file, &[Owner(owner)], Access::Write, TEN)
    }
}

#[tokio::test]
async fn who_does_not_wait_is_refused_when_the_server_is_busy() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, false);
    let reply = scene.asked(ServerLock::LockWrite);
    assert_eq!(scene.outcome(), None);
    reply.busy();
    assert_eq!(scene.outcome(), Some((1, Err(LockError::WouldBlock))));
    assert!(reply.is_given_up());
    // Who comes now is not forgotten when the call ends without an answer.
    scene.lock(2, LockType::Shared, true);
    assert!(scene.call().is_none());
    drop(reply);
    scene.asked(ServerLock::LockRead).granted(ServerLock::LockRead, 0, None);
    assert_eq!(scene.outcome(), Some((2, Ok(()))));
}

#[tokio::test]
async fn a_refusal_costs_the_locks_of_those_who_need_it() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, true);
    scene.asked(ServerLock::LockWrite).refused();
    assert_eq!(scene.outcome(), Some((1, Err(LockError::Refused))));
    assert_eq!(scene.manager.count(&scene.file), 0, "nothing is left of the request");
    scene.lock(1, LockType::Exclusive, true);
    scene.asked(ServerLock::LockWrite).granted(ServerLock::LockWrite, 0, None);
    assert_eq!(scene.outcome(), Some((1, Ok(()))));
}

#[tokio::test]
async fn a_lost_lease_costs_all_locks_until_they_are_released() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, true);
    let reply = scene.asked(ServerLock::LockWrite);
    let lapse = reply.lapse();
    reply.granted(ServerLock::LockWrite, 0, Some(Instant::now() + Duration::from_secs(60)));
    assert_eq!(scene.outcome(), Some((1, Ok(()))));
    assert!(scene.may_write(1));
    lapse.lapsed();
    assert_eq!(scene.losses.try_recv(), Ok(Owner(1)));
    assert!(!scene.may_write(1), "the bytes may be another's");
    scene.lock(1, LockType::Shared, true);
    assert_eq!(scene.outcome(), Some((1, Err(LockError::Lost))));
    let released = scene.manager.unlock(&scene.file, Owner(1), ByteRange::ALL);
    assert_eq!(released, Err(LockError::Lost), "its owner gets to know");
    assert_eq!(scene.manager.count(&scene.file), 0);
    assert!(scene.may_write(1));
}

#[tokio::test]
async fn a_lock_whose_lease_is_over_by_the_clock_is_lost() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, true);
    let reply = scene.asked(ServerLock::LockWrite);
    let until = Instant::now() + Duration::from_millis(30);
    reply.granted(ServerLock::LockWrite, 0, Some(until));
    assert_eq!(scene.outcome(), Some((1, Ok(()))));
    while Instant::now() < until {
        tokio::task::yield_now().await;
    }
    assert!(!scene.may_write(1), "whether its timer has fired or not");
}

#[tokio::test]
async fn an_answer_after_the_lease_grants_nothing() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, true);
    let reply = scene.asked(ServerLock::LockWrite);
    reply.granted(ServerLock::LockWrite, 0, Some(Instant::now()));
    assert_eq!(scene.outcome(), None);
    // It is asked for again at once, and not at the next check.
    scene.asked(ServerLock::LockWrite).granted(ServerLock::LockWrite, 0, None);
    assert_eq!(scene.outcome(), Some((1, Ok(()))));
}

/// Loses a lock and has it granted anew, with other contents or not. Whether it is kept.
async fn is_reasserted(contents: u64) -> bool {
    let scene = Scene::new(CHECK);
    scene.lock(1, LockType::Exclusive, true);
    let reply = scene.asked(ServerLock::LockWrite);
    let lapse = reply.lapse();
    reply.granted(ServerLock::LockWrite, 7, Some(Instant::now() + Duration::from_secs(60)));
    lapse.lapsed();
    let Call::Lock(ServerLock::LockWrite, reply) = scene.next().await else {
        panic!("the check asks for the lock again");
    };
    reply.granted(ServerLock::LockWrite, contents, None);
    scene.may_write(1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_lock_is_granted_again_if_nobody_had_the_file() {
    assert!(is_reasserted(7).await);
    assert!(!is_reasserted(8).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_is_extended_at_each_check_and_released_after_the_last() {
    let scene = Scene::new(CHECK);
    scene.lock(1, LockType::Exclusive, true);
    scene.asked(ServerLock::LockWrite).granted(ServerLock::LockWrite, 0, None);
    for _ in 0..3 {
        let Call::Extend(reply) = scene.next().await else { panic!("the check extends the lock") };
        reply.extended(0, None);
    }
    scene.manager.owner_gone(&scene.file, Owner(1));
    loop {
        match scene.next().await {
            Call::Extend(reply) => reply.extended(0, None),
            Call::Release(reply) => return reply.released(),
            Call::Lock(..) => panic!("nobody asks for a lock"),
        }
    }
}

#[tokio::test]
async fn a_manager_that_is_gone_takes_no_answer() {
    let scene = Scene::new(Duration::MAX);
    scene.lock(1, LockType::Exclusive, true);
    let reply = scene.asked(ServerLock::LockWrite);
    let Scene { manager, file, .. } = scene;
    drop(manager);
    assert!(reply.is_given_up());
    reply.granted(ServerLock::LockWrite, 0, None);
    drop(file);
}
