//! Faults of files as results show them.

use turnstile_checker::report::result::FaultReport;
use turnstile_spec::fault::Faults;
use turnstile_spec::{Fault, Severity, Source};

/// Faults that stop what was asked, findings among them: without `--as-written` a finding is an
/// error.
pub(crate) fn errors(faults: &Faults) -> Vec<FaultReport> {
    faults
        .list
        .iter()
        .map(|fault| {
            let fault = Fault { severity: Severity::Error, ..fault.clone() };
            FaultReport::at(&fault, &faults.source)
        })
        .collect()
}

/// Findings of a table that runs as written.
pub(crate) fn findings(list: &[Fault], source: &Source) -> Vec<FaultReport> {
    list.iter().map(|fault| FaultReport::at(fault, source)).collect()
}
