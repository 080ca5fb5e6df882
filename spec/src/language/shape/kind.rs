//! The kinds of values that a key may have, as data.

/// A mapping with fixed keys.
#[derive(Debug)]
pub struct Shape {
    /// What it is called in diagnostics: `row`.
    pub name: &'static str,
    /// The keys it may have.
    pub keys: &'static [Key],
}

impl Shape {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }
}

/// One key of a [`Shape`].
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// The key that must be there, too, if this one is.
    pub needs: Option<&'static str>,
    /// One sentence for editors.
    pub about: &'static str,
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A number from 0.
    Number,
    /// Lines of the document: 36, 36-41, or a list of such.
    Lines,
    /// A mapping with fixed keys.
    Map(&'static Shape),
    /// Names of one's own, each with a value.
    Names(&'static Kind),
    /// A list.
    List(&'static Kind),
    /// One of these, distinguished by being text, a list or a mapping.
    Either(&'static [Kind]),
}

/// A key that may be left out.
pub(crate) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: false, needs: None, about }
}

/// A key that must be there.
pub(crate) const fn must(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: true, needs: None, about }
}

/// A key that may be left out, and needs another one beside it.
#[cfg_attr(not(feature = "systems"), expect(dead_code, reason = "only systems have such keys"))]
pub(crate) const fn may_with(
    needs: &'static str,
    name: &'static str,
    kind: Kind,
    about: &'static str,
) -> Key {
    Key { name, kind, required: false, needs: Some(needs), about }
}
