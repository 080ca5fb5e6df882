//! Names of a table that the compiled core does not know.

use turnstile_spec::Source;
use turnstile_spec::fault::Span;

use crate::report::fault::FaultReport;
use crate::report::options::{Refusal, Replacement};

/// Names that the core does not know.
#[derive(Debug)]
pub(crate) struct Unknown {
    source: Source,
    /// Each name of the table, and where it stands.
    known: Vec<(String, Span)>,
    names: Vec<(String, Span)>,
    /// The rows that the machine does not have, by id. They run all the same.
    pub(crate) rows: Vec<String>,
}

impl Unknown {
    pub(crate) fn of(replacement: &Replacement) -> Self {
        let of = &replacement.vocabulary;
        let known = of
            .states
            .iter()
            .chain(&of.actions)
            .chain(&of.guards)
            .chain(of.events.iter().map(|event| &event.name))
            .chain(of.resources.iter().map(|resource| &resource.name))
            .chain(of.formulas.names())
            .map(|name| (name.name.clone(), name.span))
            .collect();
        Self { source: replacement.source.clone(), known, names: Vec::new(), rows: Vec::new() }
    }

    /// What a name stands for, or nothing and a note of it.
    pub(crate) fn find<T>(&mut self, what: &str, name: &str, found: Option<T>) -> Option<T> {
        if found.is_none() {
            let text = format!("the core that was compiled in knows no {what} `{name}`");
            let place = self.known.iter().find(|(known, _)| known == name);
            let span = place.map_or(Span::default(), |(_, span)| *span);
            if self.names.iter().all(|(known, _)| *known != text) {
                self.names.push((text, span));
            }
        }
        found
    }

    /// The number of a row that the machine, which has so many, does not have.
    pub(crate) fn row(&mut self, id: &str, known: usize) -> u16 {
        let place = self.rows.iter().position(|row| row == id).unwrap_or_else(|| {
            self.rows.push(id.to_owned());
            self.rows.len() - 1
        });
        u16::try_from(known + place).unwrap_or(u16::MAX)
    }

    /// Whether all was known.
    pub(crate) fn end<T>(self, whole: T) -> Result<T, Refusal> {
        if self.names.is_empty() {
            return Ok(whole);
        }
        let faults = self.names.iter();
        let faults =
            faults.map(|(what, span)| FaultReport::not_compiled(&self.source, *span, what));
        Err(Refusal::Faults(faults.collect()))
    }
}
