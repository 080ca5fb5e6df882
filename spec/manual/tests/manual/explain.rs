//! Each code has a page, which shows what the reader reports.

use turnstile_manual::explain;
use turnstile_spec::diagnostic::code;

#[test]
fn every_code_has_a_page_with_its_example() {
    for code in code::ALL {
        let page = explain::explain(code).expect("a page");
        assert!(page.starts_with(&format!("{code}: ")), "{page}");
        let is_shown = page.contains(&format!("[{code}]")) || code::OF_THE_CHECKER.contains(code);
        assert!(is_shown, "{code} shows no fault of its own:\n{page}");
        assert!(page.lines().all(|line| !line.contains('\t')), "{code} has a tab");
        let mut prose = page.lines().take_while(|line| *line != "Example:");
        assert!(prose.all(|line| line.chars().count() <= 80), "{code} is too wide:\n{page}");
    }
    assert_eq!(explain::explain("T999"), None);
}
