//! The predicates of the byte-range lock system's properties.

use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::{self, File};
use turnstile_byte_range_lock_core::message::{FileId, ServerLock, ServerRequest};
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_core::{ByteRange, server};
use turnstile_byte_range_lock_machines::byte_range_lock::{Invariant, Resource, State as At};
use turnstile_byte_range_lock_machines::server_lock::{self};
use turnstile_machine::Rules as _;
use turnstile_world::property::View;

use super::host_locks::HostLocks;
use super::monitor::Monitor;
use super::reassertion::are_in_conflict;
use super::rule;
use super::{BYTES, FIRST, HOST, MANAGER, Ranges, SERVER};

turnstile_machine::system!("spec/systems/byte-range-lock.yaml");

const WAITING: [At; 2] = [At::Waitlock, At::Waitunlock];
const EFFECTIVE: [At; 2] = [At::Active, At::Lost];
const QUEUED: [At; 3] = [At::Active, At::Waitlock, At::Waitunlock];

fn manager<'a>(view: &View<'a>) -> &'a manager::State {
    view.state(MANAGER)
}

fn server<'a>(view: &View<'a>) -> &'a server::State {
    view.state(SERVER)
}

fn files<'a>(view: &View<'a>) -> impl Iterator<Item = (FileId, &'a File)> {
    manager(view).files()
}

/// Whether every file satisfies the predicate.
fn of_files(view: &View<'_>, is_so: impl Fn(&File) -> bool) -> bool {
    files(view).all(|(_, file)| is_so(file))
}

/// Whether some lock is in a state.
fn has(view: &View<'_>, at: At) -> bool {
    files(view).any(|(_, file)| in_states(file, &[at]).next().is_some())
}

fn in_states<'a>(
    file: &'a File,
    states: &[At],
) -> impl Iterator<Item = (LockId, &'a ByteRangeLock)> {
    file.locks.iter().filter(|(_, lock)| states.contains(&lock.at))
}

/// The server lock that the accepted locks need, and the LOST ones, which it requests again.
fn needed(file: &File) -> Option<ServerLock> {
    let needy = [At::Active, At::Waitlock, At::Lost];
    let is_any = |kind| in_states(file, &needy).any(|(_, lock)| lock.kind == kind);
    if is_any(LockType::Exclusive) {
        return Some(ServerLock::LockWrite);
    }
    is_any(LockType::Shared).then_some(ServerLock::LockRead)
}

impl Ranges {
    /// Whether every file satisfies an invariant of the table.
    fn keep(&self, view: &View<'_>, invariant: Invariant) -> bool {
        of_files(view, |file| file.keeps(&self.lock, invariant))
    }

    fn may_write(&self, file: &File, key: ClientKey, byte: ByteRange) -> bool {
        file.may_write(&self.lock, key, byte)
    }

    fn may_read(&self, file: &File, key: ClientKey, byte: ByteRange) -> bool {
        file.may_read(&self.lock, key, byte)
    }

    /// The clients that may write a byte.
    fn writers(&self, file: &File, byte: ByteRange) -> impl Iterator<Item = ClientKey> {
        self.keys().filter(move |key| self.may_write(file, *key, byte))
    }

    fn is_exact(&self, view: &View<'_>, id: FileId, file: &File) -> bool {
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

/// Whether the owner of a timer exists.
fn is_of_something(view: &View<'_>, timer: &manager::Timer) -> bool {
    let of = |id: &FileId| manager(view).file(*id);
    match timer {
        manager::Timer::Check(id) | manager::Timer::Lease(id) => of(id).is_some(),
        manager::Timer::Wait(id, lock) => {
            of(id).is_some_and(|file| file.locks.lock(*lock).is_some())
        }
    }
}

/// The bytes under an ACTIVE lock.
fn owned(file: &File) -> impl Iterator<Item = ByteRange> {
    let is_active =
        |byte: &ByteRange| file.locks.over(*byte).any(|(_, lock)| lock.at == At::Active);
    (0..BYTES).map(ByteRange::byte).filter(is_active)
}

impl byte_range_lock::Properties for Ranges {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn no_action_fails(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn timers_match_state(&self, view: &View<'_>) -> bool {
        files(view).all(|(id, file)| self.is_exact(view, id, file))
            && view.nodes[MANAGER].armed().all(|timer| is_of_something(view, timer))
    }

    fn i1(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I1)
    }

    fn i2(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I2)
    }

    fn i3(&self, view: &View<'_>) -> bool {
        let server = server(view);
        let facts = HostLocks { files: files(view).collect(), server };
        self.server.whole_invariant(server_lock::WholeInvariant::I3, &facts)
    }

    fn i4(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I4)
    }

    fn i5(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I5)
    }

    fn i6(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I6)
    }

    fn i7(&self, view: &View<'_>) -> bool {
        self.keep(view, Invariant::I7)
    }

    fn mutual_exclusion_between_hosts(&self, view: &View<'_>) -> bool {
        let server = server(view);
        self.files().all(|id| match (server.of(id, HOST), server.elsewhere(id)) {
            (Some(one), Some(other)) => {
                (one, other) == (ServerLock::LockRead, ServerLock::LockRead)
            }
            (None, _) | (_, None) => true,
        })
    }

    fn another_host_has_a_lock(&self, view: &View<'_>) -> bool {
        self.files().any(|id| server(view).elsewhere(id).is_some())
    }

    fn at_most_one_writer(&self, view: &View<'_>) -> bool {
        of_files(view, |file| owned(file).all(|byte| self.writers(file, byte).nth(1).is_none()))
    }

    fn a_writer_excludes_readers(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            owned(file).all(|byte| {
                self.writers(file, byte).all(|writer| {
                    let mut others = self.keys().filter(|other| *other != writer);
                    others.all(|other| !self.may_read(file, other, byte))
                })
            })
        })
    }

    fn a_lost_lock_permits_no_access(&self, view: &View<'_>) -> bool {
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

    fn an_active_lock_permits_access(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Active]).all(|(_, lock)| {
                let is_exclusive = lock.kind == LockType::Exclusive;
                self.may_read(file, lock.key, lock.range)
                    && (!is_exclusive || self.may_write(file, lock.key, lock.range))
            })
        })
    }

    fn unlocked_bytes_are_accessible(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            (0..BYTES).map(ByteRange::byte).all(|byte| {
                let (mut is_unowned, mut is_shared, mut losers) = (true, true, Vec::new());
                let over = file.locks.over(byte).map(|(_, lock)| lock);
                for lock in over.filter(|lock| EFFECTIVE.contains(&lock.at)) {
                    is_unowned &= lock.at == At::Lost;
                    is_shared &= lock.kind == LockType::Shared;
                    losers.extend((lock.at == At::Lost).then_some(lock.key));
                }
                self.keys().filter(|key| !losers.contains(key)).all(|key| {
                    (!is_shared || self.may_read(file, key, byte))
                        && (!is_unowned || self.may_write(file, key, byte))
                })
            })
        })
    }

    fn lost_exclusive_bytes_are_unreadable(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            (0..BYTES).map(ByteRange::byte).all(|byte| {
                let over = |at| file.locks.over(byte).filter(move |(_, lock)| lock.at == at);
                let is_unsafe = over(At::Active).next().is_none()
                    && over(At::Lost).any(|(_, lock)| lock.kind == LockType::Exclusive);
                !is_unsafe || self.keys().all(|key| !self.may_read(file, key, byte))
            })
        })
    }

    fn notifications_match_lock_states(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NOTIFICATION)
    }

    fn access_checks_follow_the_rules(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ACCESS)
    }

    fn refusal_implies_a_lost_lock(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::REFUSAL)
    }

    fn waitlock_implies_a_pending_call(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::CALL)
    }

    fn answers_of_the_file_server_take_effect(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ANSWER)
    }

    fn calls_match_the_locks(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NEEDED_CALL)
    }

    fn granted_locks_are_reasserted(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::REASSERTION)
    }

    fn the_granted_server_lock_is_known(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::SERVER_LOCK)
    }

    fn locks_are_indexed(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::INDEX)
    }

    fn a_waitlock_lock_is_yet_to_be_asserted(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Waitlock]).all(|(_, lock)| match lock.kind {
                LockType::Shared => file.server == server_lock::State::Unlocked,
                LockType::Exclusive => file.server != server_lock::State::LockWrite,
            })
        })
    }

    fn losses_are_recorded(&self, view: &View<'_>) -> bool {
        let monitor = view.monitor::<Monitor>();
        of_files(view, |file| {
            file.locks.iter().all(|(id, lock)| match (lock.at, lock.lost) {
                (At::Lost, Some(loss)) => monitor.is_right(id, loss),
                (At::Lost, None) => false,
                (_, lost) => lost.is_none(),
            })
        }) && !view.breaks(rule::GRANTED)
    }

    fn no_reinstatement_after_a_modification(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::UNMODIFIED)
    }

    fn a_lock_is_lost(&self, view: &View<'_>) -> bool {
        has(view, At::Lost)
    }

    fn the_server_lock_is_extended(&self, view: &View<'_>) -> bool {
        files(view).any(|(_, file)| {
            file.pending_call.is_some_and(|open| open.request == ServerRequest::Extend)
        })
    }

    fn no_needless_wait(&self, view: &View<'_>) -> bool {
        of_files(view, |file| {
            in_states(file, &[At::Waitunlock]).all(|(id, lock)| {
                in_states(file, &QUEUED)
                    .any(|(other, one)| other < id && are_in_conflict(lock, one))
            })
        })
    }

    fn files_are_independent(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ISOLATION)
    }

    fn every_wait_ends(&self, view: &View<'_>) -> bool {
        !self.the_first_client_waits(view)
    }

    fn unneeded_server_locks_are_released(&self, view: &View<'_>) -> bool {
        !self.an_unneeded_server_lock_is_kept(view)
    }

    fn a_lock_is_granted(&self, view: &View<'_>) -> bool {
        has(view, At::Active)
    }

    fn a_lock_waits(&self, view: &View<'_>) -> bool {
        has(view, At::Waitlock) || has(view, At::Waitunlock)
    }

    fn the_first_client_waits(&self, view: &View<'_>) -> bool {
        files(view)
            .any(|(_, file)| file.locks.of(FIRST).any(|(_, lock)| WAITING.contains(&lock.at)))
    }

    fn a_lock_waits_for_another(&self, view: &View<'_>) -> bool {
        has(view, At::Waitunlock)
    }

    fn a_key_has_a_lost_lock_and_a_lock_of_another_file(&self, view: &View<'_>) -> bool {
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

    fn an_unneeded_server_lock_is_kept(&self, view: &View<'_>) -> bool {
        let (manager, server) = (manager(view), server(view));
        self.files().any(|id| server.of(id, HOST) > manager.file(id).and_then(needed))
    }
}
