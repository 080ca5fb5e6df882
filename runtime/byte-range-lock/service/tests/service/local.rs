//! Two managers of one file, by locks of the operating system.

use std::fs::File;
use std::time::Duration;

use turnstile_byte_range_lock::local::LocalFile;
use turnstile_byte_range_lock::{
    ByteRange, LockError, LockRequest, LockType, Manager, Options, Owner, PlainFile,
};

fn request(owner: u64, kind: LockType, first: u64, last: u64, waits: bool) -> LockRequest {
    let range = ByteRange::new(first, last - first + 1).expect("it has bytes");
    LockRequest { owner: Owner(owner), process: 1, range, kind, waits }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_managers_exclude_each_other() {
    use LockType::{Exclusive, Shared};

    let path = std::env::temp_dir().join(format!("turnstile-ranges-{}", std::process::id()));
    File::create(&path).expect("a file");
    let managers = [(); 2].map(|()| Manager::start(Options::default()));
    let files = [0, 1].map(|n: usize| managers[n].open(LocalFile::new(PlainFile(path.clone()))));
    let lock = |n: usize, request| managers[n].lock(&files[n], request);

    assert_eq!(lock(0, request(1, Shared, 0, 9, false)).await, Ok(()));
    assert_eq!(lock(1, request(1, Shared, 0, 9, false)).await, Ok(()));
    assert_eq!(lock(1, request(1, Exclusive, 20, 29, false)).await, Err(LockError::WouldBlock));
    assert_eq!(lock(1, request(1, Exclusive, 0, 4, false)).await, Err(LockError::WouldBlock));
    managers[0].unlock(&files[0], Owner(1), ByteRange::ALL).expect("it is kept");
    assert_eq!(lock(1, request(1, Exclusive, 0, 4, false)).await, Ok(()));
    assert_eq!(lock(0, request(1, Shared, 30, 31, false)).await, Err(LockError::WouldBlock));
    let waits = lock(0, request(1, Shared, 30, 31, true));
    let releases =
        async { managers[1].unlock(&files[1], Owner(1), ByteRange::new(0, 2).expect("two bytes")) };
    let (_, released) =
        tokio::join!(tokio::time::timeout(Duration::from_millis(50), waits), releases);
    assert_eq!(released, Ok(()));
    assert_eq!(managers[1].count(&files[1]), 2, "bytes 2 to 4, and 5 to 9");
    managers[1].owner_gone(&files[1], Owner(1));
    assert_eq!(lock(0, request(1, Shared, 30, 31, true)).await, Ok(()));
    std::fs::remove_file(path).expect("it is there");
}
