//! One search: the files are read, the table or the system runs, a result comes back.

use turnstile_checker::report::options::Options;
use turnstile_checker::report::result::{Kind, ResultReport};
use turnstile_checker::table;
use turnstile_spec::literal::Literal;

use crate::cli::faults;
use crate::cli::library::Text;

use super::plan::Job;

/// Does one job of the plan. An error is a complaint about the command.
pub(super) fn search(job: &Job, options: &Options<'_>) -> Result<ResultReport, String> {
    match job {
        Job::Table(text) => Ok(search_table(text, options)),
    }
}

/// Level 1.
fn search_table(text: &Text, options: &Options<'_>) -> ResultReport {
    let mut result = match Literal::read(text.source.clone()) {
        Err(faults) => {
            let mut result = ResultReport::new(Kind::Table, &text.name, None);
            result.faults = faults::errors(&faults);
            result
        }
        Ok(literal) if options.as_written => {
            let mut result = table::check(&literal.vocabulary, &literal.table, options);
            result.faults = faults::findings(&literal.findings, &literal.source);
            result
        }
        Ok(literal) => match literal.amended() {
            Ok(sound) => table::check(&sound.vocabulary, &sound.table, options),
            Err(faults) => {
                let machine = &literal.vocabulary.machine;
                let mut result = ResultReport::new(Kind::Table, machine, None);
                result.faults = faults::errors(&faults);
                result
            }
        },
    };
    result.as_written = options.as_written;
    result.notes.file = Some(text.source.name.clone());
    result
}
