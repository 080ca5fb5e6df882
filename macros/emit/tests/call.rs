//! Calls of the macros: the meaning of each option, and the message for an invalid one.

use proc_macro2::TokenStream;
use turnstile_emit::call::Call;

fn parsed(words: &str) -> Result<Call, String> {
    let words: TokenStream = words.parse().expect("the words are tokens");
    Call::parse(words).map_err(|error| error.to_string())
}

#[test]
fn the_path_is_what_the_literal_stands_for() {
    for (written, path) in [
        (r#""tables/door.yaml""#, "tables/door.yaml"),
        (r#""a\\b\"\x41\u{1_F600}\n\0", tracing"#, "a\\b\"A\u{1F600}\n\0"),
        ("\"a\\\n   b\"", "ab"),
        (r#"r"a\b""#, r"a\b"),
        (r##"r#"a"b"#"##, "a\"b"),
    ] {
        assert_eq!(parsed(written).map(|call| call.path).as_deref(), Ok(path), "{written}");
    }
}

#[test]
fn what_is_asked_for_beside_the_machine_is_known() {
    let call = parsed(r#""a.yaml", typestate, derive(serde), tracing, step_into,"#);
    let options = call.expect("these are the words").options;
    assert!(options.typestate && options.serde && options.tracing && options.step_into);
    let plain = parsed(r#""a.yaml""#).expect("a path");
    assert_eq!((plain.options, plain.diagram), (Default::default(), None));
    let drawn = parsed(r#""a.yaml", diagram("b.svg"), tracing"#).expect("these are the words");
    assert_eq!(drawn.diagram.as_deref(), Some("b.svg"));
    assert!(drawn.options.tracing);
}

#[test]
fn a_wrong_word_is_said_to_be_wrong() {
    let known = "expected `typestate`, `step_into`, `derive(serde)`, `tracing` or \
                 `diagram(\"FILE.svg\")`";
    let picture = "expected `diagram(\"FILE.svg\")`";
    for (written, said) in [
        ("", "unexpected end of input, expected the path of a file, in quotes"),
        ("42", "expected the path of a file, in quotes"),
        ("b\"a\"", "expected the path of a file, in quotes"),
        ("'a'", "expected the path of a file, in quotes"),
        (r#""a" tracing"#, "expected `,`"),
        (r#""a",, tracing"#, "expected identifier"),
        (r#""a", "b""#, "expected identifier"),
        (r#""a", fn"#, "expected identifier, found keyword `fn`"),
        (r#""a", trace"#, known),
        (r#""a", derive"#, "only `derive(serde)` is known"),
        (r#""a", derive[serde]"#, "only `derive(serde)` is known"),
        (r#""a", derive()"#, "only `derive(serde)` is known"),
        (r#""a", derive(serde, Debug)"#, "only `derive(serde)` is known"),
        (r#""a", derive(serde) tracing"#, "expected `,`"),
        (r#""a", diagram"#, picture),
        (r#""a", diagram()"#, picture),
        (r#""a", diagram(b.svg)"#, picture),
        (r#""a", diagram("b.svg", "c.svg")"#, picture),
    ] {
        let error = parsed(written).map(|call| call.path);
        assert_eq!(error, Err(format!(":: core :: compile_error ! {{ {said:?} }}")), "{written}");
    }
}

#[test]
fn a_module_that_is_checked_in_is_the_macros() {
    let text = "language: 1\nmachine: door\nstates: { shut: { initial: true, may end: true } }\n\
                events: { knock: { kind: command } }\nactions: { bark: {} }\n\
                transitions: [{ from: shut, to: same, event: knock, do: [bark] }]\n";
    let source = || turnstile_spec::Source::new("door.yaml", text);
    for words in [r#""door.yaml""#, r#""door.yaml", typestate, step_into, derive(serde), tracing"#]
    {
        let call = parsed(words).expect("the words are right");
        let table = turnstile_spec::WrittenTable::read(source()).expect("it is a table");
        let module = turnstile_emit::expand::module(&table, call.options).expect("it is sound");
        let expanded = turnstile_emit::expand::machine(&call, source());
        assert_eq!(
            format!("{}{module}", call.tracked()).replace(' ', ""),
            expanded.to_string().replace(' ', "")
        );
    }
}

#[test]
fn a_table_with_rows_without_an_event_has_no_typestate_form() {
    let text = "language: 1\nmachine: door\n\
                states: { shut: { initial: true }, ajar: {}, open: { final: true } }\n\
                events: { knock: { kind: command } }\n\
                transitions: [{ from: shut, to: ajar, event: knock },\n\
                              { from: ajar, to: open }]\n";
    let expanded = |words: &str| {
        let call = parsed(words).expect("the words are right");
        let source = turnstile_spec::Source::new("door.yaml", text);
        turnstile_emit::expand::machine(&call, source).to_string()
    };
    let refused = "the option `typestate` is not available: the table has rows without an event";
    assert!(expanded(r#""door.yaml", typestate"#).contains(refused));
    let plain = expanded(r#""door.yaml""#);
    assert!(plain.contains("pub fn settle") && !plain.contains("compile_error"), "{plain}");
}
