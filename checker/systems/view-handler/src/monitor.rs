//! The monitor (history variables) of the view handling system's properties.

use turnstile_step::Symbolic;
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, Command, MemberId, Members, View};
use turnstile_world::{Breaches, NodeId, Observation};

use crate::member;
use crate::nodes::Notice;
use crate::rule;
use crate::views::node;

/// The history variables of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// By member.
    pub(crate) members: Vec<MemberHistory>,
    /// A merge view was installed.
    pub(crate) has_merged: bool,
    /// The members that were suspected, wanted to leave, or are in a view that a member received
    /// which is not in it.
    #[symbolic(skip)]
    parted: Members,
}

/// The history variables of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct MemberHistory {
    /// The members of its view.
    #[symbolic(skip)]
    view: Members,
    /// The number of the last view that it installed.
    last: Option<ViewId>,
    /// The members that it was told to suspect since they entered its view, or that one that has
    /// left was.
    #[symbolic(skip)]
    pub(crate) suspects: Vec<MemberId>,
    /// Whether it has asked to leave since it entered its view.
    leaves: bool,
    /// Of the members that a leaving one suspects, those that it has excluded.
    excluded: Vec<Exclusion>,
    /// The greatest number of a view sent to it, if greater than that of its view.
    pub(crate) sent: Option<ViewId>,
    /// Whether it has asked to join since its last view.
    pub(crate) has_asked_to_join: bool,
    /// While it is suspended: whether it has installed a view since.
    pub(crate) installed_since_suspension: Option<bool>,
}

/// A member that another one has excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
struct Exclusion {
    #[symbolic(skip)]
    member: MemberId,
    /// The number of the last view by which it did.
    by: ViewId,
}

impl Monitor {
    /// The monitor of members with these first views.
    pub(crate) fn new(views: impl Iterator<Item = Option<View>>) -> Self {
        let history = |view: Option<View>| MemberHistory {
            last: view.as_ref().map(|view| view.id),
            view: view.map(|view| view.members).unwrap_or_default(),
            ..MemberHistory::default()
        };
        Self { members: views.map(history).collect(), ..Self::default() }
    }

    /// Updates the history variables, and adds the rules that the step breaks by them.
    pub(crate) fn observe(&mut self, seen: &Observation, breaches: &mut Breaches) {
        match seen {
            Observation::Asked(who, command) => {
                let Some(command) = command.get() else { return };
                self.members[*who].is_asked(command);
                match command {
                    Command::Suspect { member } => self.parted.add(*member),
                    Command::Leave => self.parted.add(member(*who)),
                    Command::Join { .. }
                    | Command::Announce { .. }
                    | Command::InstallationFails => {}
                }
            }
            Observation::Told(who, notice) => match notice.of() {
                Notice::User(notice) => self.is_told(*who, notice, breaches),
                Notice::ViewReceived(view) => {
                    let history = &mut self.members[*who];
                    let has_coord =
                        history.view.contains(member(*who)) || history.has_asked_to_join;
                    let is_in = view.contains(member(*who));
                    if !is_in {
                        view.members.iter().for_each(|one| self.parted.add(one));
                    }
                    if is_in && has_coord && history.last < Some(view.id) {
                        history.sent = history.sent.max(Some(view.id));
                    }
                }
            },
            Observation::Crashed(who) | Observation::Restarted(who) => {
                self.members[*who] = MemberHistory::default();
            }
            Observation::Violation(_) | Observation::Breaches(_) => {}
        }
    }

    /// The first member of a view that is not suspected suspects these, unless it has excluded them
    /// by a later view: the suspicions may arrive before the view does, by which their member left.
    fn inherit(&mut self, view: &View, suspects: &[MemberId]) {
        let Some(heir) = view.members.iter().find(|one| !suspects.contains(one)) else { return };
        let heir = &mut self.members[node(heir)];
        for one in suspects {
            if heir.view.contains(*one) && !heir.has_excluded_since(*one, view.id) {
                heir.suspect(*one);
            }
        }
    }

    /// Forgets the exclusions of members that no leaving one suspects.
    fn forget_exclusions(&mut self) {
        let leaving = self.members.iter().filter(|history| history.leaves);
        let suspects: Vec<MemberId> =
            leaving.flat_map(|history| history.suspects.iter().copied()).collect();
        for history in &mut self.members {
            history.excluded.retain(|one| suspects.contains(&one.member));
        }
    }

    fn is_told(&mut self, who: NodeId, notice: &view::Notice, breaches: &mut Breaches) {
        let history = &mut self.members[who];
        match notice {
            view::Notice::Installed(view) => {
                let is_own = !view.is_merge() || !history.merges_across(member(who), view);
                breaches.require(rule::OWN_MERGE, is_own);
                self.has_merged |= view.is_merge();
                breaches.require(rule::GREATER_NUMBER, history.last < Some(view.id));
                let has_parted = |one: MemberId| self.parted.contains(one);
                let is_due = |one| view.contains(one) || has_parted(one) || has_parted(member(who));
                breaches.require(rule::EXCLUSION, history.view.iter().all(is_due));
                let is_in = view.contains(member(who));
                let was_in = history.view.contains(member(who));
                let enters = is_in && !was_in;
                breaches.require(rule::ENTRY, !enters || history.has_asked_to_join);
                history.has_asked_to_join = false;
                history.suspects.retain(|suspect| view.contains(*suspect));
                history.exclude(view);
                history.view = view.members.clone();
                history.last = Some(view.id);
                history.sent = history.sent.filter(|sent| is_in && view.id < *sent);
                history.installed_since_suspension =
                    history.installed_since_suspension.map(|_| true);
                if !is_in {
                    // Who has left has no suspicions: the others' coord has.
                    let left = std::mem::take(&mut history.suspects);
                    history.excluded.clear();
                    history.leaves = false;
                    self.inherit(view, &left);
                }
                self.forget_exclusions();
            }
            view::Notice::Suspended(_) => history.installed_since_suspension = Some(false),
            view::Notice::Resumed { from, by } => {
                breaches.require(rule::OWN_RESUME, *by == Some(*from));
                history.installed_since_suspension = None;
            }
            view::Notice::GotState => {}
        }
    }
}

impl MemberHistory {
    fn suspect(&mut self, member: MemberId) {
        if let Err(place) = self.suspects.binary_search(&member) {
            self.suspects.insert(place, member);
        }
    }

    /// Excludes the members of its view that a new one lacks.
    fn exclude(&mut self, view: &View) {
        for member in self.view.iter().filter(|one| !view.contains(*one)) {
            self.excluded.retain(|one| one.member != member);
            self.excluded.push(Exclusion { member, by: view.id });
        }
        self.excluded.sort_unstable();
    }

    /// Whether it has excluded a member by a view that is later than this one.
    fn has_excluded_since(&self, member: MemberId, id: ViewId) -> bool {
        self.excluded.iter().any(|one| one.member == member && id < one.by)
    }

    fn is_asked(&mut self, command: &Command) {
        match command {
            Command::Suspect { member } => self.suspect(*member),
            Command::Join { .. } => self.has_asked_to_join = true,
            Command::Leave => self.leaves = true,
            Command::Announce { .. } | Command::InstallationFails => {}
        }
    }

    /// Whether a coord installs a merge view that omits a member of its present view, or adds
    /// members to its group.
    fn merges_across(&self, me: MemberId, view: &View) -> bool {
        let mut groups = view.subgroups.iter();
        groups.find(|group| group.first() == Some(me)).is_some_and(|group| {
            self.view.iter().any(|one| !view.contains(one))
                || group.iter().any(|one| !self.view.contains(one))
        })
    }
}
