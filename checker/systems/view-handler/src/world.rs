//! A world of `spec/systems/view-handler.yaml` over the members' cores.

use std::sync::Arc;

use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_world::system::System;
use turnstile_world::{Direction, Predicate};

use super::budgets::{MERGE, MERGE_AGAIN, PARTITION};
use super::predicates::view_handler::{Predicate as Name, Properties};
use super::system::Nodes;
use super::views::{Assumptions, HandlerRules, Views};

const FILE: Embedded = embedded!("../" "spec/systems/" "view-handler");

const TABLES: [Embedded; 1] = [embedded!("../" "spec/tables/" "view-handler")];

/// The view handling system among those of this build.
#[must_use]
pub fn entry() -> SystemEntry {
    SystemEntry::of::<Views>()
}

impl SystemSpec for Views {
    const FILE: Embedded = FILE;

    const TABLES: &'static [Embedded] = &TABLES;

    const BUDGETS: &'static [&'static str] = &[
        "join",
        "join with state",
        "leave",
        "suspect",
        "failed installation",
        MERGE,
        MERGE_AGAIN,
        PARTITION,
    ];

    const CALLS: &'static [&'static str] = &["join", "join with state", "leave"];

    const SUFFERS: &'static [&'static str] =
        &["member crash", "member restart", "member pause", "member late timer"];

    fn may_spend(&self, plan: &Plan<'_>, budget: &str) -> bool {
        let has_outsiders = plan.has("leave") || self.groups.iter().sum::<usize>() < self.members;
        match budget {
            "join" | "join with state" => has_outsiders,
            MERGE_AGAIN => !self.assumptions.limits_merges,
            _ => true,
        }
    }

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let (members, groups) = (plan.count("member")?, groups(plan)?);
        let side = usize::from(plan.number("side")?);
        if groups.iter().sum::<usize>() > members || side >= members {
            let text = format!("there are {members} members, too few for `groups` or `side`");
            return Err(Refusal::Usage(text));
        }
        let loses = match plan.value("messages") {
            Some("late") => false,
            Some("lost") => true,
            _ => return Err(plan.refuse("messages", "late or lost")),
        };
        let resumes = match plan.value("Resumer") {
            Some("runs") | None => true,
            Some("never runs") => false,
            _ => return Err(plan.refuse("Resumer", "runs or never runs")),
        };
        let cut = match plan.value("cut") {
            Some("both") => Direction::Both,
            Some("outgoing") => Direction::Outgoing,
            Some("incoming") => Direction::Incoming,
            _ => return Err(plan.refuse("cut", "both, outgoing or incoming")),
        };
        let loses_exclusions = match plan.value("exclusions") {
            Some("arrive") => false,
            Some("lost") => true,
            _ => return Err(plan.refuse("exclusions", "arrive or lost")),
        };
        let repeats_joins = match plan.value("joins") {
            Some("once") => false,
            Some("repeated") => true,
            _ => return Err(plan.refuse("joins", "once or repeated")),
        };
        let limits_merges = plan.has(MERGE);
        let assumptions =
            Assumptions { loses, loses_exclusions, repeats_joins, limits_merges, resumes };
        let rules = HandlerRules::among(&plan.options.tables)?;
        Ok(Self { groups, members, side, cut, assumptions, rules })
    }

    fn nodes(self, _count: usize) -> Arc<dyn System> {
        Arc::new(Nodes::new(self))
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}

/// The size of each group in the first state: `2+2`.
fn groups(plan: &Plan<'_>) -> Result<Vec<usize>, Refusal> {
    let text = plan.value("groups").unwrap_or_default();
    let size = |text: &str| Some(usize::from(text.trim().parse::<u8>().ok()?));
    let sizes: Option<Vec<usize>> = text.split('+').map(size).collect();
    sizes.filter(|sizes| sizes.iter().all(|size| *size > 0)).ok_or_else(|| {
        let text = format!("`groups` is `{text}`; it must be sizes like `2+2`");
        Refusal::Usage(text)
    })
}
