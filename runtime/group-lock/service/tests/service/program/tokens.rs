//! Fencing tokens, and the directories by which they grow.

use super::group::{Group, code};

impl Group {
    /// The token of a command that runs under the lock `job`.
    fn token(&self, one: usize) -> String {
        let words = ["run", "job", "--timeout", "30", "--", "sh", "-c"];
        let script = "printf %s \"$GROUPLOCK_FENCING_TOKEN\"";
        let token = self.text(one, &[&words[..], &[script]].concat());
        assert_eq!(token.len(), 50, "{token}");
        token
    }
}

#[test]
fn tokens_grow_also_when_all_members_start_again() {
    let mut group = Group::prepare();
    group.has_data = true;
    group.start_all();
    let mut tokens = Vec::new();
    tokens.extend((0..3).map(|one| group.token(one)));
    // The group goes on, under another coordinator.
    let first = group.coordinator(0);
    group.end(first);
    tokens.push(group.token((first + 1) % 3));
    group.start_member(first, "test");
    group.await_members(first, 3);
    tokens.push(group.token(first));
    (0..3).for_each(|one| group.end(one));
    group.start_all();
    tokens.extend((0..3).rev().map(|one| group.token(one)));
    assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:#?}");
}

#[test]
fn a_directory_of_another_group_or_in_use_is_refused() {
    let mut group = Group::prepare();
    group.has_data = true;
    group.start_member(0, "test");
    group.await_members(0, 1);
    let data = group.data(0).display().to_string();
    let words = ["--listen", "127.0.0.1:0", "--seed", "127.0.0.1:1", "--data", &data];
    let refused = |group: &Group, name| {
        let refused = group.output(1, &[&["member", "--name", name], &words[..]].concat());
        assert_eq!(code(&refused), Some(69), "{refused:?}");
        String::from_utf8_lossy(&refused.stderr).into_owned()
    };
    let text = refused(&group, "test");
    assert!(text.contains(&data) && text.contains("in use"), "{text}");
    group.end(0);
    let text = refused(&group, "other");
    assert!(text.contains("a member of the group test"), "{text}");
}
