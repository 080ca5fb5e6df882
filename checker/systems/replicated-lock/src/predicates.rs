//! What the properties of the replicated lock service ask of a state.

use turnstile_core::replicated::types::{Status, Timer};
use turnstile_core::replicated::{Lock, Locks};
use turnstile_machine::Rules as _;
use turnstile_machines::lock_member::State as Member;
use turnstile_machines::lock_mutex::{Resource, State as Mutex};
use turnstile_machines::lock_status::Invariant;
use turnstile_world::NodeId;
use turnstile_world::property::View;

use super::cluster::Cluster;
use super::facts::Now;
use super::nodes::Seat;
use super::past::Acted;
use super::system::Replicated;

turnstile_machine::system!("spec/systems/replicated-lock.yaml");

type Look<'a> = View<'a>;

fn seats<'a>(view: &Look<'a>) -> impl Iterator<Item = (NodeId, &'a Seat)> {
    view.nodes.iter().map_while(|part| part.state.get()).enumerate()
}

fn cluster<'a>(view: &Look<'a>) -> &'a Cluster {
    view.nodes.iter().find_map(|part| part.state.get()).expect("every world has a cluster")
}

/// Every lock as the whole log has it, and as each member has it.
fn locks<'a>(view: &Look<'a>) -> impl Iterator<Item = &'a Lock> {
    let replicas = seats(view).map(|(_, seat)| &seat.core.replica);
    let all = replicas.chain([&cluster(view).truth]);
    all.flat_map(Locks::iter).map(|(_, lock)| lock)
}

/// The members that are connected under the address that they have.
fn connected<'a>(view: &Look<'a>) -> impl Iterator<Item = &'a Seat> {
    let cluster = cluster(view);
    let is_there = |node: NodeId, seat: &Seat| {
        let known = &cluster.seats[node];
        !known.is_apart && known.address == seat.address
    };
    seats(view).filter(move |(node, seat)| is_there(*node, seat)).map(|(_, seat)| seat)
}

/// The members that have applied the whole log, with the RESET of the present leader, and tell what
/// they apply.
fn current<'a>(view: &Look<'a>) -> impl Iterator<Item = &'a Seat> {
    let Cluster { last, is_reset, .. } = *cluster(view);
    connected(view).filter(move |seat| {
        let is_whole = is_reset && seat.delivered.index == last;
        is_whole && seat.core.hears && seat.core.at != Member::Resigned
    })
}

/// What its member is to the lock of every mutex that stands so, and whose command has come.
fn mutexes(view: &Look<'_>, at: Mutex) -> Vec<Status> {
    let all = seats(view).flat_map(|(_, seat)| {
        let mutexes = seat.core.mutexes().filter(move |(_, mutex)| mutex.at == at);
        let come = mutexes.filter(|(lock, _)| !seat.delivered.behind.contains_key(lock));
        come.map(|(lock, _)| seat.core.replica.status(lock, seat.address))
    });
    all.collect()
}

fn is_any(view: &Look<'_>, at: &[Mutex]) -> bool {
    seats(view).any(|(_, seat)| seat.core.mutexes().any(|(_, mutex)| at.contains(&mutex.at)))
}

/// Whether a connected member holds a lock or waits for it, and no thread wants that.
fn is_for_nobody(view: &Look<'_>) -> bool {
    let truth = &cluster(view).truth;
    connected(view).any(|seat| {
        truth.iter().any(|(name, _)| {
            let at = seat.core.mutex(name).map_or(Mutex::Unlocked, |mutex| mutex.at);
            let is_wanted = !matches!(at, Mutex::Unlocked | Mutex::Releasing);
            !is_wanted && truth.status(name, seat.address) != Status::None
        })
    })
}

/// Whether somebody holds a lock who is not connected.
fn is_with_nobody(view: &Look<'_>) -> bool {
    let present = cluster(view).present();
    let mut holders = cluster(view).truth.iter().filter_map(|(_, lock)| lock.holder);
    holders.any(|holder| !present.contains(&holder))
}

/// Whether nothing is left of what the member held or waited for, as far as its listener and its
/// threads know.
pub(super) fn has_nothing(member: &turnstile_core::replicated::State) -> bool {
    let mut mutexes = member.mutexes();
    member.told.is_empty()
        && mutexes.all(|(_, mutex)| !matches!(mutex.at, Mutex::Locked | Mutex::Waiting))
}

fn is_deaf(view: &Look<'_>) -> bool {
    connected(view).any(|seat| !seat.core.hears && seat.core.at != Member::Resigned)
}

impl Replicated {
    /// Whether every lock is as an invariant of the table says, in the log and at every member.
    fn keeps(&self, invariant: Invariant, view: &Look<'_>) -> bool {
        locks(view).all(|lock| self.status.invariant(invariant, &Now(lock)))
    }
}

/// What stands in Rust here speaks of the log, of the members' own machines and of their lag at
/// once: no formula of one table names the instances of another one.
impl replicated_lock::Properties for Replicated {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        view.violation().is_none()
    }

    fn a_lock_is_held(&self, view: &Look<'_>) -> bool {
        locks(view).any(|lock| lock.holder.is_some())
    }

    fn one_holder_a_lock(&self, view: &Look<'_>) -> bool {
        self.keeps(Invariant::OneHolder, view)
    }

    fn the_holder_is_no_waiter(&self, view: &Look<'_>) -> bool {
        self.keeps(Invariant::TheHolderIsNoWaiter, view)
    }

    fn somebody_waits(&self, view: &Look<'_>) -> bool {
        locks(view).any(|lock| !lock.waiters.is_empty())
    }

    fn a_waiter_waits_once(&self, view: &Look<'_>) -> bool {
        self.keeps(Invariant::AWaiterWaitsOnce, view)
    }

    fn a_lock_that_somebody_waits_for_has_a_holder(&self, view: &Look<'_>) -> bool {
        self.keeps(Invariant::ALockThatSomebodyWaitsForHasAHolder, view)
    }

    fn nobody_is_passed_in_the_queue(&self, view: &Look<'_>) -> bool {
        !cluster(view).broken.order
    }

    fn a_reset_leaves_only_its_members(&self, view: &Look<'_>) -> bool {
        !cluster(view).broken.reset
    }

    fn what_is_unlocked_is_given_up(&self, view: &Look<'_>) -> bool {
        !cluster(view).broken.kept
    }

    fn who_was_there_all_the_time_keeps_its_lock(&self, view: &Look<'_>) -> bool {
        !cluster(view).broken.stayed
    }

    fn members_agree(&self, view: &Look<'_>) -> bool {
        let cluster = cluster(view);
        let has_it = |seat: &Seat| {
            let given = &seat.delivered;
            (seat.core.applied, &seat.core.replica) == (given.index, &given.locks)
        };
        let mut up_to_date = connected(view).filter(|seat| seat.delivered.index == cluster.last);
        seats(view).all(|(_, seat)| has_it(seat))
            && up_to_date.all(|seat| seat.delivered.locks == cluster.truth)
    }

    fn a_listener_hears_what_has_changed(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.strayed)
    }

    fn a_thread_is_told(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.is_untold)
    }

    fn who_is_in_a_minority_has_nothing(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| {
            let has_resigned = seat.core.at == Member::Resigned;
            // Who has just begun has had no view, which has its receiver in it, and learnt nothing.
            let knows = has_resigned && !seat.core.present.is_empty();
            !seat.clings
                && (!has_resigned || seat.core.told.is_empty())
                && (!knows || has_nothing(&seat.core))
        })
    }

    fn held_is_armed(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(node, seat)| {
            let is_armed = |timer: Timer| view.nodes[node].is_armed(&timer);
            self.names().all(|lock| {
                let at = seat.core.mutex(lock).map_or(self.mutex.initial(), |mutex| mutex.at);
                let holds = self.mutex.holds(at);
                is_armed(Timer::Timeout(lock)) == holds.contains(&Resource::Timeout)
                    && is_armed(Timer::Retry(lock)) == holds.contains(&Resource::RetryTimer)
            })
        })
    }

    fn a_command_is_executed_until_its_result_is_there(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| {
            seat.core.mutexes().all(|(_, mutex)| {
                !matches!(mutex.at, Mutex::Locking | Mutex::Unlocking) || mutex.call.is_some()
            })
        })
    }

    fn a_listener_ends_at_the_truth(&self, view: &Look<'_>) -> bool {
        let truth = &cluster(view).truth;
        current(view).all(|seat| {
            self.names().all(|lock| {
                let told = seat.core.told.get(&lock).map_or(Status::None, |(status, _)| *status);
                told == truth.status(lock, seat.address)
            })
        })
    }

    fn a_listener_is_told(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| !seat.core.told.is_empty())
    }

    fn one_holder_acts(&self, view: &Look<'_>) -> bool {
        view.monitor::<Vec<Acted>>().iter().all(|acted| !acted.is_torn)
    }

    fn a_thread_acts(&self, view: &Look<'_>) -> bool {
        view.monitor::<Vec<Acted>>().iter().any(|acted| acted.is_used)
    }

    fn a_locked_mutex_holds_the_lock(&self, view: &Look<'_>) -> bool {
        mutexes(view, Mutex::Locked).iter().all(|status| *status == Status::Holding)
    }

    fn a_mutex_is_locked(&self, view: &Look<'_>) -> bool {
        is_any(view, &[Mutex::Locked])
    }

    fn a_mutex_waits_for_no_grant_that_came(&self, view: &Look<'_>) -> bool {
        mutexes(view, Mutex::Waiting).iter().all(|status| *status == Status::Waiting)
    }

    fn a_mutex_waits(&self, view: &Look<'_>) -> bool {
        is_any(view, &[Mutex::Waiting])
    }

    fn nobody_keeps_a_lock_that_nobody_wants(&self, view: &Look<'_>) -> bool {
        !is_for_nobody(view)
    }

    fn a_lock_is_kept_for_nobody(&self, view: &Look<'_>) -> bool {
        is_for_nobody(view)
    }

    fn a_thread_that_waits_can_go_on(&self, view: &Look<'_>) -> bool {
        !self.a_thread_waits(view)
    }

    fn a_thread_waits(&self, view: &Look<'_>) -> bool {
        is_any(view, &[Mutex::Locking, Mutex::Waiting, Mutex::Unlocking])
    }

    fn a_lock_whose_holder_is_gone_becomes_free(&self, view: &Look<'_>) -> bool {
        !is_with_nobody(view)
    }

    fn a_holder_is_gone(&self, view: &Look<'_>) -> bool {
        is_with_nobody(view)
    }

    fn who_comes_back_hears_again(&self, view: &Look<'_>) -> bool {
        !is_deaf(view)
    }

    fn somebody_came_back(&self, view: &Look<'_>) -> bool {
        is_deaf(view)
    }
}
