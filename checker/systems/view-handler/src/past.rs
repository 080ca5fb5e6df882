//! What the properties of the view handling system remember of each member.

use turnstile_core::number::ViewId;
use turnstile_core::view::{self, Command, MemberId, Members, View};
use turnstile_step::Symbolic;
use turnstile_world::{NodeId, Observation};

use crate::member;
use crate::nodes::Notice;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Monitor {
    /// By member.
    pub(crate) members: Vec<Past>,
    /// A suspension was ended by what began in another one.
    pub(crate) other_owner: bool,
    /// A coord installed a merge view that was made from another view than its present one.
    pub(crate) merged_across: bool,
    /// A merge view was installed.
    pub(crate) has_merged: bool,
    /// A MERGE-REQ was not answered.
    pub(crate) owes_an_answer: bool,
    /// A member installed a view whose number was no greater than that of the one before.
    pub(crate) went_back: bool,
}

/// What is remembered of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Past {
    /// The members of its view.
    #[symbolic(skip)]
    view: Members,
    /// The number of the last view that it installed.
    last: Option<ViewId>,
    /// Those that it was told to suspect since they came into its view.
    #[symbolic(skip)]
    pub(crate) suspects: Vec<MemberId>,
    /// The greatest number of a view that it was sent, if that is greater than that of its view.
    pub(crate) sent: Option<ViewId>,
    /// While it is suspended: whether it has installed a view since.
    pub(crate) is_overtaken: Option<bool>,
}

impl Monitor {
    /// Nothing has happened to members that begin with these views.
    pub(crate) fn new(views: impl Iterator<Item = Option<View>>) -> Self {
        let past = |view: Option<View>| Past {
            last: view.as_ref().map(|view| view.id),
            view: view.map(|view| view.members).unwrap_or_default(),
            ..Past::default()
        };
        Self { members: views.map(past).collect(), ..Self::default() }
    }

    /// Remembers.
    pub(crate) fn observe(&mut self, seen: &Observation) {
        match seen {
            Observation::Asked(who, command) => {
                let Some(Command::Suspect { member }) = command.get() else { return };
                let suspects = &mut self.members[*who].suspects;
                if let Err(place) = suspects.binary_search(member) {
                    suspects.insert(place, *member);
                }
            }
            Observation::Told(who, notice) => match notice.of() {
                Notice::Told(notice) => self.is_told(*who, notice),
                Notice::Hears(view) => {
                    let past = &mut self.members[*who];
                    if view.contains(member(*who)) && past.last < Some(view.id) {
                        past.sent = past.sent.max(Some(view.id));
                    }
                }
                Notice::OwesAnAnswer => self.owes_an_answer = true,
            },
            Observation::Crashed(who) | Observation::Restarted(who) => {
                self.members[*who] = Past::default();
            }
            Observation::Violation(_) => {}
        }
    }

    fn is_told(&mut self, who: NodeId, notice: &view::Notice) {
        let past = &mut self.members[who];
        match notice {
            view::Notice::Installed(view) => {
                self.merged_across |= view.is_merge() && past.merges_across(member(who), view);
                self.has_merged |= view.is_merge();
                self.went_back |= past.last >= Some(view.id);
                // Who has left suspects nobody.
                let is_in = view.contains(member(who));
                past.suspects.retain(|suspect| is_in && view.contains(*suspect));
                past.view = view.members.clone();
                past.last = is_in.then_some(view.id);
                past.sent = past.sent.filter(|sent| is_in && view.id < *sent);
                past.is_overtaken = past.is_overtaken.map(|_| true);
            }
            view::Notice::Suspended(_) => past.is_overtaken = Some(false),
            view::Notice::Resumed { from, by } => {
                self.other_owner |= *by != Some(*from);
                past.is_overtaken = None;
            }
            view::Notice::GotState => {}
        }
    }
}

impl Past {
    /// Whether one installs the merge view of a group that it brought into the merge, and that
    /// view leaves out a member of its present view, or counts others to its group.
    fn merges_across(&self, me: MemberId, view: &View) -> bool {
        let mut groups = view.subgroups.iter();
        groups.find(|group| group.first() == Some(me)).is_some_and(|group| {
            self.view.iter().any(|one| !view.contains(one))
                || group.iter().any(|one| !self.view.contains(one))
        })
    }
}
