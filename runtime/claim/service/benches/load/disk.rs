//! The throughput of the disk itself: appends of one size, each synced before the next.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tally::{Measure, Tally};

/// The approximate size of the frame of one claim.
const FRAME: [u8; 256] = [7; 256];
/// The bytes that are allocated first, if the file does not grow.
static ROOM: [u8; 64 << 20] = [0; 64 << 20];

/// Appends for this time, to a preallocated file or to one that grows with each append.
pub(crate) fn measure(has_room: bool, time: Duration) -> Measure {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("load.disk");
    let file = File::create(&path).expect("the directory is ours");
    if has_room {
        file.write_all_at(&ROOM, 0).expect("the disk takes it");
    }
    file.sync_all().expect("the disk takes it");
    let (mut tally, mut at) = (Tally::default(), 0);
    let started = Instant::now();
    while started.elapsed() < time {
        let before = Instant::now();
        file.write_all_at(&FRAME, at).expect("the disk takes it");
        file.sync_data().expect("the disk takes it");
        tally.note(before.elapsed());
        at = (at + FRAME.len() as u64) % ROOM.len() as u64;
    }
    let measure = Measure::of(&[tally], started.elapsed(), Duration::ZERO);
    std::fs::remove_file(&path).expect("it is ours");
    measure
}
