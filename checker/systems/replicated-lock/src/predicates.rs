//! The predicates of the replicated lock service's properties.

use turnstile_machine::Rules as _;
use turnstile_replicated_lock_core::types::{Address, LockStatus, Timer};
use turnstile_replicated_lock_core::{Lag, Lock, Locks};
use turnstile_replicated_lock_machines::lock_member::State as Member;
use turnstile_replicated_lock_machines::lock_mutex::{Resource, State as Mutex};
use turnstile_replicated_lock_machines::lock_status::Invariant;
use turnstile_world::NodeId;
use turnstile_world::property::View;

use super::act_history::ActHistory;
use super::cluster::Cluster;
use super::delivered::Role;
use super::facts::LockFacts;
use super::member_state::{MemberState, has_nothing};
use super::replicated::Replicated;
use super::rule;

turnstile_machine::system!("spec/systems/replicated-lock.yaml");

fn members<'a>(view: &View<'a>) -> impl Iterator<Item = (NodeId, &'a MemberState)> {
    view.nodes.iter().map_while(|part| part.state.get()).enumerate()
}

fn cluster<'a>(view: &View<'a>) -> &'a Cluster {
    view.nodes.iter().find_map(|part| part.state.get()).expect("every world has a cluster")
}

/// Every lock, after the whole log and at each member.
fn locks<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Lock> {
    let replicas = members(view).map(|(_, state)| &state.core.replica);
    let all = replicas.chain([&cluster(view).log_state]);
    all.flat_map(Locks::iter).map(|(_, lock)| lock)
}

/// Whether a member's status is that of the holder, of a waiter, or of neither.
fn is_status_right(lock: &Lock, who: Address) -> bool {
    let found = lock.status.iter().find(|(member, _)| *member == who);
    let status = found.map_or(LockStatus::None, |(_, at)| LockStatus::from(*at));
    let expected = if lock.holder == Some(who) {
        LockStatus::Holding
    } else if lock.waiters.contains(&who) {
        LockStatus::Waiting
    } else {
        LockStatus::None
    };
    status == expected
}

/// The members that are connected under their present address.
fn connected<'a>(view: &View<'a>) -> impl Iterator<Item = &'a MemberState> {
    let cluster = cluster(view);
    let has_address = |node: NodeId, state: &MemberState| {
        let known = &cluster.members[node];
        !known.is_partitioned && known.address == state.address
    };
    members(view).filter(move |(node, state)| has_address(*node, state)).map(|(_, state)| state)
}

/// The members that have applied the whole log, with the present leader's RESET, and notify their
/// listener.
fn current<'a>(view: &View<'a>) -> impl Iterator<Item = &'a MemberState> {
    let Cluster { last, is_reset, .. } = *cluster(view);
    connected(view).filter(move |state| {
        let is_whole = is_reset && state.delivered.index == last;
        is_whole && state.core.hears && state.core.at != Member::Resigned
    })
}

/// The member's status for every mutex in this state whose command was delivered.
fn mutexes(view: &View<'_>, at: Mutex) -> Vec<LockStatus> {
    let all = members(view).flat_map(|(_, state)| {
        let mutexes = state.core.mutexes().filter(move |(_, mutex)| mutex.at == at);
        let come = mutexes.filter(|(lock, _)| !state.delivered.behind.contains_key(lock));
        come.map(|(lock, _)| state.core.replica.status(lock, state.address))
    });
    all.collect()
}

fn is_any(view: &View<'_>, at: &[Mutex]) -> bool {
    members(view).any(|(_, state)| state.core.mutexes().any(|(_, mutex)| at.contains(&mutex.at)))
}

/// Whether a connected member holds a lock or waits for it, and no thread wants it.
fn is_for_nobody(view: &View<'_>) -> bool {
    let log_state = &cluster(view).log_state;
    connected(view).any(|state| {
        log_state.iter().any(|(name, _)| {
            let at = state.core.mutex(name).map_or(Mutex::Unlocked, |mutex| mutex.at);
            let is_wanted = !matches!(at, Mutex::Unlocked | Mutex::Releasing);
            !is_wanted && log_state.status(name, state.address) != LockStatus::None
        })
    })
}

/// Whether a disconnected member holds a lock.
fn is_with_nobody(view: &View<'_>) -> bool {
    let present = cluster(view).present();
    let mut holders = cluster(view).log_state.iter().filter_map(|(_, lock)| lock.holder);
    holders.any(|holder| !present.contains(&holder))
}

fn is_deaf(view: &View<'_>) -> bool {
    connected(view).any(|state| !state.core.hears && state.core.at != Member::Resigned)
}

impl Replicated {
    /// Whether every lock satisfies an invariant of the table, in the log and at every member.
    fn keeps(&self, invariant: Invariant, view: &View<'_>) -> bool {
        locks(view).all(|lock| self.status.invariant(invariant, &LockFacts(lock)))
    }
}

/// The predicates in Rust combine the log, the members' machines and their lag: a formula of one
/// table cannot refer to the instances of another.
impl replicated_lock::Properties for Replicated {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &View<'_>) -> bool {
        view.violation().is_none()
    }

    fn a_lock_is_held(&self, view: &View<'_>) -> bool {
        locks(view).any(|lock| lock.holder.is_some())
    }

    fn at_most_one_holder_per_lock(&self, view: &View<'_>) -> bool {
        self.keeps(Invariant::OneHolder, view)
    }

    fn a_holder_is_not_a_waiter(&self, view: &View<'_>) -> bool {
        self.keeps(Invariant::AHolderIsNotAWaiter, view)
    }

    fn a_member_waits(&self, view: &View<'_>) -> bool {
        locks(view).any(|lock| !lock.waiters.is_empty())
    }

    fn no_duplicate_waiters(&self, view: &View<'_>) -> bool {
        self.keeps(Invariant::NoDuplicateWaiters, view)
    }

    fn status_matches_holder_and_queue(&self, view: &View<'_>) -> bool {
        locks(view).all(|lock| {
            let statuses = lock.status.iter().map(|(who, _)| *who);
            statuses.chain(lock.everybody()).all(|who| is_status_right(lock, who))
        })
    }

    fn waiting_implies_a_holder(&self, view: &View<'_>) -> bool {
        self.keeps(Invariant::WaitingImpliesAHolder, view)
    }

    fn fifo_among_waiters(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ORDER)
    }

    fn reset_keeps_only_listed_members(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::RESET)
    }

    fn unlock_takes_effect(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::UNLOCK)
    }

    fn a_free_lock_is_granted(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::FREE_LOCK)
    }

    fn members_of_the_majority_keep_their_locks(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::MAJORITY)
    }

    fn replicas_agree_with_the_log(&self, view: &View<'_>) -> bool {
        let cluster = cluster(view);
        let has_it = |state: &MemberState| {
            let given = &state.delivered;
            (state.core.applied, &state.core.replica) == (given.index, &given.locks)
        };
        let mut up_to_date = connected(view).filter(|state| state.delivered.index == cluster.last);
        members(view).all(|(_, state)| has_it(state))
            && up_to_date.all(|state| state.delivered.locks == cluster.log_state)
    }

    fn listener_notifications_are_consistent(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::LISTENER)
    }

    fn threads_are_notified(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NOTIFICATION)
    }

    fn a_member_keeps_nothing_that_is_over(&self, view: &View<'_>) -> bool {
        let are_used = locks(view).all(|lock| lock.everybody().next().is_some());
        are_used
            && members(view).all(|(_, MemberState { core, .. })| {
                core.mutexes().all(|(lock, mutex)| {
                    let is_over = match mutex.lag {
                        Lag::None => mutex.call.is_none(),
                        Lag::Until(index) => Some(index) <= core.applied,
                        // While it hears no log, commands from before have no end.
                        Lag::Unknown => core.hears,
                    };
                    let is_at_rest = mutex.at == Mutex::Unlocked && is_over;
                    let told = core.told.get(&lock).copied();
                    let is_old = told.is_some_and(|(status, token)| {
                        status == LockStatus::Holding && token != mutex.token
                    });
                    !is_at_rest
                        && (mutex.at == Mutex::Locked || mutex.token.is_none())
                        && (mutex.at != Mutex::Locked || mutex.lag != Lag::None || !is_old)
                })
            })
    }

    fn mutexes_have_reasons(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::REASON)
    }

    fn commands_match_calls(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::COMMAND)
    }

    fn roles_follow_views_and_elections(&self, view: &View<'_>) -> bool {
        members(view).all(|(_, state)| {
            let role = match state.core.at {
                Member::Resigned => Role::Resigned,
                Member::Follower => Role::Follower,
                Member::Leader => Role::Leader,
            };
            role == state.delivered.role
        })
    }

    fn reset_follows_views_and_elections(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::CALLED_RESET)
    }

    fn a_member_leads(&self, view: &View<'_>) -> bool {
        members(view).any(|(_, state)| state.delivered.role == Role::Leader)
    }

    fn a_minority_member_holds_no_lock(&self, view: &View<'_>) -> bool {
        let is_free = |state: &MemberState| {
            let has_resigned = state.core.at == Member::Resigned;
            // A new member has received no view that contains it, and knows of none.
            let knows = has_resigned && !state.core.present.is_empty();
            (!has_resigned || state.core.told.is_empty()) && (!knows || has_nothing(&state.core))
        };
        !view.breaks(rule::MINORITY) && members(view).all(|(_, state)| is_free(state))
    }

    fn timers_match_state(&self, view: &View<'_>) -> bool {
        members(view).all(|(node, state)| {
            let is_armed = |timer: Timer| view.nodes[node].is_armed(&timer);
            self.names().all(|lock| {
                let at = state.core.mutex(lock).map_or(self.mutex.initial(), |mutex| mutex.at);
                let holds = self.mutex.holds(at);
                is_armed(Timer::Timeout(lock)) == holds.contains(&Resource::Timeout)
                    && is_armed(Timer::Retry(lock)) == holds.contains(&Resource::RetryTimer)
            })
        })
    }

    fn an_executing_command_has_no_result(&self, view: &View<'_>) -> bool {
        members(view).all(|(_, state)| {
            state.core.mutexes().all(|(_, mutex)| {
                !matches!(mutex.at, Mutex::Locking | Mutex::Unlocking) || mutex.call.is_some()
            })
        })
    }

    fn listeners_converge_to_the_log(&self, view: &View<'_>) -> bool {
        let log_state = &cluster(view).log_state;
        current(view).all(|state| {
            self.names().all(|lock| {
                let told =
                    state.core.told.get(&lock).map_or(LockStatus::None, |(status, _)| *status);
                told == log_state.status(lock, state.address)
            })
        })
    }

    fn a_listener_is_notified(&self, view: &View<'_>) -> bool {
        members(view).any(|(_, state)| !state.core.told.is_empty())
    }

    fn mutual_exclusion_with_fencing_tokens(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ACTS)
    }

    fn a_thread_acts(&self, view: &View<'_>) -> bool {
        view.monitor::<Vec<ActHistory>>().iter().any(|history| history.has_acted)
    }

    fn locked_implies_held(&self, view: &View<'_>) -> bool {
        mutexes(view, Mutex::Locked).iter().all(|status| *status == LockStatus::Holding)
    }

    fn a_mutex_is_locked(&self, view: &View<'_>) -> bool {
        is_any(view, &[Mutex::Locked])
    }

    fn waiting_implies_queued(&self, view: &View<'_>) -> bool {
        mutexes(view, Mutex::Waiting).iter().all(|status| *status == LockStatus::Waiting)
    }

    fn a_mutex_waits(&self, view: &View<'_>) -> bool {
        is_any(view, &[Mutex::Waiting])
    }

    fn unwanted_locks_can_be_released(&self, view: &View<'_>) -> bool {
        !is_for_nobody(view)
    }

    fn an_unwanted_lock_is_held(&self, view: &View<'_>) -> bool {
        is_for_nobody(view)
    }

    fn releases_can_end(&self, view: &View<'_>) -> bool {
        !self.a_mutex_releases(view)
    }

    fn a_mutex_releases(&self, view: &View<'_>) -> bool {
        is_any(view, &[Mutex::Releasing])
    }

    fn a_waiting_thread_can_proceed(&self, view: &View<'_>) -> bool {
        !self.a_thread_waits(view)
    }

    fn a_thread_waits(&self, view: &View<'_>) -> bool {
        is_any(view, &[Mutex::Locking, Mutex::Waiting, Mutex::Unlocking])
    }

    fn locks_of_departed_holders_can_be_released(&self, view: &View<'_>) -> bool {
        !is_with_nobody(view)
    }

    fn a_holder_has_departed(&self, view: &View<'_>) -> bool {
        is_with_nobody(view)
    }

    fn a_rejoined_member_hears_the_log_from_its_unlock_all_on(&self, view: &View<'_>) -> bool {
        members(view).all(|(_, state)| state.core.hears != state.delivered.is_deaf)
    }

    fn a_rejoined_member_follows_the_log(&self, view: &View<'_>) -> bool {
        !is_deaf(view)
    }

    fn a_member_has_rejoined(&self, view: &View<'_>) -> bool {
        is_deaf(view)
    }
}
