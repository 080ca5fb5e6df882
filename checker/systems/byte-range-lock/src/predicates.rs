//! What the properties of the byte-range lock system ask of a state.

use turnstile_core::number::LockId;
use turnstile_core::ranges::locks::{Key, Lock, LockType};
use turnstile_core::ranges::manager::{self, File};
use turnstile_core::ranges::message::{Ask, FileId, Whole};
use turnstile_core::ranges::{ByteRange, server};
use turnstile_machine::Rules as _;
use turnstile_machines::byte_range_lock::{Invariant, Resource, State as At};
use turnstile_machines::server_lock::{self};
use turnstile_world::property::View;

use super::asserted::Asserted;
use super::nodes::Manager;
use super::past::Past;
use super::{BYTES, FIRST, HOST, MANAGER, Ranges, SERVER};

turnstile_machine::system!("spec/systems/byte-range-lock.yaml");

type Look<'a> = View<'a>;

const WAITING: [At; 2] = [At::Waitlock, At::Waitunlock];
const EFFECTIVE: [At; 2] = [At::Active, At::Lost];
const QUEUED: [At; 3] = [At::Active, At::Waitlock, At::Waitunlock];

fn manager<'a>(view: &Look<'a>) -> &'a Manager {
    view.state(MANAGER)
}

fn server<'a>(view: &Look<'a>) -> &'a server::State {
    view.state(SERVER)
}

fn files<'a>(view: &Look<'a>) -> impl Iterator<Item = (FileId, &'a File)> {
    manager(view).core.files()
}

/// Whether it is so of every file.
fn of_files(view: &Look<'_>, is_so: impl Fn(&File) -> bool) -> bool {
    files(view).all(|(_, file)| is_so(file))
}

/// Whether some lock is in a state.
fn has(view: &Look<'_>, at: At) -> bool {
    files(view).any(|(_, file)| in_states(file, &[at]).next().is_some())
}

fn in_states<'a>(file: &'a File, states: &[At]) -> impl Iterator<Item = (LockId, &'a Lock)> {
    file.locks.iter().filter(|(_, lock)| states.contains(&lock.at))
}

/// What the cache manager must have for the locks that it has accepted, and for those that are
/// LOST, which it asks for once more.
fn needed(file: &File) -> Option<Whole> {
    let needy = [At::Active, At::Waitlock, At::Lost];
    let is_any = |kind| in_states(file, &needy).any(|(_, lock)| lock.kind == kind);
    if is_any(LockType::Exclusive) {
        return Some(Whole::LockWrite);
    }
    is_any(LockType::Shared).then_some(Whole::LockRead)
}

impl Ranges {
    /// Whether every file is as an invariant of the table says.
    fn keep(&self, view: &Look<'_>, invariant: Invariant) -> bool {
        of_files(view, |file| file.keeps(&self.lock, invariant))
    }

    fn may_write(&self, file: &File, key: Key, byte: ByteRange) -> bool {
        file.may_write(&self.lock, key, byte)
    }

    fn may_read(&self, file: &File, key: Key, byte: ByteRange) -> bool {
        file.may_read(&self.lock, key, byte)
    }

    /// The clients that may write a byte.
    fn writers(&self, file: &File, byte: ByteRange) -> impl Iterator<Item = Key> {
        self.keys().filter(move |key| self.may_write(file, *key, byte))
    }

    fn is_exact(&self, view: &Look<'_>, id: FileId, file: &File) -> bool {
        let is_armed = |timer| view.nodes[MANAGER].is_armed::<manager::Timer>(&timer);
        let of_server = self.server.holds(file.server);
        let check = of_server.contains(&server_lock::Resource::CheckTimer);
        let lease = of_server.contains(&server_lock::Resource::LeaseTimer);
        is_armed(manager::Timer::Check(id)) == check
            && is_armed(manager::Timer::Lease(id)) == lease
            && file.locks.iter().all(|(lock, one)| {
                let waits = self.lock.holds(one.at).contains(&Resource::WaitTimer);
                is_armed(manager::Timer::Wait(id, lock)) == waits
            })
    }
}

/// Whether what a timer is armed for is there.
fn is_of_something(view: &Look<'_>, timer: &manager::Timer) -> bool {
    let of = |id: &FileId| manager(view).core.file(*id);
    match timer {
        manager::Timer::Check(id) | manager::Timer::Lease(id) => of(id).is_some(),
        manager::Timer::Wait(id, lock) => {
            of(id).is_some_and(|file| file.locks.lock(*lock).is_some())
        }
    }
}

/// Whether two locks share a byte, and one of them is exclusive.
fn are_in_conflict(one: &Lock, other: &Lock) -> bool {
    let is_exclusive = [one, other].iter().any(|lock| lock.kind == LockType::Exclusive);
    is_exclusive && one.range.overlaps(other.range)
}

/// The bytes that somebody has an ACTIVE lock of.
fn owned(file: &File) -> impl Iterator<Item = ByteRange> {
    let is_active =
        |byte: &ByteRange| file.locks.over(*byte).any(|(_, lock)| lock.at == At::Active);
    (0..BYTES).map(ByteRange::byte).filter(is_active)
}

impl byte_range_lock::Properties for Ranges {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn what_is_done_can_be_done(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn held_is_armed(&self, view: &Look<'_>) -> bool {
        files(view).all(|(id, file)| self.is_exact(view, id, file))
            && view.nodes[MANAGER].armed().all(|timer| is_of_something(view, timer))
    }

    fn i1(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I1)
    }

    fn i2(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I2)
    }

    fn i3(&self, view: &Look<'_>) -> bool {
        let server = server(view);
        let facts = Asserted { files: files(view).collect(), server };
        self.server.whole_invariant(server_lock::WholeInvariant::I3, &facts)
    }

    fn i4(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I4)
    }

    fn i5(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I5)
    }

    fn i6(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I6)
    }

    fn i7(&self, view: &Look<'_>) -> bool {
        self.keep(view, Invariant::I7)
    }

    fn hosts_exclude_each_other(&self, view: &Look<'_>) -> bool {
        let server = server(view);
        self.files().all(|id| match (server.of(id, HOST), server.elsewhere(id)) {
            (Some(one), Some(other)) => (one, other) == (Whole::LockRead, Whole::LockRead),
            (None, _) | (_, None) => true,
        })
    }

    fn another_host_has_a_lock(&self, view: &Look<'_>) -> bool {
        self.files().any(|id| server(view).elsewhere(id).is_some())
    }

    fn one_writer(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| owned(file).all(|byte| self.writers(file, byte).nth(1).is_none()))
    }

    fn nobody_reads_what_another_may_write(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| {
            owned(file).all(|byte| {
                self.writers(file, byte).all(|writer| {
                    let mut others = self.keys().filter(|other| *other != writer);
                    others.all(|other| !self.may_read(file, other, byte))
                })
            })
        })
    }

    fn what_is_lost_is_out_of_reach(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Lost]).all(|(_, lost)| {
                let (first, last) = (lost.range.first(), lost.range.last());
                (first..=last).map(ByteRange::byte).all(|byte| {
                    let mut over = file.locks.over(byte);
                    over.any(|(_, one)| one.at == At::Active && one.key == lost.key)
                        || !(self.may_read(file, lost.key, byte)
                            || self.may_write(file, lost.key, byte))
                })
            })
        })
    }

    fn what_is_granted_can_be_exercised(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Active]).all(|(_, lock)| {
                let is_exclusive = lock.kind == LockType::Exclusive;
                self.may_read(file, lock.key, lock.range)
                    && (!is_exclusive || self.may_write(file, lock.key, lock.range))
            })
        })
    }

    fn nobody_is_kept_out_of_what_is_free(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| {
            (0..BYTES).map(ByteRange::byte).all(|byte| {
                let (mut is_free, mut is_shared, mut losers) = (true, true, Vec::new());
                for (_, lock) in file.locks.over(byte) {
                    if EFFECTIVE.contains(&lock.at) {
                        is_free = false;
                        is_shared &= lock.kind == LockType::Shared;
                        losers.extend((lock.at == At::Lost).then_some(lock.key));
                    }
                }
                self.keys().all(|key| {
                    let may_read = is_shared && !losers.contains(&key);
                    (!may_read || self.may_read(file, key, byte))
                        && (!is_free || self.may_write(file, key, byte))
                })
            })
        })
    }

    fn a_client_is_told(&self, view: &Look<'_>) -> bool {
        !manager(view).is_untold
    }

    fn who_asks_to_read_or_write_is_judged_by_the_rule(&self, view: &Look<'_>) -> bool {
        !manager(view).is_misjudged
    }

    fn only_who_lost_a_lock_is_refused(&self, view: &Look<'_>) -> bool {
        !manager(view).is_turned_away
    }

    fn what_waits_for_the_server_is_asked_for(&self, view: &Look<'_>) -> bool {
        !manager(view).is_unasked
    }

    fn a_lock_comes_back_to_the_file_that_it_left(&self, view: &Look<'_>) -> bool {
        !view.monitor::<Past>().is_stale
    }

    fn a_lock_is_lost(&self, view: &Look<'_>) -> bool {
        has(view, At::Lost)
    }

    fn the_server_lock_is_extended(&self, view: &Look<'_>) -> bool {
        files(view).any(|(_, file)| file.open.is_some_and(|open| open.ask == Ask::Extend))
    }

    fn nobody_waits_in_vain(&self, view: &Look<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Waitunlock]).all(|(id, lock)| {
                in_states(file, &QUEUED)
                    .any(|(other, one)| other < id && are_in_conflict(lock, one))
            })
        })
    }

    fn a_key_means_nothing_elsewhere(&self, view: &Look<'_>) -> bool {
        !manager(view).is_mixed
    }

    fn every_wait_ends(&self, view: &Look<'_>) -> bool {
        !self.the_first_client_waits(view)
    }

    fn what_nobody_needs_is_given_back(&self, view: &Look<'_>) -> bool {
        !self.nobody_needs_what_is_kept(view)
    }

    fn a_lock_is_granted(&self, view: &Look<'_>) -> bool {
        has(view, At::Active)
    }

    fn a_lock_waits(&self, view: &Look<'_>) -> bool {
        has(view, At::Waitlock) || has(view, At::Waitunlock)
    }

    fn the_first_client_waits(&self, view: &Look<'_>) -> bool {
        files(view)
            .any(|(_, file)| file.locks.of(FIRST).any(|(_, lock)| WAITING.contains(&lock.at)))
    }

    fn a_lock_waits_for_another(&self, view: &Look<'_>) -> bool {
        has(view, At::Waitunlock)
    }

    fn a_key_has_a_lost_lock_and_another_elsewhere(&self, view: &Look<'_>) -> bool {
        self.keys().any(|key| {
            let has = |id, is_meant: fn(At) -> bool| {
                let mut locks = files(view).filter(|(other, _)| *other == id);
                locks.any(|(_, file)| file.locks.of(key).any(|(_, lock)| is_meant(lock.at)))
            };
            let has_lost = |id| has(id, |at| at == At::Lost);
            let has_another = |id| has(id, |at| QUEUED.contains(&at));
            let is_other = |lost| self.files().any(|id| id != lost && has_another(id));
            self.files().any(|id| has_lost(id) && is_other(id))
        })
    }

    fn nobody_needs_what_is_kept(&self, view: &Look<'_>) -> bool {
        let (manager, server) = (manager(view), server(view));
        self.files().any(|id| server.of(id, HOST) > manager.core.file(id).and_then(needed))
    }
}
