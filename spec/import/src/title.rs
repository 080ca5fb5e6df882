//! The names of the machine and of the document.

use turnstile_spec::Source;

use crate::draft::Draft;
use crate::grid::words;

/// What headings say besides the name of the machine.
const PLAIN: [&str; 16] = [
    "the",
    "a",
    "of",
    "state",
    "states",
    "machine",
    "fsm",
    "transition",
    "transitions",
    "table",
    "tables",
    "automaton",
    "diagram",
    "complete",
    "for",
    "finite",
];

/// Names the machine by the heading that says "state machine", or else by the file.
pub(crate) fn name(source: &Source, draft: &mut Draft) {
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
    file.clone_into(&mut draft.file);
    let heading = words(&draft.section);
    let has = |word: &str| heading.iter().any(|known| known == word);
    let is_machine = has("fsm") || has("automaton") || (has("state") && has("machine"));
    let own = heading.iter().filter(|word| !PLAIN.contains(&word.as_str()));
    let own: Vec<&str> = own.map(String::as_str).collect();
    let stem = file.split('.').next().unwrap_or(file);
    let wanted = if is_machine && !own.is_empty() { own.join("-") } else { stem.to_owned() };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    let name: String = wanted.chars().map(plain).collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let name: String = name.trim_end_matches('-').chars().take(60).collect();
    draft.machine = if name.is_empty() { "machine".to_owned() } else { name };
}
