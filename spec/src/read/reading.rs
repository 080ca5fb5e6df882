//! A table in one of its readings: what else its document may mean.

use super::{Parsed, correct};
use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, sort};
use crate::lint;
use crate::versions::Reading;
use crate::yaml::Word;

impl Parsed {
    /// The readings, in the file's order.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect();
        let readings = self.raw.readings.iter().map(|reading| Reading {
            id: reading.change.id.text.clone(),
            is: reading.change.because.clone(),
            differs: texts(&reading.change.shown_by),
            without: texts(&reading.without),
            cite: reading.cite.clone(),
            span: reading.change.span,
        });
        readings.collect()
    }

    /// The table in the reading of this id, if there is one.
    pub(crate) fn in_reading(&self, id: &str) -> Option<Result<Self, Vec<Diagnostic>>> {
        let mut of_id = self.raw.readings.iter().filter(|one| one.change.id.text == id);
        let reading = of_id.next()?;
        let mut diagnostics = Vec::new();
        if let Some(second) = of_id.next() {
            let diagnostic =
                Diagnostic::error(code::DUPLICATE_ID, format!("duplicate reading id `{id}`"))
                    .label(second.change.id.span, "duplicate")
                    .label(reading.change.id.span, "first defined here")
                    .help("rename one of them");
            diagnostics.push(diagnostic);
        }
        let known = |word: &Word| self.raw.amendments.iter().any(|one| one.id.text == word.text);
        let unknown = reading.without.iter().filter(|word| !known(word));
        diagnostics.extend(unknown.map(|word| self.no_amendment(word)));
        let raw = self.raw.in_reading(reading);
        lint::errors(&raw, &mut diagnostics);
        if !diagnostics.is_empty() {
            sort(&mut diagnostics);
            return Some(Err(diagnostics));
        }
        let mut parsed = Self::of(raw);
        parsed.corrected = correct::correct(&parsed.raw).map(|raw| Box::new(Self::of(raw)));
        Some(Ok(parsed))
    }

    fn no_amendment(&self, word: &Word) -> Diagnostic {
        let ids = self.raw.amendments.iter().map(|one| one.id.text.as_str());
        let help = match nearest(&word.text, ids) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name an amendment of this file".to_owned(),
        };
        let message = format!("amendment `{}` does not exist", word.text);
        Diagnostic::error(code::INVALID_NEEDS, message)
            .label(word.span, "no such amendment")
            .help(help)
    }
}
