//! The files of a crate, and which of them use which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::scan::{Scan, Segments};

/// How many re-exports a name may come through.
const REEXPORTS_MAX: usize = 8;

/// By file: those that its paths lead to.
pub(crate) type Uses = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The modules of a crate; the first is its root.
#[derive(Debug, Default)]
pub(crate) struct Modules(Vec<Module>);

#[derive(Debug)]
struct Module {
    file: PathBuf,
    parent: usize,
    children: BTreeMap<String, usize>,
    scan: Scan,
}

impl Modules {
    /// Those of the crate whose root is this file.
    pub(crate) fn of(root: &Path) -> Self {
        let mut modules = Self::default();
        let folder = root.parent().expect("a root is in a folder").to_owned();
        modules.add_file(0, root, &folder);
        modules
    }

    /// `folder`: where the files of its children are.
    fn add_file(&mut self, parent: usize, file: &Path, folder: &Path) -> usize {
        let text = fs::read_to_string(file).expect("a module has a file");
        self.add(parent, file, folder, Scan::of(&text))
    }

    fn add(&mut self, parent: usize, file: &Path, folder: &Path, mut scan: Scan) -> usize {
        let me = self.0.len();
        let (files, inline) = (std::mem::take(&mut scan.files), std::mem::take(&mut scan.inline));
        self.0.push(Module { file: file.to_owned(), parent, children: BTreeMap::new(), scan });
        for (name, path) in files {
            let below = folder.join(&name);
            let [flat, nested] = [below.with_extension("rs"), below.join("mod.rs")];
            let beside = path.map(|path| file.parent().expect("a folder").join(path));
            let own = beside.unwrap_or(if flat.exists() { flat } else { nested });
            let child = self.add_file(me, &own, &below);
            self.0[me].children.insert(name, child);
        }
        for (name, scan) in inline {
            let child = self.add(me, file, &folder.join(&name), scan);
            self.0[me].children.insert(name, child);
        }
        me
    }

    pub(crate) fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (number, module) in self.0.iter().enumerate() {
            let used = uses.entry(module.file.clone()).or_default();
            // A path that begins with a name of its own import leads where that leads.
            for path in module.scan.named() {
                used.extend(self.led_to(number, path, REEXPORTS_MAX).map(Path::to_owned));
            }
            used.remove(&module.file);
        }
        uses
    }

    /// The files, but the root, that name what only the root has or re-exports.
    pub(crate) fn by_way_of_root(&self) -> BTreeSet<&Path> {
        let [root, others @ ..] = &self.0[..] else { return BTreeSet::new() };
        let is_parent = |module: &Module| module.parent == 0;
        let names_root = |module: &&Module| {
            module.scan.named().any(|path| match &path[..] {
                [first, name, ..] if first == "crate" || first == "super" && is_parent(module) => {
                    !root.children.contains_key(name) && name != "super"
                }
                _ => false,
            })
        };
        let files = others.iter().filter(names_root).map(|module| module.file.as_path());
        files.filter(|file| *file != root.file).collect()
    }

    /// The file that has what a path of a module names; `None`: it is of another crate.
    fn led_to(&self, from: usize, path: &[String], most: usize) -> Option<&Path> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.below(0, rest, most),
            "self" => self.below(from, rest, most),
            "super" => self.below_parent(from, rest, most),
            name if self.has(from, name) => self.below(from, path, most),
            _ => None,
        }
    }

    fn below_parent(&self, from: usize, rest: &[String], most: usize) -> Option<&Path> {
        let parent = self.0[from].parent;
        match rest.split_first() {
            Some((first, rest)) if first == "super" => self.below_parent(parent, rest, most),
            _ => self.below(parent, rest, most),
        }
    }

    /// Whether a module has a name: a child, or what it imports.
    fn has(&self, module: usize, name: &str) -> bool {
        let Module { children, scan, .. } = &self.0[module];
        children.contains_key(name) || scan.imports.iter().any(|(known, _)| known == name)
    }

    fn below(&self, module: usize, path: &[String], most: usize) -> Option<&Path> {
        let own = &self.0[module];
        let Some((name, rest)) = path.split_first() else { return Some(&own.file) };
        if let Some(child) = own.children.get(name) {
            return self.below(*child, rest, most);
        }
        if own.scan.items.contains(name) || most == 0 {
            return Some(&own.file);
        }
        let mut imports = own.scan.imports.iter().filter(|(known, _)| known == name);
        if let Some((_, imported)) = imports.next() {
            let whole: Segments = imported.iter().chain(rest).cloned().collect();
            return self.led_to(module, &whole, most - 1);
        }
        let globs = own.scan.globs.iter().map(|glob| {
            let whole: Segments = glob.iter().chain(path).cloned().collect();
            self.led_to(module, &whole, most - 1)
        });
        // A name that is nowhere else is made by a macro of its own.
        Some(globs.flatten().find(|file| *file != own.file).unwrap_or(&own.file))
    }
}

/// The circles: of each, all files that lead to each other.
pub(crate) fn circles(uses: &Uses) -> Vec<BTreeSet<PathBuf>> {
    let reached = |from: &PathBuf| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            let used = uses.get(file).into_iter().flatten();
            next.extend(used.filter(|file| reached.insert((*file).clone())));
        }
        reached
    };
    let reached: BTreeMap<&PathBuf, BTreeSet<PathBuf>> =
        uses.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &&PathBuf| -> BTreeSet<PathBuf> {
        let others = reached[file].iter().filter(|other| reached[other].contains(*file));
        others.cloned().collect()
    };
    let found: BTreeSet<BTreeSet<PathBuf>> = uses.keys().map(|file| circle(&file)).collect();
    found.into_iter().filter(|circle| circle.len() > 1).collect()
}
