//! What a Rust file says of modules, and by which paths it names things.

use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path, segment by segment: `crate`, `world`, `World`.
pub(crate) type Segments = Vec<String>;

/// A module as its text has it, without its tests.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The modules that have a file of their own, and where, if an attribute says so.
    pub(crate) files: Vec<(String, Option<PathBuf>)>,
    /// The modules in braces.
    pub(crate) inline: Vec<(String, Self)>,
    /// The names of its items.
    pub(crate) items: Vec<String>,
    /// The names that `use` brings into it, each with its path.
    pub(crate) imports: Vec<(String, Segments)>,
    /// The modules of which `use` brings all names into it.
    pub(crate) globs: Vec<Segments>,
    /// Every other path of more than one segment.
    pub(crate) paths: Vec<Segments>,
}

impl Scan {
    pub(crate) fn of(text: &str) -> Self {
        let tokens: TokenStream = text.parse().expect("a source is Rust");
        let mut scan = Self::default();
        scan.module(&tokens.into_iter().collect::<Vec<_>>());
        scan
    }

    /// All paths that it has.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Segments> {
        let imports = self.imports.iter().map(|(_, path)| path);
        imports.chain(&self.globs).chain(&self.paths)
    }

    /// The items of a module, one after the other.
    fn module(&mut self, tokens: &[TokenTree]) {
        let mut rest = tokens;
        while !rest.is_empty() {
            let (attributes, item) = split_attributes(rest);
            let end = item_end(item);
            let is_test = attributes.iter().any(|one| one.starts_with("cfg(test"));
            if !is_test {
                self.item(&attributes, &item[..end]);
            }
            rest = &item[end..];
        }
    }

    fn item(&mut self, attributes: &[String], item: &[TokenTree]) {
        let words: Vec<String> = item.iter().map(word).collect();
        let mut known = words.iter().map(String::as_str);
        let head = known.position(|one| KEYWORDS.contains(&one));
        let name = head.and_then(|at| words[at + 1..].iter().find(|one| is_name(one)));
        match (head.map(|at| words[at].as_str()), name) {
            (Some("use"), _) => self.import(&mut Vec::new(), &item[head.unwrap_or(0) + 1..]),
            (Some("mod"), Some(name)) => match item.last() {
                Some(TokenTree::Group(body)) => {
                    let mut inner = Self::default();
                    inner.module(&body.stream().into_iter().collect::<Vec<_>>());
                    self.inline.push((name.clone(), inner));
                }
                _ => {
                    let quoted = attributes.iter().find_map(|one| one.strip_prefix("path="));
                    let path = quoted.map(|quoted| PathBuf::from(quoted.trim_matches('"')));
                    self.files.push((name.clone(), path));
                }
            },
            (Some("impl") | None, _) | (_, None) => self.code(item),
            (_, Some(name)) => {
                self.items.push(name.clone());
                self.code(item);
            }
        }
    }

    /// The paths in code: in expressions, types, attributes and what macros are given, but not in
    /// code that is quoted: its paths are those of another crate.
    fn code(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => {
                    self.code(&group.stream().into_iter().collect::<Vec<_>>());
                    at += 1;
                }
                TokenTree::Ident(ident) if *ident == "use" => {
                    let end = at + item_end(&tokens[at..]);
                    self.import(&mut Vec::new(), &tokens[at + 1..end]);
                    at = end;
                }
                TokenTree::Ident(ident) if *ident == "quote" && is_called(&tokens[at + 1..]) => {
                    at += 3;
                }
                TokenTree::Ident(_) => {
                    let (path, after) = path_at(tokens, at);
                    if path.len() > 1 {
                        self.paths.push(path);
                    }
                    at = after;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
        }
    }

    /// The names of a tree after `use`, below the path that leads to it.
    fn import(&mut self, above: &mut Segments, tree: &[TokenTree]) {
        let (path, after) = path_at(tree, 0);
        let depth = above.len();
        above.extend(path);
        match tree.get(after) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let each = inner.split(|token| word(token) == ",");
                // Nothing follows the last comma.
                each.filter(|one| !one.is_empty()).for_each(|one| self.import(above, one));
            }
            Some(token) if word(token) == "*" => self.globs.push(above.clone()),
            renamed => {
                let name = renamed.filter(|token| word(token) == "as").map(|_| &tree[after + 1]);
                if above.last().is_some_and(|last| last == "self") && above.len() > 1 {
                    above.pop();
                }
                let name = name.map(word).or_else(|| above.last().cloned());
                self.imports.extend(name.map(|name| (name, above.clone())));
            }
        }
        above.truncate(depth);
    }
}

/// Whether a macro's name is before these tokens.
fn is_called(rest: &[TokenTree]) -> bool {
    let is_mark = rest.first().is_some_and(|mark| word(mark) == "!");
    is_mark && matches!(rest.get(1), Some(TokenTree::Group(_)))
}

/// What begins an item, and precedes its name.
const KEYWORDS: [&str; 12] = [
    "use",
    "mod",
    "impl",
    "fn",
    "struct",
    "enum",
    "trait",
    "type",
    "static",
    "const",
    "union",
    "macro_rules",
];

fn word(token: &TokenTree) -> String {
    match token {
        TokenTree::Ident(ident) => ident.to_string(),
        TokenTree::Punct(punct) => punct.to_string(),
        TokenTree::Group(_) | TokenTree::Literal(_) => String::new(),
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && !KEYWORDS.contains(&word)
}

/// The path that begins at an identifier, and where it ends.
fn path_at(tokens: &[TokenTree], from: usize) -> (Segments, usize) {
    let (mut path, mut at) = (Vec::new(), from);
    while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
        path.push(ident.to_string());
        at += 1;
        let is_joined = tokens[at..].iter().take(2).filter(|token| word(token) == ":").count() == 2;
        if !is_joined {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// The attributes before an item, without spaces, and the item with all that follows.
fn split_attributes(mut tokens: &[TokenTree]) -> (Vec<String>, &[TokenTree]) {
    let mut attributes = Vec::new();
    while let [TokenTree::Punct(hash), rest @ ..] = tokens
        && hash.as_char() == '#'
    {
        let rest =
            if rest.first().is_some_and(|token| word(token) == "!") { &rest[1..] } else { rest };
        let [TokenTree::Group(group), rest @ ..] = rest else { break };
        attributes.push(group.stream().to_string().replace(' ', ""));
        tokens = rest;
    }
    (attributes, tokens)
}

/// Where an item ends: after its braces, or its semicolon.
fn item_end(item: &[TokenTree]) -> usize {
    let is_value = item.iter().map(word).find(|one| KEYWORDS.contains(&one.as_str()));
    let is_value = is_value.is_some_and(|one| matches!(&*one, "use" | "const" | "static" | "type"));
    let is_value = is_value && !item.iter().take(4).any(|token| word(token) == "fn");
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_value,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    };
    item.iter().position(is_end).map_or(item.len(), |at| at + 1)
}
