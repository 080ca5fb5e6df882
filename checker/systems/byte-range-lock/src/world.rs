//! A world of `spec/systems/byte-range-lock.yaml` over the cores.

use std::sync::Arc;

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::LockType;
use turnstile_harness::options::Refusal;
use turnstile_harness::{Embedded, Plan, SystemEntry, SystemSpec, embedded};
use turnstile_world::Predicate;
use turnstile_world::system::System;

use super::Ranges;
use super::predicates::byte_range_lock::{Predicate as Name, Properties};
use super::system::Nodes;

const FILE: Embedded = embedded!("../" "spec/systems/" "byte-range-lock");

const TABLES: [Embedded; 2] = [
    embedded!("../" "spec/tables/" "byte-range-lock"),
    embedded!("../" "spec/tables/" "server-lock"),
];

/// The byte-range lock system among those of this build.
#[must_use]
pub fn entry() -> SystemEntry {
    SystemEntry::of::<Ranges>()
}

impl SystemSpec for Ranges {
    const FILE: Embedded = FILE;

    const TABLES: &'static [Embedded] = &TABLES;

    const BUDGETS: &'static [&'static str] = &[
        "request",
        "request of another file",
        "abandon",
        "time out",
        "read",
        "write",
        "other host",
        "file changed",
        "lapse",
    ];

    const CALLS: &'static [&'static str] =
        &["request", "request of another file", "abandon", "read", "write"];

    const SUFFERS: &'static [&'static str] = &["lost request", "lost answer", "late answer"];

    fn may_spend(&self, _plan: &Plan<'_>, budget: &str) -> bool {
        match budget {
            "request of another file" => self.files > 1,
            "time out" => self.waits_forever,
            _ => true,
        }
    }

    fn of(plan: &Plan<'_>) -> Result<Self, Refusal> {
        let (lock, server) = Ranges::rules(&plan.options.tables)?;
        Ok(Self {
            clients: plan.number("clients")?.into(),
            files: plan.number("files")?.into(),
            each: plan.number("locks")?.into(),
            spans: spans(plan)?,
            kinds: kinds(plan)?,
            waits_forever: waits_forever(plan)?,
            exercises: plan.has("read"),
            lock,
            server,
        })
    }

    fn nodes(self, _count: usize) -> Arc<dyn System> {
        Arc::new(Nodes::new(self))
    }

    fn predicate(&self, name: &str) -> Option<Predicate> {
        let (system, name) = (self.clone(), Name::from_name(name)?);
        Some(Predicate::new(move |view| system.ask(name, view)))
    }
}

/// The ranges that clients request: `0+2 1+2`.
fn spans(plan: &Plan<'_>) -> Result<Vec<ByteRange>, Refusal> {
    let text = plan.value("spans").unwrap_or_default();
    let span = |text: &str| {
        let (offset, length) = text.split_once('+')?;
        let range = ByteRange::new(offset.parse().ok()?, length.parse().ok()?).ok()?;
        (range.last() < super::BYTES).then_some(range)
    };
    let spans: Option<Vec<ByteRange>> = text.split_whitespace().map(span).collect();
    spans.filter(|spans| !spans.is_empty()).ok_or_else(|| {
        plan.refuse("spans", &format!("ranges of {} bytes like `0+2 1+2`", super::BYTES))
    })
}

fn kinds(plan: &Plan<'_>) -> Result<Vec<LockType>, Refusal> {
    match plan.value("types").unwrap_or_default() {
        "both" => Ok([LockType::Shared, LockType::Exclusive].into()),
        "shared" => Ok([LockType::Shared].into()),
        "exclusive" => Ok([LockType::Exclusive].into()),
        _ => Err(plan.refuse("types", "both, shared or exclusive")),
    }
}

fn waits_forever(plan: &Plan<'_>) -> Result<bool, Refusal> {
    match plan.value("patience").unwrap_or_default() {
        "ends" => Ok(false),
        "lasts" => Ok(true),
        _ => Err(plan.refuse("patience", "ends or lasts")),
    }
}
