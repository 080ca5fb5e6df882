//! `turnstile new`: what it writes checks clean, and nothing is overwritten.

use std::fs;

use crate::command::{Scratch, outcome};

#[test]
fn what_is_new_checks_clean() {
    let folder = Scratch::new("new");
    for (new, file) in
        [(&["new", "lamp"][..], "lamp.yaml"), (&["new", "shop", "--system"], "shop/shop.yaml")]
    {
        let (status, out, err) = outcome(&folder, new);
        assert_eq!((status, err.as_str()), (0, ""), "{new:?}");
        assert!(out.ends_with(&format!("next: turnstile check {file}\n")), "{out}");
        for verb in ["lint", "check"] {
            let (status, out, err) = outcome(&folder, &[verb, file]);
            assert_eq!((status, err.as_str()), (0, ""), "{verb} {file}:\n{out}");
            assert!(!out.contains("vacuous"), "{out}");
        }
    }
}

#[test]
fn lint_of_a_system_has_the_errors_of_its_tables() {
    let folder = Scratch::new("lint");
    assert_eq!(outcome(&folder, &["new", "shop", "--system"]).0, 0);
    let table = folder.join("shop/server.yaml");
    let text = fs::read_to_string(&table).expect("it is new");
    fs::write(&table, text + "\nignore:\n  - { state: nowhere, event: nothing, because: \"-\" }\n")
        .expect("the folder can be written");
    let (status, out, _) = outcome(&folder, &["lint", "shop/shop.yaml"]);
    assert!(status == 1 && out.contains("--> shop/server.yaml:"), "{out}");
    let (status, out, _) = outcome(&folder, &["check", "shop/shop.yaml"]);
    assert!(status == 1 && out.contains("--> shop/server.yaml:"), "{out}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = Scratch::new("old");
    fs::write(folder.join("lamp.yaml"), "mine").expect("the folder can be written");
    fs::create_dir(folder.join("shop")).expect("the folder can be written");
    for new in [&["new", "lamp"][..], &["new", "shop", "--system"]] {
        let (status, out, err) = outcome(&folder, new);
        assert_eq!((status, out.as_str()), (2, ""), "{new:?}");
        assert!(err.contains("exists already"), "{err}");
    }
    let lamp = fs::read_to_string(folder.join("lamp.yaml")).expect("it is still there");
    let in_shop = fs::read_dir(folder.join("shop")).expect("it is still there").count();
    assert_eq!((lamp.as_str(), in_shop), ("mine", 0));
    for name in ["", "../up", "9lives", "a b", "ä"] {
        let (status, _, err) = outcome(&folder, &["new", name]);
        assert_eq!(status, 2, "{name}");
        assert!(err.contains("cannot name a machine"), "{err}");
    }
}

#[test]
fn a_crate_that_could_not_be_built_is_not_made() {
    let folder = Scratch::new("refused-crate");
    for (name, checkout, why) in [
        ("Lamp", ".", "cannot name a crate"),
        ("match", ".", "cannot name a crate"),
        ("tokio", ".", "cannot name a crate"),
        ("lamp-3", ".", "name a checkout of Turnstile"),
    ] {
        let (status, out, err) = outcome(&folder, &["new", name, "--rust", "--checkout", checkout]);
        assert_eq!((status, out.as_str()), (2, ""), "{name}");
        assert!(err.contains(why) && !folder.join(name).exists(), "{err}");
    }
}
