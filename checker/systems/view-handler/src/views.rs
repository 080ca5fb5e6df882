//! The parameters of a world: its members, what is assumed of them, and their table.

use turnstile_harness::tables::rules::AnyTable;
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, Command, Handler, Intent, MemberId, View};
use turnstile_view_handler_machines::view_handler;
use turnstile_world::{Direction, NodeId};

use crate::budgets::{MERGE, MERGE_AGAIN};

/// The table that runs, chosen at run time.
pub type HandlerRules = AnyTable<view_handler::Machine>;

/// The assumptions of a world.
#[derive(Clone, Copy, Debug)]
pub struct Assumptions {
    /// Messages in transit between two partitions are lost; otherwise they wait.
    pub loses: bool,
    /// A view that excludes a member is lost on its way to that one; otherwise it arrives.
    pub loses_exclusions: bool,
    /// A member that has asked one coord to join may ask another one, too.
    pub repeats_joins: bool,
    /// The number of encounters of coords is limited.
    pub limits_merges: bool,
    /// A Resumer resumes a handler that is suspended too long. Without faults it is not needed.
    pub resumes: bool,
}

/// The members of the view handling system.
#[derive(Clone, Debug)]
pub struct Views {
    /// The size of each group in the first state. Members after these are in none.
    pub groups: Vec<usize>,
    /// How many members there are.
    pub members: usize,
    /// The size of one partition, of the first members, when the network partitions.
    pub side: usize,
    /// Which messages between the partitions are cut off.
    pub cut: Direction,
    /// The assumptions.
    pub assumptions: Assumptions,
    /// The table of each member.
    pub rules: HandlerRules,
}

/// The member that a node is.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(node as u64 + 1)
}

/// The node that a member is.
pub(crate) fn node(member: MemberId) -> NodeId {
    usize::try_from(member.0).expect("it is a node") - 1
}

impl Views {
    /// A member's core.
    pub fn handler(&self, node: NodeId, choice: u8) -> Handler<HandlerRules> {
        Handler { rules: self.rules.choosing(choice), me: member(node) }
    }

    /// The first view of a member. Earlier groups have greater numbers.
    pub fn first_view(&self, node: NodeId) -> Option<View> {
        let mut first = 0;
        for (place, size) in self.groups.iter().enumerate() {
            if node < first + size {
                let id = ViewId::new((self.groups.len() - place) as u64);
                return Some(View::new(id, (first..first + size).map(member)));
            }
            first += size;
        }
        None
    }

    /// The enabled commands to a member.
    pub fn commands_to(&self, node: NodeId, state: &view::State) -> Vec<Command> {
        match &state.view {
            Some(view) => self.wishes(node, state, view),
            None if state.intent == Intent::Nothing
                || self.assumptions.repeats_joins
                    && matches!(state.intent, Intent::Join { .. }) =>
            {
                let firsts = (0..self.members).filter(|one| {
                    let group = self.first_view(*one);
                    let is_coord = |group: View| group.coordinator() == Some(member(*one));
                    *one != node && group.is_some_and(is_coord)
                });
                let ways = |via| [false, true].map(|state| (member(via), state));
                let join = |(via, with_state)| Command::Join { via, with_state };
                firsts.flat_map(ways).map(join).collect()
            }
            None => Vec::new(),
        }
    }

    /// The commands of the layers below to a coord, and those of its user.
    fn wishes(&self, node: NodeId, state: &view::State, view: &View) -> Vec<Command> {
        let me = member(node);
        let mut wishes = vec![Command::Leave];
        let others = view.members.iter().filter(|other| *other != me);
        let in_charge = others.filter(|gone| coordinator_without(state, *gone) == Some(me));
        wishes.extend(in_charge.map(|member| Command::Suspect { member }));
        if view.coordinator() == Some(me) {
            let strangers = (0..self.members).map(member).filter(|other| !view.contains(*other));
            wishes.extend(strangers.map(|to| Command::Announce { to }));
        }
        if state.installation.is_some() {
            wishes.push(Command::InstallationFails);
        }
        wishes
    }

    /// The budget that a command to a member takes from.
    pub fn budget(&self, command: &Command) -> &'static str {
        match command {
            Command::Join { with_state: false, .. } => "join",
            Command::Join { with_state: true, .. } => "join with state",
            Command::Leave => "leave",
            Command::Suspect { .. } => "suspect",
            Command::InstallationFails => "failed installation",
            Command::Announce { .. } if self.assumptions.limits_merges => MERGE,
            Command::Announce { .. } => MERGE_AGAIN,
        }
    }

    /// Whether a command to a member is strongly fair: announcements recur.
    pub fn is_fair(command: &Command) -> bool {
        matches!(command, Command::Announce { .. })
    }
}

/// The coordinator of a member's view if another member is suspected, too.
fn coordinator_without(state: &view::State, gone: MemberId) -> Option<MemberId> {
    let mut state = state.clone();
    state.suspects.add(gone);
    state.coordinator()
}
