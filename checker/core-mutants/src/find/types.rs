//! The types of fields, as the cores' sources write them.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Fields, Type};

/// The fields of every structure of the cores, and of every variant with fields.
#[derive(Debug, Default)]
pub struct Types {
    /// By name: `Request`, `RequestKind::Post`.
    structures: BTreeMap<String, Vec<Structure>>,
    /// Each method, and whether one of its name changes what it is called on.
    methods: BTreeMap<String, bool>,
}

#[derive(Debug)]
struct Structure {
    file: String,
    /// Each field with its type; a tuple's fields are `0`, `1`.
    fields: Vec<(String, String)>,
}

impl Types {
    /// Adds what a file defines.
    ///
    /// # Errors
    ///
    /// The file is no Rust.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), String> {
        let tree = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
        Collector { file, types: self }.visit_file(&tree);
        Ok(())
    }

    /// Whether a method of the cores changes nothing that it is called on.
    pub(super) fn only_reads(&self, method: &str) -> bool {
        self.methods.get(method) == Some(&false)
    }

    /// The type of a field.
    pub(super) fn field(&self, structure: &str, field: &str, file: &str) -> Option<&str> {
        let found = self.structure(structure, file)?;
        let found = found.fields.iter().find(|(name, _)| name == field);
        found.map(|(_, of)| of.as_str())
    }

    /// The fields of a structure, as a file means it.
    pub(super) fn fields(&self, structure: &str, file: &str) -> impl Iterator<Item = (&str, &str)> {
        let found = self.structure(structure, file);
        let fields = found.into_iter().flat_map(|one| one.fields.iter());
        fields.map(|(name, of)| (name.as_str(), of.as_str()))
    }

    /// The fields that some structure has beside this one, with the same type.
    pub(super) fn siblings(&self, field: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for structure in self.structures.values().flatten() {
            let known = structure.fields.iter().find(|(name, _)| name == field);
            let Some((_, wanted)) = known else { continue };
            let others = structure.fields.iter().filter(|(name, of)| name != field && of == wanted);
            found.extend(others.map(|(name, _)| name.as_str()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Of several structures of one name, the one whose file is nearest.
    fn structure(&self, name: &str, file: &str) -> Option<&Structure> {
        let near = |one: &&Structure| {
            let parts = one.file.split('/').zip(file.split('/'));
            parts.take_while(|(one, other)| one == other).count()
        };
        self.structures.get(name)?.iter().max_by_key(near)
    }
}

struct Collector<'c> {
    file: &'c str,
    types: &'c mut Types,
}

impl Collector<'_> {
    fn put(&mut self, name: String, fields: &Fields) {
        let named = |(nth, field): (usize, &syn::Field)| {
            let name = field.ident.as_ref().map_or_else(|| nth.to_string(), ToString::to_string);
            (name, text(&field.ty))
        };
        let fields = fields.iter().enumerate().map(named).collect();
        let structure = Structure { file: self.file.to_owned(), fields };
        self.types.structures.entry(name).or_default().push(structure);
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        self.put(node.ident.to_string(), &node.fields);
        visit::visit_item_struct(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        if let Some(receiver) = node.sig.receiver() {
            let is_shared = matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, None));
            let changes = self.types.methods.entry(node.sig.ident.to_string()).or_default();
            *changes |= !is_shared;
        }
    }

    fn visit_item_enum(&mut self, node: &'ast syn::ItemEnum) {
        for variant in &node.variants {
            self.put(format!("{}::{}", node.ident, variant.ident), &variant.fields);
        }
    }
}

/// A type in one word, without references and life times: `Option<Token>`, `StepContext`.
pub(super) fn text(of: &Type) -> String {
    match of {
        Type::Reference(inner) => text(&inner.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return String::new() };
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return last.ident.to_string();
            };
            let inner = arguments.args.iter().filter_map(|argument| match argument {
                syn::GenericArgument::Type(of) => Some(text(of)),
                _ => None,
            });
            let inner: Vec<String> = inner.collect();
            match inner.is_empty() {
                true => last.ident.to_string(),
                false => format!("{}<{}>", last.ident, inner.join(",")),
            }
        }
        Type::Tuple(tuple) => {
            let inner: Vec<String> = tuple.elems.iter().map(text).collect();
            format!("({})", inner.join(","))
        }
        Type::Slice(slice) => format!("[{}]", text(&slice.elem)),
        _ => String::new(),
    }
}

/// The name of a type without its arguments: `StepContext`.
pub(super) fn head(of: &str) -> &str {
    of.split_once('<').map_or(of, |(head, _)| head)
}
