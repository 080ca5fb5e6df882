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
            report(&fault, &faults.source)
        })
        .collect()
}

/// Findings of a table that runs as written.
pub(crate) fn findings(list: &[Fault], source: &Source) -> Vec<FaultReport> {
    list.iter().map(|fault| report(fault, source)).collect()
}

fn report(fault: &Fault, source: &Source) -> FaultReport {
    let (line, column) = source.position(fault.span());
    let severity = match fault.severity {
        Severity::Error => "error",
        Severity::Finding => "finding",
    };
    FaultReport {
        code: fault.code.to_owned(),
        severity: severity.to_owned(),
        message: fault.message.clone(),
        file: source.name.clone(),
        line,
        column,
        rendered: fault.render(source),
    }
}
