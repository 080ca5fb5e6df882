//! Programs that must not compile, with the compiler's whole output.

#[test]
fn programs_that_must_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
