//! A trace as text: a sequence diagram with a column for each node where it fits, else lines.
//!
//! An arrow is drawn at the step that delivers its message; a local event stands on the lifeline
//! of its node.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use turnstile_harness::results::result::{PropertyKind, PropertyReport};
use turnstile_world::trace::{EffectReport, NETWORK, StepReport};

use super::paint::{Paint, columns, fold, pad};

/// Left of the first column: the margin and the step's number.
const LEFT: usize = 8;

/// Between the widest label of a gap and the two lifelines beside it.
const AIR: usize = 6;

/// The least width of the events' column.
const EVENT_MIN: usize = 20;

/// Above the first step of a lasso's loop.
const LOOP: &str = "— the steps below repeat for ever —";

/// The trace of a property, each line indented as the report's lines are.
#[must_use]
pub fn draw(property: &PropertyReport, paint: Paint) -> String {
    let steps = &property.counterexample;
    let nodes = nodes(steps);
    let mut text = match Diagram::plan(steps, &nodes, paint) {
        Some(diagram) => diagram.draw(steps, property.loop_from),
        None => lines(steps, property.loop_from, paint, nodes.len() > 1),
    };
    put_places(&mut text, steps, paint);
    let room = paint.width.saturating_sub(LEFT);
    if let Some(finding) = finding(property) {
        // Another property may fail in the same state: the name says which one is meant.
        let named = format!("{}: {finding}", property.name);
        for (nth, line) in fold(&named, room).iter().enumerate() {
            let _ = match (nth, line.strip_prefix(&property.name)) {
                (0, Some(rest)) => {
                    let name = paint.bad(&format!("✗ {}", property.name));
                    writeln!(text, "{:1$}{name}{rest}", "", LEFT - 2)
                }
                (0, None) => writeln!(text, "{:>LEFT$}{line}", "✗ "),
                (_, _) => writeln!(text, "{:LEFT$}{line}", ""),
            };
        }
    }
    for besides in &property.besides {
        for line in fold(&format!("also in this state: {besides}"), room) {
            let _ = writeln!(text, "{:LEFT$}{}", "", paint.dim(&line));
        }
    }
    text
}

/// Where the rows of a trace stand: the file and line of each, with its id.
fn put_places(text: &mut String, steps: &[StepReport], paint: Paint) {
    let mut seen = BTreeSet::new();
    let rows = steps.iter().flat_map(|step| &step.rows);
    let new = rows.filter(|row| !row.place.is_empty() && seen.insert(*row));
    let places: Vec<String> = new.map(|row| format!("{} ({})", row.place, row.id)).collect();
    if places.is_empty() {
        return;
    }
    let words = format!("rows: {}", places.join(", "));
    for line in fold(&words, paint.width.saturating_sub(LEFT)) {
        let _ = writeln!(text, "{:LEFT$}{}", "", paint.dim(&line));
    }
}

/// What is violated at the end of the trace: the search's finding, or else the sentence.
#[must_use]
pub fn finding(property: &PropertyReport) -> Option<String> {
    let sentence = property.sentence.as_str();
    if property.finding.is_some() || sentence.is_empty() {
        return property.finding.clone();
    }
    let how = match property.kind {
        PropertyKind::Always => "violated in this state",
        PropertyKind::Sometimes => "true in no reachable state",
        PropertyKind::CanReach => "unreachable from this state",
        PropertyKind::Eventually | PropertyKind::LeadsTo => "never true on this trace",
    };
    Some(format!("{how}: {sentence}"))
}

/// The nodes in the order in which they should stand: by name, with the one that most others
/// talk with behind the first of them, so that few arrows run far.
fn nodes(steps: &[StepReport]) -> Vec<&str> {
    let mut nodes: Vec<&str> = Vec::new();
    let mut talks: BTreeSet<(&str, &str)> = BTreeSet::new();
    for step in steps {
        let from = step.from.as_deref();
        for name in from.into_iter().chain([step.node.as_str()]) {
            if name != NETWORK && !nodes.contains(&name) {
                nodes.push(name);
            }
        }
        if let Some(from) = from {
            talks.extend([(from, step.node.as_str()), (step.node.as_str(), from)]);
        }
    }
    nodes.sort_unstable();
    let partners = |name: &str| talks.iter().filter(|(node, _)| *node == name).count();
    let middle = nodes.iter().copied().max_by_key(|name| partners(name));
    if let Some(middle) = middle.filter(|name| nodes.len() > 2 && partners(name) > 1) {
        nodes.retain(|name| *name != middle);
        nodes.insert(1, middle);
    }
    nodes
}

/// The columns of a sequence diagram.
struct Diagram<'s> {
    nodes: Vec<&'s str>,
    /// The column of each lifeline.
    at: Vec<usize>,
    /// Where the rows' ids are written.
    margin: usize,
    paint: Paint,
}

impl<'s> Diagram<'s> {
    /// Places the columns, if a diagram says more than lines and fits.
    fn plan(steps: &[StepReport], nodes: &[&'s str], paint: Paint) -> Option<Self> {
        if nodes.len() < 2 {
            return None;
        }
        let place = |name: &str| nodes.iter().position(|node| *node == name);
        let mut gaps: Vec<usize> = nodes
            .windows(2)
            .map(|pair| columns(pair[0]).div_ceil(2) + columns(pair[1]).div_ceil(2) + 2)
            .collect();
        let mut right = nodes.last().map_or(0, |name| columns(name).div_ceil(2));
        let mut across = 0;
        for step in steps {
            let label = columns(&step.event);
            if step.node == NETWORK {
                across = across.max(label + AIR);
                continue;
            }
            let node = place(&step.node)?;
            match step.from.as_deref().and_then(place) {
                Some(from) if from != node => {
                    let (low, high) = (from.min(node), from.max(node));
                    let have: usize = gaps[low..high].iter().sum();
                    gaps[high - 1] += (label + AIR).saturating_sub(have);
                }
                _ => {
                    let room = label + 3;
                    match gaps.get_mut(node) {
                        Some(gap) => *gap = (*gap).max(room),
                        None => right = right.max(room),
                    }
                }
            }
        }
        let first = LEFT + nodes.first().map_or(0, |name| columns(name) / 2);
        let at: Vec<usize> = gaps
            .iter()
            .scan(first, |column, gap| {
                *column += gap;
                Some(*column)
            })
            .collect();
        let at: Vec<usize> = std::iter::once(first).chain(at).collect();
        let margin = (at.last()? + right + 2).max(first + across);
        let rows = steps.iter().map(|step| columns(&row_words(step, true))).max().unwrap_or(0);
        let is_fitting = margin + rows <= paint.width;
        is_fitting.then(|| Self { nodes: nodes.to_vec(), at, margin, paint })
    }

    fn draw(&self, steps: &[StepReport], loop_from: Option<usize>) -> String {
        let mut text = String::new();
        let mut heads = vec![' '; self.margin];
        for (name, at) in self.nodes.iter().zip(&self.at) {
            write_at(&mut heads, at - columns(name) / 2, name);
        }
        put(&mut text, &heads, "");
        for (nth, step) in steps.iter().enumerate() {
            if loop_from == Some(nth) {
                let _ = writeln!(text, "{:LEFT$}{}", "", self.paint.dim(LOOP));
            }
            self.put_step(&mut text, nth + 1, step);
        }
        text
    }

    fn put_step(&self, text: &mut String, number: usize, step: &StepReport) {
        let mut line = self.lifelines();
        write_at(&mut line, 0, &format!("{number:>5}"));
        let place = |name: &str| self.nodes.iter().position(|node| *node == name);
        let Some(node) = place(&step.node) else {
            write_at(&mut line, self.at[0] + 2, &format!("┄ {} ┄", step.event));
            put(text, &line, "");
            return;
        };
        match step.from.as_deref().and_then(place) {
            Some(from) if from != node => self.arrow(&mut line, from, node, &step.event),
            _ => write_at(&mut line, self.at[node], &format!("● {}", step.event)),
        }
        put(text, &line, &self.paint.dim(&row_words(step, true)));
        for effect in &step.effects {
            let EffectReport::Does(what) = effect else { continue };
            if !self.is_shown(what) {
                continue;
            }
            let mut line = self.lifelines();
            write_at(&mut line, self.at[node] + 2, what);
            put(text, &line, "");
        }
    }

    /// Whether an effect has a line of its own: what the user is told.
    fn is_shown(&self, what: &str) -> bool {
        what.starts_with("tells") && columns(what) + LEFT < self.paint.width
    }

    fn lifelines(&self) -> Vec<char> {
        let mut line = vec![' '; self.margin];
        for at in &self.at {
            line[*at] = '│';
        }
        line
    }

    fn arrow(&self, line: &mut [char], from: usize, to: usize, label: &str) {
        let (low, high) = (self.at[from.min(to)], self.at[from.max(to)]);
        line[low + 1..high].fill('─');
        if from < to {
            line[high - 1] = '▶';
        } else {
            line[low + 1] = '◀';
        }
        let label = format!(" {label} ");
        let free = (high - low - 1).saturating_sub(columns(&label));
        write_at(line, low + 1 + free / 2, &label);
    }
}

/// Writes over a line, as far as there is one.
fn write_at(line: &mut [char], at: usize, text: &str) {
    for (cell, letter) in line.iter_mut().skip(at).zip(text.chars()) {
        *cell = letter;
    }
}

/// A line, and what stands in its right margin.
fn put(text: &mut String, line: &[char], margin: &str) {
    let line: String = line.iter().collect();
    let line = if margin.is_empty() { line.trim_end().to_owned() } else { line };
    let _ = writeln!(text, "{line}{margin}");
}

/// A trace in lines: number, node, event, row, state.
fn lines(steps: &[StepReport], loop_from: Option<usize>, paint: Paint, named: bool) -> String {
    let widest = |of: &dyn Fn(&StepReport) -> usize| steps.iter().map(of).max().unwrap_or(0);
    let node = if named { widest(&|step| columns(&step.node)) + 2 } else { 0 };
    let row = widest(&|step| columns(&row_words(step, false)));
    let state = widest(&|step| step.state.as_ref().map_or(0, |state| columns(state) + 4));
    let room = paint.width.saturating_sub(LEFT + node + 2 + row + state);
    let event = widest(&|step| columns(&event_words(step))).min(room.max(EVENT_MIN));
    let mut text = String::new();
    for (nth, step) in steps.iter().enumerate() {
        if loop_from == Some(nth) {
            let _ = writeln!(text, "{:LEFT$}{}", "", paint.dim(LOOP));
        }
        let name = if named { pad(&step.node, node) } else { String::new() };
        let (words, effects) = (event_words(step), effect_words(&steps[nth..], named));
        let mut left = format!("{:>5}   {name}{}", nth + 1, pad(&words, event));
        let rows = row_words(step, false);
        let taken = paint.dim(&pad(&rows, row));
        let state = step.state.as_ref().map_or(String::new(), |state| format!("  → {state}"));
        // A longer event leaves its column, or has its line to itself.
        if columns(&words) > event {
            let used = columns(&left) + 2 + columns(&rows) + columns(&state);
            if used <= paint.width {
                let row = paint.dim(&rows);
                let _ = writeln!(text, "{}", format!("{left}  {row}{state}").trim_end());
                put_below(&mut text, &effects, paint);
                continue;
            }
            let _ = writeln!(text, "{left}");
            if rows.is_empty() && state.is_empty() {
                put_below(&mut text, &effects, paint);
                continue;
            }
            left = " ".repeat(LEFT + node + event);
        }
        let line = format!("{left}  {taken}{state}");
        let used = columns(&left) + 2 + row + columns(&state) + 2;
        let room = paint.width.saturating_sub(used);
        if effects.is_empty() || columns(&effects) > room {
            let _ = writeln!(text, "{}", line.trim_end());
            put_below(&mut text, &effects, paint);
        } else {
            let _ = writeln!(text, "{line}  {}", paint.dim(&effects));
        }
    }
    text
}

/// Writes the effects of a step below it.
fn put_below(text: &mut String, effects: &str, paint: Paint) {
    for line in fold(effects, paint.width.saturating_sub(LEFT + 2)) {
        let _ = writeln!(text, "{:LEFT$}  {}", "", paint.dim(&line));
    }
}

/// The rows that a step takes, or that its message is ignored, and if wanted in which state.
fn row_words(step: &StepReport, has_state: bool) -> String {
    if !step.row.is_empty() {
        return format!("row {}", step.row);
    }
    let ignored = step.effects.iter().find_map(|effect| match effect {
        EffectReport::Does(what) if what.starts_with("ignored in ") => Some(what),
        EffectReport::Does(_) | EffectReport::Sends { .. } => None,
    });
    match ignored {
        Some(what) if has_state => format!("({what})"),
        Some(_) => "(ignored)".to_owned(),
        None => String::new(),
    }
}

/// The event, with who sent it.
fn event_words(step: &StepReport) -> String {
    match &step.from {
        Some(from) => format!("{} from {from}", step.event),
        None => step.event.clone(),
    }
}

/// What the first of these steps did, in one line. Of several nodes only what no other line shows:
/// notices, and messages that no later step delivers.
fn effect_words(steps: &[StepReport], named: bool) -> String {
    let Some((step, later)) = steps.split_first() else { return String::new() };
    let is_delivered = |to: &str, message: &str| {
        let by = |next: &StepReport| next.from.as_ref() == Some(&step.node);
        later.iter().any(|next| next.node == to && next.event == message && by(next))
    };
    let is_shown = |effect: &&EffectReport| match effect {
        EffectReport::Sends { to, message } => !named || !is_delivered(to, message),
        EffectReport::Does(what) => !named || what.starts_with("tells"),
    };
    let shown = step.effects.iter().filter(is_shown);
    let each: Vec<String> = shown.map(EffectReport::to_string).collect();
    if each.is_empty() { String::new() } else { format!("({})", each.join(", ")) }
}
